"""``PROVIDER/MODEL,option=value,...`` and ``local:DIR,option=value,...`` as judges.

What moves verdicts stands in the spec, and so in the judge's name and identity; where the model answers,
under which key, how many requests at once and at what price stands in the environment.
"""

from __future__ import annotations

import logging
import math
from functools import cache
from pathlib import Path

from argue_bench.errors import UnknownName, UsageError
from argue_bench.judges.prompted.calls import CallMode
from argue_bench.judges.prompted.judge import Prompted
from argue_bench.judges.prompted.prompts import Prompts, prompts_from
from argue_bench.models.transport import Transport

_LOG = logging.getLogger(__name__)
OPTIONS = {
    "asking": "single (one call an ask) or batched (one call for all asks about a sentence)",
    "prompts": "a folder of templates, or Auto-ARGUE's prompt configuration",
    "max_tokens": "the most tokens of a reply",
    "temperature": "0 unless said otherwise",
    "seed": "a number, for models that take one",
    "effort": "how long a reasoning model thinks: low, medium, high",
}
OF_PROMPTS = ("asking", "prompts", "max_tokens")
_MOST = 10**9
_HOTTEST = 2.0


def read_options(text: str) -> tuple[str, dict[str, str]]:
    """What stands before the options, and the options. Raises UsageError and UnknownName."""
    parts = text.split(",")
    given: dict[str, str] = {}
    while len(parts) > 1 and "=" in parts[-1]:
        name, _, value = (part.strip() for part in parts.pop().partition("="))
        if name not in OPTIONS:
            raise UnknownName("option of a judge", name, tuple(OPTIONS))
        if name in given:
            raise UsageError(f"{name} was given twice")
        given[name] = value
    return ",".join(parts), given


def chat(spec: str, *, requests: bool = True) -> Prompted:
    """The judge of ``PROVIDER/MODEL,...``. Without ``asks`` it needs no key and can only estimate.

    Raises JudgeError (provider, key, base URL), UsageError and BadPrompts.
    """
    from argue_bench.models.chat import Chat, Decoding
    from argue_bench.models.providers import environment, estimating_environment

    head, options = read_options(spec)
    provider, _, model = head.partition("/")
    decoding = Decoding(
        _temperature(options.get("temperature", "0")),
        _whole("seed", options["seed"]) if "seed" in options else None,
        _effort(options.get("effort", "")),
    )
    known = environment() if requests else estimating_environment(provider, environment())
    return prompted(Chat(provider, model, decoding, known=known), options)


def for_estimates(spec: str, *, requests: bool = False) -> list[Prompted]:
    """The models of providers that a spec names, a panel's too, to estimate what they would cost.

    Raises what `chat` raises, without ``asks`` but for missing keys.
    """
    if spec.startswith("panel:"):
        return [
            model for one in spec[6:].split("+") for model in for_estimates(one, requests=requests)
        ]
    provider, slash, _ = spec.partition("/")
    return [chat(spec, requests=requests)] if slash and ":" not in provider else []


def local(spec: str) -> Prompted:
    """The judge of ``local:DIR,...``: options of the prompts here, all others are the model's."""
    from argue_bench.models.causal import CausalModel

    parts = spec.split(",")
    options: dict[str, str] = {}
    models: list[str] = []
    while len(parts) > 1 and "=" in parts[-1]:
        part = parts.pop()
        name, _, value = part.partition("=")
        if name.strip() in OF_PROMPTS:
            options[name.strip()] = value.strip()
        else:
            models.insert(0, part)
    return prompted(CausalModel(",".join([*parts, *models])), options)


def prompted(transport: Transport, options: dict[str, str]) -> Prompted:
    """A judge over any transport, by the options that concern its prompts."""
    asking = options.get("asking", "single")
    if asking not in ("single", "batched"):
        raise UsageError(f"asking={asking}: expected single or batched")
    form: CallMode = "batched" if asking == "batched" else "single"
    prompts: Prompts | None = None
    if "prompts" in options:
        prompts = prompts_from(Path(options["prompts"]).expanduser())
        _tell_unused(options["prompts"], prompts.unused)
    limit = _whole("max_tokens", options["max_tokens"]) if "max_tokens" in options else 0
    return Prompted(transport, prompts, form, limit)


@cache
def _tell_unused(file: str, unused: str) -> None:
    """Once for each file."""
    if unused:
        _LOG.warning(
            "%s: %s is not used: here a document is relevant to a nugget's answer, not to the "
            "sentence that cites it. Word that anew in a folder with Relevant.toml.",
            file,
            unused,
        )


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) < _MOST):
        raise UsageError(f"{name}={text} is not a whole number from 0 up")
    return int(text)


def _temperature(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= _HOTTEST:
        raise UsageError(f"temperature={text} is not a number from 0 to 2")
    return value


def _effort(text: str) -> str:
    if text not in ("", "minimal", "low", "medium", "high"):
        raise UsageError(f"effort={text}: expected minimal, low, medium or high")
    return text
