"""More than this process: judges that wrap a judge, whose work a Dask cluster or a provider's batch
interface does.

    with workers(4) as cluster:
        report = evaluate(dev, answers, judge=distributed("nli:MODEL", cluster))
    with Batches("run.batches") as batches:
        report = evaluate(dev, answers, judge=batched("openai/gpt-4o-mini", batches), out="run")

`evaluate` knows neither: it asks a judge like any other, counts the verdicts and keeps them. So tallies are
those of one process, byte for byte, and a killed worker costs what was in flight on it, never a paid
verdict that had come back.

    connecting    a cluster from what the user names: processes here, an address, a client, SLURM
    distribution  the judge that has its requests answered by workers; ``tasks`` is what runs there
    batching      the judge that sends its prompts in batches; ``batch_store`` keeps them in mind
"""

from argue_bench.scale.batch_store import Batches
from argue_bench.scale.batching import batched
from argue_bench.scale.connecting import workers
from argue_bench.scale.distribution import distributed

__all__ = ["Batches", "batched", "distributed", "workers"]
