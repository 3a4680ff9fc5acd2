"""The servers and models that answered for a judge; a change of them is reported, or refused.

A store answers for the judge of a name. If another address stands behind that name by now, or another
model or build answers there than before, its verdicts are another model's: the user is told so once for
each, and ``--strict-model`` refuses it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable

from argue_bench.errors import JudgeError
from argue_bench.models.transport import Served

_LOG = logging.getLogger(__name__)
# Changes that are said; where builds change with every reply, more would say nothing new.
_MOST_SAID = 5
_ELSEWHERE = "Another --store keeps them apart"


class Servers:
    """The servers that answered for one model, in the order of their first reply."""

    def __init__(self, name: str, model: str, hosts: Iterable[str]) -> None:
        self.name, self._model, self._hosts = name, model, frozenset(hosts)
        self.known: dict[Served, None] = {}
        self.strict = False
        """Whether a change is an error."""
        self._said = 0

    def recall(self, earlier: Iterable[Served]) -> None:
        """Adds the servers of the verdicts in a store. Raises JudgeError if strict."""
        before = dict.fromkeys(earlier)
        self.known = {**before, **self.known}
        hosts = sorted({one.host for one in before})
        if hosts and self._hosts and not self._hosts.intersection(hosts):
            now = ", ".join(sorted(self._hosts))
            self._say(f"stored verdicts came from {', '.join(hosts)}, and now {now} is asked")

    def meet(self, served: Served) -> None:
        """Adds the server of a reply. Raises JudgeError if strict and the server is new."""
        if served in self.known:
            return
        others = [one for one in self.known if (one.model, one.fingerprint) != ("", "")]
        same = any(
            (one.model, one.fingerprint) == (served.model, served.fingerprint) for one in others
        )
        self.known[served] = None
        if others and not same:
            self._say(f"earlier replies came from {others[-1]}, this one from {served}")

    def _say(self, change: str) -> None:
        if self.strict:
            raise JudgeError(f"{self.name}: {change}. --strict-model refuses that. {_ELSEWHERE}.")
        self._said += 1
        if self._said <= _MOST_SAID:
            _LOG.warning(
                "%s: %s. %s; --strict-model refuses such a change.", self.name, change, _ELSEWHERE
            )

    def listed(self) -> tuple[str, ...]:
        """Each in words, in order of the alphabet."""
        return tuple(sorted(map(str, self.known)))

    def models(self) -> str:
        """The models that answered, with commas between, where they are not the one asked for."""
        names = sorted({_name(one.model) for one in self.known if one.model})
        return "" if names in ([], [_name(self._model)]) else ",".join(names)


def _name(model: str) -> str:
    """A model's name as a signature can hold it."""
    return re.sub(r"[^\w./:@+-]", "_", model)[:100]
