"""Decides when a call is tried again, when a request has failed, and when a whole run is given up.

Waits double, with jitter, and are never shorter than the server asks. A fault of one request is told from
one of all by what came before: once the model has answered, a refusal concerns the prompt. After many
requests in a row with the same refusal, or three in a row that got nothing for all their tries, nothing more
is sent.
"""

from __future__ import annotations

import logging
import random
import re

from argue_bench.errors import JudgeError
from argue_bench.models.faults import Fault

_LOG = logging.getLogger(__name__)
# With waits that double from half a second to thirty: about a minute in all.
RETRIES = 7
# Until the first reply of a server: more likely a wrong address than a pause.
RETRIES_AT_FIRST = 2
# Requests in a row that may be refused for one reason.
MOST_REFUSED = 50
# Requests in a row that may be denied by a server that never answered: the key is likelier wrong.
MOST_DENIED = 3
# Requests in a row that got nothing for all their tries: the server is gone.
_MOST_LOST = 3
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
# Seconds from which a pause is said, once.
_WARNING_WAIT = 3.0
_PAUSED = "%s: %s; trying again after %.0f s, and so on at later faults"


class Patience:
    """The record of a server for the requests of one model. ``name`` and ``place`` go into
    messages."""

    def __init__(self, name: str, place: str, retries: int = RETRIES) -> None:
        self._name, self._place, self._retries = name, place, retries
        self.answered = False
        """Whether the model ever answered."""
        self._reached = self._warned = False
        self._lost = self._refused = 0
        self._reason = ""

    def note_answer(self) -> None:
        """The model answered a request: what was refused before was refused for itself."""
        self.answered = self._reached = True
        self._lost = self._refused = 0

    def pause(self, fault: Fault, reason: str, tries: int) -> float | None:
        """Seconds until the next try; None where the request has failed.

        ``tries``: how often it was sent. Raises JudgeError where no request can be answered any more.
        """
        if fault.kind == "stop":
            raise JudgeError(f"{self._name}: {reason}")
        self._reached |= not fault.unreached
        if fault.kind != "retry":
            self._count_refusal(fault, reason)
            return None
        retries = self._retries if self._reached else min(self._retries, RETRIES_AT_FIRST)
        if tries <= retries:
            wait: float = min(_FIRST_WAIT * 2 ** (tries - 1), _LONGEST_WAIT)
            pause = max(wait * random.uniform(0.5, 1.0), fault.wait or 0.0)
            if pause >= _WARNING_WAIT and not self._warned:
                self._warned = True
                _LOG.warning(_PAUSED, self._name, reason, pause)
            return pause
        self._lost += 1
        if self._lost >= _MOST_LOST:
            raise JudgeError(
                f"{self._name} at {self._place}: {_MOST_LOST} requests in a row got no reply, each "
                f"tried {tries} times; the last: {reason}"
            )
        return None

    def _count_refusal(self, fault: Fault, reason: str) -> None:
        kind = re.sub(r"\d+", "0", reason)[:80]
        self._refused = self._refused + 1 if kind == self._reason else 1
        self._reason = kind
        most = MOST_DENIED if fault.kind == "deny" and not self.answered else MOST_REFUSED
        if self._refused >= most:
            hint = (
                ". Is the key right, and does it allow this model?" if fault.kind == "deny" else ""
            )
            raise JudgeError(
                f"{self._name}: {self._refused} requests in a row were refused for one reason: "
                f"{reason}{hint}"
            )
