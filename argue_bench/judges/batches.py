"""Judges that send prompts in batches, at half the price, or write them to files for others to
answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from argue_bench.errors import UsageError
from argue_bench.judges import language_models
from argue_bench.judges.base import Judge
from argue_bench.models.batches import POLL_SECONDS, ApiChat, FileChat, SentChat
from argue_bench.models.chat import Chat
from argue_bench.store.batches import Batches


@dataclass(frozen=True)
class Batching:
    """How prompts are sent in batches: through the provider's Batch API, or as files of ``folder``.

    ``say`` is told what becomes of each batch; the API is asked every so many ``seconds``.
    """

    folder: Path | None = None
    say: Callable[[str], None] = logging.getLogger(__name__).info
    seconds: float = POLL_SECONDS

    def transport(self, chat: Chat, batches: Batches) -> SentChat:
        """The model, asked in batches, which ``batches`` keeps in mind. Raises UsageError."""
        if self.folder is not None:
            return FileChat(chat, self.folder, self.say)
        return ApiChat(chat, batches, self.say, self.seconds)


@contextmanager
def sent_in_batches(judges: Iterable[Judge], batches: Batches, how: Batching) -> Iterator[None]:
    """Lets all models of providers among the judges, and in panels, be asked in batches, which are
    forgotten once all that they brought was used.

    Raises UsageError where there is no such model, or one that cannot be asked so.
    """
    found = {
        id(model): (model, model.transport)
        for judge in judges
        for model in language_models(judge)
        if isinstance(model.transport, Chat)
    }
    if not found:
        raise UsageError("no judge of this run is a provider's model, so there is nothing to batch")
    sending: dict[int, SentChat] = {}
    for judge, chat in found.values():  # judges of one model in several orders share its chat
        if id(chat) not in sending:
            sending[id(chat)] = how.transport(chat, batches)
        judge.send_through(sending[id(chat)])
    yield
    batches.clear()


def charge_for_batches(judges: Iterable[Judge]) -> None:
    """Lets the judges estimate what batches cost."""
    charged: set[int] = set()
    for model in (model for judge in judges for model in language_models(judge)):
        if isinstance(chat := model.transport, Chat) and chat.price is not None:
            if id(chat) not in charged:
                chat.price = chat.price.in_batches()
                charged.add(id(chat))
            model.send_through(chat)
