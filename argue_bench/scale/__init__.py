"""More than this process: judges that wrap a judge, whose work a Dask cluster or a provider's batch
interface does.

    with workers(4) as cluster:
        report = evaluate(dev, answers, judge=distributed("nli:MODEL", cluster))
    with Batches("run.batches") as batches:
        report = evaluate(dev, answers, judge=batched("openai/gpt-4o-mini", batches), out="run")

`evaluate` knows neither: it asks a judge like any other, counts the verdicts and keeps them. So tallies are
those of one process, byte for byte, and a killed worker costs what was in flight on it, never a paid
verdict that had come back.

    distribution  the judge that has its requests answered by workers; ``tasks`` is what runs there
    batching      the judge that sends its prompts in batches, and the file that keeps them in mind
"""

from argue_bench.scale.batching import Batches, batched
from argue_bench.scale.distribution import distributed, workers

__all__ = ["Batches", "batched", "distributed", "workers"]
