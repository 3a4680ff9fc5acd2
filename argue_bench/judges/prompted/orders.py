"""Requests that are put to a model in both orders, so that the place of an answer does not decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from argue_bench.records import Failed, JudgeRequest, Prefers, Verdict

_MIRRORED = {"A": "B", "B": "A", "tie": "tie"}


class BothOrders:
    """Requests as they are asked: of each `Prefers` both orders, of any other kind itself.

    Two requests that are each other's order share the two calls.
    """

    def __init__(self, requests: Iterable[JudgeRequest]) -> None:
        self._wanted = dict.fromkeys(requests)
        asked: dict[JudgeRequest, None] = {}
        for one in self._wanted:
            asked |= dict.fromkeys((one, one.swapped()) if isinstance(one, Prefers) else (one,))
        self.asked = list(asked)
        self._come: dict[JudgeRequest, Verdict | Failed] = {}

    def settle(
        self, request: JudgeRequest, reply: Verdict | Failed
    ) -> Iterator[tuple[JudgeRequest, Verdict | Failed]]:
        """The requests that a reply decides, of a `Prefers` once the other order has come too."""
        if not isinstance(request, Prefers):
            yield request, reply
            return
        self._come[request] = reply
        other = self._come.get(request.swapped())
        if other is not None:
            for one, said, against in (
                (request, reply, other),
                (request.swapped(), other, reply),
            )[: 1 + (request != request.swapped())]:
                if one in self._wanted:
                    yield one, _agreed(said, against)


def _agreed(said: Verdict | Failed, against: Verdict | Failed) -> Verdict | Failed:
    """The verdict on which both orders agree; a tie where they do not, a failure where one failed."""
    if isinstance(said, Failed):
        return said
    if isinstance(against, Failed):
        return against
    mirrored = _MIRRORED[str(against.value)]
    if said.value == mirrored:
        return said
    note = f"{said.value} in this order, {mirrored} in the other"
    return Verdict("tie", note, said.prompt, said.reply)
