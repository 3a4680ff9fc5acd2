"""Which model answers? ``PROVIDER/MODEL`` or ``local:DIR``, with temperature, top-p and seed."""

from __future__ import annotations

import math
from collections.abc import Mapping

from argue_bench.errors import UsageError
from argue_bench.models.transport import Transport


def transport(
    spec: str,
    temperature: float = 0.0,
    top_p: float = 1.0,
    seed: int | None = None,
    known: Mapping[str, str] | None = None,
    requests: bool = True,
) -> Transport:
    """The model of a spec. ``known`` stands for the environment. Without ``asks`` it needs no key.

    Raises UsageError (a spec that is none, numbers out of range), JudgeError (no such provider, no key),
    MissingExtra, UnknownName and DataError (no such model on disk).
    """
    if not (math.isfinite(temperature) and 0 <= temperature <= 2 and 0 < top_p <= 1):
        raise UsageError("--temperature is from 0 to 2, --top-p above 0 and at most 1")
    if spec.startswith("local:"):
        from argue_bench.models.causal import CausalModel

        given = {"temperature": temperature, "top_p": top_p, "seed": seed or 0}
        usual = {"temperature": 0.0, "top_p": 1.0, "seed": 0}
        changed = [f"{name}={value}" for name, value in given.items() if value != usual[name]]
        return CausalModel(",".join([spec.removeprefix("local:"), *changed]))
    provider, slash, model = spec.partition("/")
    if not slash or not provider:
        raise UsageError(f"--model {spec}: write PROVIDER/MODEL or local:DIR")
    from argue_bench.models.chat import Chat, Decoding
    from argue_bench.models.providers import environment, estimating_environment

    if not requests:
        known = estimating_environment(provider, environment() if known is None else known)
    return Chat(provider, model, Decoding(temperature, seed, top_p=top_p), known=known)
