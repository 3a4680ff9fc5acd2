"""The servers and models that answered for a judge.

A store answers for the judge of a name. If another model or build answers there than before, its verdicts are
another model's: the user is told so once.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable

from argue_bench.models.transport import Served

_LOG = logging.getLogger(__name__)


class Servers:
    """The servers that answered for one model, in the order of their first reply."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.known: dict[Served, None] = {}
        self._told = False

    def recall(self, earlier: Iterable[Served]) -> None:
        """Adds the servers of the verdicts in a store."""
        self.known = {**dict.fromkeys(earlier), **self.known}

    def meet(self, served: Served) -> None:
        """Adds the server of a reply."""
        if served in self.known:
            return
        builds = {(one.model, one.fingerprint) for one in self.known}
        if builds and (served.model, served.fingerprint) not in builds and not self._told:
            self._told = True
            _LOG.warning(
                "%s: earlier replies came from %s, this one from %s. Another --store keeps them apart.",
                self._name,
                list(self.known)[-1],
                served,
            )
        self.known[served] = None

    def listed(self) -> tuple[str, ...]:
        """Each in words, in order of the alphabet."""
        return tuple(sorted(map(str, self.known)))

    def models(self) -> str:
        """The models that answered, with commas between, where they are not the one asked for."""
        names = sorted({_as_name(one.model) for one in self.known if one.model})
        return "" if names in ([], [_as_name(self._name.partition("/")[2])]) else ",".join(names)


def _as_name(model: str) -> str:
    """A model's name as a signature can hold it."""
    return re.sub(r"[^\w./:@+-]", "_", model)[:100]
