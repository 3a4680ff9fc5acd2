"""What ``--workers``, ``--cluster`` and ``--batch`` do: the judges of a command work elsewhere meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from argue_bench.errors import UsageError
from argue_bench.judges import Judge
from argue_bench.models.chat import Chat
from argue_bench.models.environment import environment
from argue_bench.models.providers import poll_seconds
from argue_bench.scale.batch_store import Batches
from argue_bench.scale.batching import batched
from argue_bench.scale.connecting import ClusterLike, workers
from argue_bench.scale.distribution import distributed


@contextmanager
def on_cluster(judges: Mapping[str, Judge], cluster: ClusterLike) -> Iterator[Mapping[str, Judge]]:
    """The judges by name, with their work done by a cluster. Raises what `workers` raises."""
    with workers(cluster) as client:
        yield {name: distributed(judge, client) for name, judge in judges.items()}


@contextmanager
def in_batches(
    judges: Mapping[str, Judge], store: Path, say: Callable[[str], None]
) -> Iterator[Mapping[str, Judge]]:
    """The judges by name, those of providers asked in batches, which lie beside the verdicts' ``store``.

    Raises UsageError where none of them can be asked so.
    """
    found = [name for name, judge in judges.items() if _chats([judge])]
    if not found:
        raise UsageError("no judge of this run is a provider's model, so there is nothing to batch")
    # Beside the verdicts, and by their name: the same command finds its batches again.
    seconds = poll_seconds(environment())
    with Batches(f"{store}.batches") as batches:
        yield {**judges, **{name: batched(judges[name], batches, say, seconds) for name in found}}


def charge_for_batches(judges: Iterable[Judge]) -> None:
    """Lets the judges estimate what batches cost."""
    for chat in _chats(judges).values():
        chat.price = chat.price and chat.price.in_batches()
    for model in (model for judge in judges for model in judge.language_models()):
        model.send_through(model.transport)  # which takes the new price


def _chats(judges: Iterable[Judge]) -> dict[int, Chat]:
    """The providers' models behind the judges, each once."""
    found = (model.transport for judge in judges for model in judge.language_models())
    return {id(chat): chat for chat in found if isinstance(chat, Chat)}
