"""The judges by name: ``lexical``, ``recorded:FILE``, ``panel:lexical+recorded:FILE``.

A spec names a judge on the command line, in Python and in column heads. `as_judge` makes a judge of
whatever the user handed over; `create_judge` makes one of a spec that a file holds, and imports nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from argue_bench import satellites
from argue_bench.errors import ArgueBenchError, UnknownName, UsageError
from argue_bench.errors.extensions import accepts, import_object, is_import_name
from argue_bench.judges.base import Counts, ForeignJudge, Judge, Reply
from argue_bench.judges.functions import FunctionJudge, JudgeFunction
from argue_bench.models.budget import Budget

__all__ = [
    "Counts",
    "FunctionJudge",
    "Judge",
    "JudgeFunction",
    "Reply",
    "as_judge",
    "create_judge",
    "find_judge",
    "is_paid",
    "list_judges",
    "members",
    "names_provider",
    "refuse_import",
    "servers_of",
    "stop",
]

_PARTS = ("kinds", "judge")


@dataclass(frozen=True)
class JudgeEntry:
    """One line of the list of judges, with the form of its spec."""

    summary: str
    spec: str
    # ``module:name`` below `argue_bench`, of a function from the rest of the spec to a judge.
    factory: str
    paid: bool = False
    # Whether the function takes the whole spec.
    whole: bool = False

    def create(self, spec: str) -> Judge:
        """The judge of a spec of this form; its module is imported now, not before."""
        make = satellites.import_text(self.factory)
        return cast("Judge", make(spec if self.whole else spec.partition(":")[2]))


_LOCAL = (
    (
        "lexical",
        "judges.lexical:Lexical.from_spec",
        "compares words, numbers, names and negation; offline, deterministic, the default",
    ),
    (
        "recorded:FILE",
        "judges.recorded:Recorded.from_file",
        "verdicts from a file: people's labels, replays of other judges; anything else fails",
    ),
    (
        "nli:MODEL",
        "judges.pairs:nli_judge",
        "entailment by a model on disk: DeBERTa-style classifiers, T5 as in ALCE",
    ),
    ("local:DIR", "judges.prompted.spec:local", "a chat model on disk, sent each judge request"),
    (
        "panel:A+B+C",
        "judges.combined:Panel.from_spec",
        "the majority of several judges; median of numbers",
    ),
    (
        "cascade:A>B",
        "judges.combined:Cascade.from_spec",
        "the second judge only where the first one may be wrong: cascade:lexical>PROVIDER/MODEL",
    ),
)


def _local_judges() -> dict[str, JudgeEntry]:
    return {
        spec.partition(":")[0]: JudgeEntry(summary, spec, factory)
        for spec, factory, summary in (*_LOCAL, *satellites.JUDGES)
        if satellites.is_here(factory)
    }


def list_judges() -> dict[str, JudgeEntry]:
    """Every judge by the first word of its spec; the user's own providers are among them.

    Raises DataError for a file of providers with errors.
    """
    from argue_bench.models.folder import fetched_models
    from argue_bench.models.providers import list_providers

    fetched = {
        name: JudgeEntry(
            f"a published model that checks claims; {one.figure}; fetched by judge get {name}",
            name,
            "judges.pairs:nli_judge",
            whole=True,
        )
        for name, one in fetched_models().items()
    }
    return (
        _local_judges()
        | fetched
        | {
            name: JudgeEntry(
                f"a chat model, sent each judge request: {provider.summary}",
                f"{name}/MODEL",
                "judges.prompted.spec:chat",
                paid=provider.paid,
                whole=True,
            )
            for name, provider in list_providers().items()
        }
    )


def members(spec: str) -> list[str]:
    """The specs of the members of a panel or cascade, and theirs; of another judge its own."""
    name, _, rest = spec.partition(":")
    if name not in ("panel", "cascade"):
        return [spec]
    parts = rest.split("+" if name == "panel" else ">")
    return [one for part in filter(None, parts) for one in members(part)]


def _is_outside(spec: str) -> bool:
    """Whether a spec names a judge outside the package, ``module:name``."""
    if ":" not in spec or not is_import_name(spec) or spec.partition(":")[0] in _local_judges():
        return False
    return spec.partition(":")[0] not in list_judges()


def names_provider(spec: str) -> bool:
    """Whether a spec, or a member of a panel, has the form of a provider's model."""
    heads = (one.partition("/") for one in members(spec))
    return any(slash and ":" not in provider for provider, slash, _ in heads)


