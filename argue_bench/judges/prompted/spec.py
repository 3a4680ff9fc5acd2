"""``PROVIDER/MODEL,option=value,...`` and ``local:DIR,option=value,...`` as judges.

What changes verdicts is in the spec, and so in the judge's name and identity. What does not, is in the
environment: the address, the key, the number of requests at once, the price.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import cast

from argue_bench.judges.prompted.calls import CallMode
from argue_bench.judges.prompted.judge import Prompted
from argue_bench.judges.prompted.prompts import Prompts, prompts_from
from argue_bench.models.folder import SETTINGS, read_options
from argue_bench.models.transport import Transport

_LOG = logging.getLogger(__name__)
_WHOLE = ("[0-9]{1,9}", "a whole number from 0 up")
# The options with the form of their values, as an expression and in words: those of prompts, and of a provider's
# model.
_OF_PROMPTS = {
    "asking": ("single|batched", "single (one request a call) or batched (all on one sentence)"),
    "prompts": (".+", "a folder of templates, or Auto-ARGUE's prompt configuration"),
    "max_tokens": _WHOLE,
    "reasons": ("yes|no", "yes (a reason before each verdict) or no"),
}
OPTIONS = {
    **_OF_PROMPTS,
    "temperature": (r"[0-2]\.?|[01]?\.[0-9]+|2\.0+", "a number from 0 to 2"),
    "seed": _WHOLE,
    "effort": ("minimal|low|medium|high", "minimal, low, medium or high"),
}


def chat(spec: str, *, requests: bool = True, known: Mapping[str, str] | None = None) -> Prompted:
    """The judge of ``PROVIDER/MODEL,...``. Without ``requests`` it needs no key and only estimates.

    ``known`` replaces the environment.

    Raises JudgeError (provider, key, base URL), UsageError and BadPrompts.
    """
    from argue_bench.models.chat import Chat, Decoding
    from argue_bench.models.environment import environment
    from argue_bench.models.providers import estimating_environment

    head, options = read_options(spec, OPTIONS)
    provider, _, model = head.partition("/")
    decoding = Decoding(
        float(options.get("temperature", 0)),
        int(options["seed"]) if "seed" in options else None,
        options.get("effort", ""),
    )
    known = environment() if known is None else known
    known = known if requests else estimating_environment(provider, known)
    return _prompted(Chat(provider, model, decoding, known=known), options)


def for_estimates(spec: str, *, requests: bool = False) -> list[Prompted]:
    """The models of providers that a spec names, a panel's too, to estimate what they would cost.

    Raises what `chat` raises, without ``requests`` but for missing keys.
    """
    if spec.startswith("panel:"):
        return [
            model for one in spec[6:].split("+") for model in for_estimates(one, requests=requests)
        ]
    if spec.startswith("cascade:"):
        from argue_bench.judges import as_judge
        from argue_bench.judges.combined import Cascade, split_spec

        first, second, bounds = split_spec(spec[8:])
        models = for_estimates(second, requests=requests)
        for model in models if first == "lexical" else ():
            model.asked_of = Cascade(as_judge(first), model, bounds).asked
        return models
    provider, slash, _ = spec.partition("/")
    return [chat(spec, requests=requests)] if slash and ":" not in provider else []


def local(spec: str) -> Prompted:
    """The judge of ``local:DIR,...``; options that do not concern prompts are the model's."""
    from argue_bench.models.causal import SAMPLING, CausalModel

    head, options = read_options(spec, {**_OF_PROMPTS, **SETTINGS, **SAMPLING})
    own = (f"{name}={value}" for name, value in options.items() if name not in _OF_PROMPTS)
    return _prompted(CausalModel(",".join([head, *own])), options)


def _prompted(transport: Transport, options: dict[str, str]) -> Prompted:
    prompts: Prompts | None = None
    if "prompts" in options:
        prompts = prompts_from(Path(options["prompts"]).expanduser())
        _warn_of_unused(options["prompts"], prompts.unused)
    return Prompted(
        transport,
        prompts,
        cast(CallMode, options.get("asking", "single")),
        int(options.get("max_tokens", 0)),
        reasons=options.get("reasons") == "yes",
    )


@cache  # once for each file
def _warn_of_unused(file: str, unused: str) -> None:
    if unused:
        _LOG.warning(
            "%s: %s is not used: here a document is relevant to a nugget's answer, not to the "
            "sentence that cites it. Word that anew in a folder with Relevant.toml.",
            file,
            unused,
        )
