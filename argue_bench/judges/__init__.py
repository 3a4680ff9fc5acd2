"""Whoever gives verdicts, by name: ``lexical``, ``recorded:FILE``, ``panel:lexical+recorded:FILE``.

A spec names a judge on the command line, in Python and in column heads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from argue_bench.errors import UnknownName, UsageError
from argue_bench.judges.base import Counts, Judge, Reply
from argue_bench.models.budget import Budget
from argue_bench.models.providers import PROVIDERS, find_provider
from argue_bench.records import JudgeRequest

__all__ = [
    "JUDGES",
    "Counts",
    "Judge",
    "Reply",
    "costs",
    "create",
    "default_of",
    "dropped_parameters",
    "known",
    "set_budget",
]


@dataclass(frozen=True)
class Known:
    """One line of the list of judges. ``create`` is given what stands after the colon."""

    summary: str
    spec: str
    create: Callable[[str], Judge]
    paid: bool = False


def _lexical(rest: str) -> Judge:
    from argue_bench.judges.lexical import Lexical

    if rest:
        raise UsageError(f"the judge 'lexical' takes nothing after a colon, here: {rest!r}")
    return Lexical()


def _recorded(rest: str) -> Judge:
    from argue_bench.judges.recorded import Recorded

    return Recorded.from_file(rest)


def _panel(rest: str) -> Judge:
    from argue_bench.judges.panel import Panel

    return Panel([create(spec) for spec in rest.split("+")])


def _nli(rest: str) -> Judge:
    from argue_bench.judges.nli import nli

    return nli(rest)


def _qa(rest: str) -> Judge:
    from argue_bench.judges.extractive import qa

    return qa(rest)


def _bleurt(rest: str) -> Judge:
    from argue_bench.judges.bleurt import bleurt

    return bleurt(rest)


def _local(rest: str) -> Judge:
    from argue_bench.judges.prompted.spec import local

    return local(rest)


def _chat(provider: str) -> Callable[[str], Judge]:
    def create(rest: str) -> Judge:
        from argue_bench.judges.prompted.spec import chat

        return chat(f"{provider}/{rest}")

    return create


JUDGES: dict[str, Known] = {
    "lexical": Known(
        "compares words, numbers, names and negation; offline, deterministic, the default",
        "lexical",
        _lexical,
    ),
    "recorded": Known(
        "verdicts from a file: people's labels, replays of other judges; anything else fails",
        "recorded:FILE",
        _recorded,
    ),
    "nli": Known(
        "entailment by a model on disk: DeBERTa-style classifiers, T5 as in ALCE",
        "nli:MODEL",
        _nli,
    ),
    "qa": Known(
        "the words that answer a question, by a model on disk trained on SQuAD",
        "qa:MODEL",
        _qa,
    ),
    "bleurt": Known(
        "how alike two texts are, by BLEURT on disk",
        "bleurt:MODEL",
        _bleurt,
    ),
    "local": Known(
        "a chat model on disk reads each ask in a prompt",
        "local:DIR",
        _local,
    ),
    "panel": Known(
        "the majority of several judges; the median of numbers",
        "panel:A+B+C",
        _panel,
    ),
    **{
        provider.name: Known(
            f"a chat model, asked in prompts: {provider.summary}",
            f"{provider.name}/MODEL",
            _chat(provider.name),
            paid=not provider.keyless,
        )
        for provider in PROVIDERS.values()
    },
}


def _parts(spec: str) -> tuple[str, str]:
    """Name and rest. A slash before any colon: ``PROVIDER/MODEL``; else ``NAME:REST``."""
    name, mark, _ = spec.partition(":")
    provider, slash, model = spec.partition("/")
    if slash and len(provider) < len(name):
        return provider, model
    return name, spec[len(name) + len(mark) :]


def known(spec: str) -> Known:
    """The line of the list that a spec means. Raises UnknownName."""
    name, _ = _parts(spec)
    if name in JUDGES and (name in PROVIDERS) == (spec[len(name) :][:1] == "/"):
        return JUDGES[name]
    if spec[len(name) :].startswith("/"):
        find_provider(name)  # says which there are
    if name in PROVIDERS:
        raise UsageError(f"{name} is a provider: name a model of it, {name}/MODEL")
    raise UnknownName("judge", name, tuple(JUDGES), see="argue-bench judges")


def costs(spec: str) -> bool:
    """Whether a judge, or a member of a panel, may cost money. Raises UnknownName."""
    if known(spec).paid:
        return True
    name, _, rest = spec.partition(":")
    return name == "panel" and any(map(costs, filter(None, rest.split("+"))))


def create(spec: str) -> Judge:
    """The judge that a spec names.

    Raises UnknownName, UsageError, MissingExtra, DataError, or JudgeError (no such provider, no key).
    """
    return known(spec).create(_parts(spec)[1])


def set_budget(judge: Judge, budget: Budget) -> None:
    """Lets a judge, and all members of a panel, pay from one budget; those that cost nothing don't.

    Raises JudgeError where a model's price is not known.
    """
    for member in getattr(judge, "members", ()):
        set_budget(member, budget)
    if (pay := getattr(judge, "set_budget", None)) is not None:
        pay(budget)


def default_of(judge: Judge, kind: type[JudgeRequest]) -> str | None:
    """What ``--on-failure default`` fills in for a failed ask: the judge's own, else ARGUE's, if any."""
    own: Mapping[type[JudgeRequest], str] = getattr(judge, "defaults", {})
    return own.get(kind, kind.default)


def dropped_parameters(judge: Judge) -> dict[str, str]:
    """What went otherwise than the judge's identity says, as it was learnt while asking."""
    found = {
        f"{number}.{key}": value
        for number, member in enumerate(getattr(judge, "members", ()), 1)
        for key, value in dropped_parameters(member).items()
    }
    if (own := getattr(judge, "dropped_parameters", None)) is not None:
        found.update(own())
    return found