def find_judge(spec: str) -> JudgeEntry:
    """The entry of the list that a spec names; imports nothing. Raises UnknownName."""
    if _is_outside(spec):
        return JudgeEntry("a judge outside the package", spec, "")
    # A slash before any colon: PROVIDER/MODEL; else NAME:REST.
    name = re.split("[:/,]", spec, maxsplit=1)[0]
    slash = spec[len(name) :].startswith("/")
    # Providers are looked up only where one may be meant: that reads their tables.
    judges = _local_judges()
    if slash or name not in judges:
        judges = list_judges()
    if name in judges and ("/" in judges[name].spec) == slash:
        return judges[name]
    if slash:
        from argue_bench.models.providers import find_provider

        find_provider(name)  # raises an error that lists them
    if name in judges and "/" in judges[name].spec:
        raise UsageError(f"{name} is a provider: name a model of it, {name}/MODEL")
    see = "argue-bench list judges. A language model is named PROVIDER/MODEL, such as openai/gpt-4o-mini"
    raise UnknownName("judge", name, tuple(judges), see=see)


def is_paid(spec: str) -> bool:
    """Whether a judge, or a member of a panel, may cost money. Raises UnknownName."""
    find_judge(spec)
    return any(find_judge(one).paid for one in members(spec))


def create_judge(spec: str) -> Judge:
    """The judge that a spec names; one that would have to be imported is refused.

    For specs that the user gave there is `as_judge`; this is for specs that were read from a file.
    Raises UnknownName, UsageError, MissingExtra, DataError, or JudgeError (unknown provider, no key).
    """
    refuse_import(spec)
    return as_judge(spec)


def refuse_import(spec: str) -> None:
    """Raises UsageError where a spec names a judge outside the package, ``module:name``.

    A file must not decide what code is run: a season.json or run file may come from a stranger.
    """
    for one in members(spec):
        if _is_outside(one):
            raise UsageError(
                f"the judge {one!r} is code outside the package, which a file cannot name; "
                f"name it yourself: --judge {one}"
            )


def as_judge(
    given: str | Judge | JudgeFunction,
    *,
    budget: float | Budget | None = None,
) -> Judge:
    """The judge of a spec, a judge, or a function from a judge request to a verdict.

    A spec may be ``module:name``, which is imported: a function, a judge, or a class or function
    without parameters that makes one. ``budget``: the most US dollars that it may spend, or a `Budget` that
    several judges share.

    Raises UnknownName, UsageError, MissingExtra, DataError, or JudgeError (unknown provider, no key, a budget
    for a model without a price).
    """
    if not isinstance(given, str):
        judge = _as_judge(given, f"judge={given!r:.80}")
    elif _is_outside(given):
        judge = _as_judge(import_object(given, "judge"), given)
    else:
        judge = find_judge(given).create(given)
    if budget is not None:
        judge.set_budget(budget if isinstance(budget, Budget) else Budget(budget))
    return judge


def _as_judge(given: Any, name: str) -> Judge:
    """An object that is a judge, a function, or a class or function that makes a judge."""
    if isinstance(given, type) or (callable(given) and not accepts(given, None)):
        if not accepts(given):
            raise UsageError(f"{name}: a judge function takes one argument, the judge request")
        try:
            given = given()
        except Exception as error:
            raise UsageError(f"{name} raised {type(error).__name__}: {error}") from error
    if callable(given) and not hasattr(given, "judge"):
        return FunctionJudge(given)
    if missing := [part for part in _PARTS if not hasattr(given, part)]:
        raise UsageError(
            f"{name} is neither a function nor a judge, which has {', '.join(_PARTS)}: "
            f"it lacks {', '.join(missing)}"
        )
    return given if isinstance(given, Judge) else ForeignJudge(given)


def stop_requests(judge: Judge, error: ArgueBenchError) -> bool:
    """Tells the models behind a judge to send nothing more; returns whether any of them can do so.

    What is under way comes in, then the judge raises the error.
    """
    models = [model.transport for model in judge.language_models()]
    stopping = [ask for model in models if (ask := getattr(model, "stop", None))]
    for ask in stopping:
        ask(error)
    return bool(stopping)


def servers_of(judges: Iterable[Judge]) -> dict[str, tuple[str, ...]]:
    """By language model: those that answered for it so far, in words."""
    models = {model.transport.name: model for one in judges for model in one.language_models()}
    listed = {name: models[name].servers.listed() for name in sorted(models)}
    return {name: some for name, some in listed.items() if some}
