"""``generate``, ``systems`` and ``prompts``: what a participant makes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.evaluating.answers import DATA_HELP

if TYPE_CHECKING:
    from argue_bench.baselines.forms import PromptForm
    from argue_bench.baselines.generating import GenerationResult, Generator
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.models.transport import ChatRequest, Message, Transport

_ONLY_MODELS = (
    "prompt",
    "temperature",
    "top_p",
    "max_tokens",
    "limit",
    "seed",
    "ndoc",
    "shot",
    "context",
    "budget",
    "dry_run",
    "store",
    "run_id",
    "team_id",
    "reads",
)


@click.command()
@click.option("--on", default="core", show_default=True, help="Data set: a name or a folder.")
@click.option("--data", type=click.Path(path_type=Path), help=DATA_HELP)
@click.option("--split", default="", help="Split of the data set. [default: its first]")
@click.option(
    "--setting",
    type=click.Choice(["closedbook", "openbook", "evidenceprovided"]),
    default="openbook",
    show_default=True,
    help="What the system may look at.",
)
@click.option("--system", default="", help="A system that needs no model: argue-bench systems")
@click.option("--model", default="", metavar="SPEC", help="PROVIDER/MODEL or local:DIR.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Where to write.")
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    help="Where replies are kept. [default: OUT's name with .replies]",
)
@click.option(
    "--prompt",
    default="",
    help="A form (argue-bench prompts), a folder with one, or ALCE's FILE.json",
)
@click.option(
    "--reads",
    type=click.Choice(["text", "summary", "extraction"]),
    help="What of a document is shown; the form's by default.",
)
@click.option("--temperature", type=float, help="0 by default.")
@click.option("--top-p", type=float, help="Draw from the likeliest tokens of this share.")
@click.option("--max-tokens", type=int, help="The most tokens of a reply; the form's by default.")
@click.option("--limit", type=int, help="Ask the first questions only.")
@click.option("--seed", type=int, help="For demonstrations (42 by default), and for the model.")
@click.option("--ndoc", type=int, help="Documents or passages shown; the form's by default.")
@click.option("--shot", type=int, help="Demonstrations from dev; none by default.")
@click.option("--context", type=int, help="Tokens of prompt and reply together. [default: 16384]")
@click.option("--index", type=click.Path(path_type=Path), help="A folder to keep the index in.")
@click.option("--run-id", default="", help="In TREC reports. [default: OUT's name]")
@click.option("--team-id", default="", help="In TREC reports. [default: argue-bench]")
@click.option("--budget", type=float, metavar="USD", help="Never spend more than this.")
@click.option(
    "--dry-run", is_flag=True, help="Print a prompt and what all would cost; ask nothing."
)
def generate(
    on: str,
    data: Path | None,
    split: str,
    setting: str,
    system: str,
    model: str,
    out: Path,
    index: Path | None,
    **options: Any,
) -> None:
    """Write a submission file with a system's or a model's answers.

    A model's run can be stopped at any time and gone on with by the same command. Beside OUT it
    writes OUT.replies (what was sent and came back; --store shares one between runs, and what it has
    is not asked again) and OUT.about.json (model, prompt, tokens, cost, time).

    Example: argue-bench generate --on core --system bm25-extractive --out answers.jsonl

    Example: argue-bench generate --on core --model openai/gpt-4o-mini --out answers.jsonl
    """
    from argue_bench.loaders import load

    if bool(system) == bool(model):
        raise click.UsageError("give either --system NAME or --model SPEC")
    if system:
        given = [name for name in _ONLY_MODELS if options[name] not in (None, "", False)]
        if given:
            raise click.UsageError(f"--{given[0].replace('_', '-')} goes with --model")
        _by_system(load(on, split, data), setting, system, out, index)
        return
    dataset = load(on, split, data)
    _by_model(
        dataset, _pool(on, data, dataset, options["shot"]), setting, model, out, index, options
    )


def _by_system(dataset: Dataset, setting: str, system: str, out: Path, index: Path | None) -> None:
    from argue_bench.baselines import generate as answers
    from argue_bench.cli.progress import Progress
    from argue_bench.records.atomic import atomic_write

    with atomic_write(out) as file, Progress("answering", len(dataset)) as step:
        lines = answers(system, dataset, setting, index)  # type: ignore[arg-type]
        for done, line in enumerate(lines, 1):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            step(done)
    click.echo(f"{out}: {len(dataset)} answers of {system}, {setting}.", err=True)


def _by_model(
    dataset: Dataset,
    pool: Dataset | None,
    setting: str,
    model: str,
    out: Path,
    index: Path | None,
    options: dict[str, Any],
) -> None:
    from argue_bench.baselines.generating import Generator, open_model
    from argue_bench.baselines.prompter import Prompter, PromptOptions
    from argue_bench.cli.progress import Progress

    chosen = _form(dataset, setting, options)
    turned = {
        name: options[name]
        for name in ("ndoc", "shot", "seed", "max_tokens", "context")
        if options[name] is not None
    }
    prompter = Prompter(dataset, setting, chosen, PromptOptions(**turned), pool, index)  # type: ignore[arg-type]
    temperature, top_p = options["temperature"] or 0.0, options["top_p"]
    transport = open_model(
        model,
        temperature,
        1.0 if top_p is None else top_p,
        options["seed"],
        requests=not options["dry_run"],
    )
    generator = Generator(
        dataset,
        prompter,
        transport,
        out,
        options["limit"],
        options["store"],
        options["run_id"],
        options["team_id"],
    )
    if options["dry_run"]:
        _show_dry_run(generator, transport, prompter.max_tokens)
        return
    _pay(transport, options["budget"])
    with Progress("answering", generator.result.questions) as step:
        made = asyncio.run(generator.run(step))
    _show(made, out, len(dataset))


def _form(dataset: Dataset, setting: str, options: dict[str, Any]) -> PromptForm:
    from argue_bench.baselines.alce_prompt import alce_prompt
    from argue_bench.baselines.forms import default_form, load_form

    named, reads = options["prompt"], options["reads"]
    if named.endswith(".json"):
        ndoc = 0 if setting == "closedbook" else options["ndoc"]
        drawn = {name: options[name] for name in ("shot", "seed") if options[name] is not None}
        return alce_prompt(Path(named), reads or "text", ndoc, **drawn)
    requests = any(question.request for question in dataset)
    chosen = load_form(named) if named else default_form(dataset.name, setting, requests)  # type: ignore[arg-type]
    return replace(chosen, reads=reads) if reads else chosen


def _pay(transport: Transport, budget: float | None) -> None:
    from argue_bench.models.budget import Budget
    from argue_bench.models.chat import Chat

    if budget is not None and isinstance(transport, Chat):
        transport.set_budget(Budget(budget))


def _pool(on: str, data: Path | None, dataset: Dataset, shot: int | None) -> Dataset | None:
    """Where demonstrations come from: the set's dev split, else the set itself."""
    from argue_bench.loaders import DATASETS, load

    if not shot:
        return None
    if on in DATASETS and "dev" in DATASETS[on].splits and dataset.split != "dev":
        return load(on, "dev", data)
    return dataset


def _show_dry_run(generator: Generator, transport: Transport, max_tokens: int) -> None:
    from argue_bench.baselines.prompter import SHORTENED
    from argue_bench.cli.progress import Progress
    from argue_bench.models.budget import Price
    from argue_bench.models.reply import CHARACTERS_A_TOKEN

    with Progress("writing prompts", generator.result.questions) as step:
        size = left_out = inserted = 0
        first: Sequence[Message] = ()
        before: set[ChatRequest] = set()
        for one, texts in generator.prompts(step):
            first = first or one.request.messages
            size += _size(one.request)
            left_out += one.left_out
            inserted += len(texts) * SHORTENED
            before.update(texts)
    for message in first:
        click.echo(click.style(f"--- {message.role}", dim=True))
        click.echo(message.text)
    count = generator.result.questions
    size += sum(map(_size, before))
    tokens_in = -(-size // CHARACTERS_A_TOKEN) + inserted
    tokens_out = max_tokens * count + SHORTENED * len(before)
    price = getattr(transport, "price", None)
    cost = "price unknown"
    if isinstance(price, Price):
        cost = f"price at most ${price.of(tokens_in, tokens_out):.2f}"
    click.echo(
        f"\n{count} prompts like this one for {transport.name}"
        + (f", and {len(before)} documents to shorten first" if before else "")
        + f": about {tokens_in:,} tokens to read, at most {tokens_out:,} to write; {cost}."
        + (f" {left_out} documents do not fit into --context." if left_out else "")
        + " Nothing was asked."
    )


def _size(request: ChatRequest) -> int:
    return sum(len(message.text) for message in request.messages)


def _show(made: GenerationResult, out: Path, all_of_set: int) -> None:
    told = [f"{made.answered} of {made.questions} questions answered"]
    if made.questions < all_of_set:
        told.append(f"the set has {all_of_set:,}, and a submission needs all of them")
    if made.empty:
        told.append(f"{len(made.empty)} replies empty or web pages, twice: {_few(made.empty)}")
    if made.cut_by_model:
        told.append(f"{made.cut_by_model} replies ended at --max-tokens")
    if made.cut_to_limit:
        told.append(f"{made.cut_to_limit} answers shortened to the request's limit")
    if made.documents_left_out:
        told.append(f"{made.documents_left_out} documents did not fit into --context")
    cost = "price unknown" if made.cost is None else f"${made.cost:.4f}"
    click.echo(
        f"{out}: {'; '.join(told)}. {made.tokens_in + made.tokens_out:,} tokens, {cost}.", err=True
    )
    if made.failed:
        for id, reason in list(made.failed.items())[:5]:
            click.echo(f"  {id}: {reason}", err=True)
        click.echo(
            f"{len(made.failed)} questions have no answer and no line in the file. The same command "
            "asks for them again.",
            err=True,
        )
    if made.failed or not made.answered:
        raise SystemExit(3)


def _few(ids: list[str]) -> str:
    return ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")


@click.command()
def systems() -> None:
    """List the systems that need no model.

    Example: argue-bench systems
    """
    from argue_bench.baselines import BASELINES
    from argue_bench.table import aligned

    for line in aligned([(name, known.summary) for name, known in BASELINES.items()]):
        click.echo(line)


@click.command()
@click.option("--copy", "named", metavar="NAME", help="Copy this form into --to, to change it.")
@click.option("--to", type=click.Path(path_type=Path), help="A new folder for the copy.")
def prompts(named: str | None, to: Path | None) -> None:
    """List the forms in which questions are put to models, or copy one.

    Example: argue-bench prompts --copy report --to my-report
    """
    from argue_bench.baselines.forms import copy_form, shipped_forms
    from argue_bench.table import aligned

    if bool(named) != bool(to):
        raise click.UsageError("--copy NAME and --to FOLDER go together")
    if named and to:
        copy_form(named, to)
        click.echo(f"{to}: change it, then use it: --prompt {to}", err=True)
        return
    for line in aligned([(one.name, one.summary) for one in shipped_forms().values()]):
        click.echo(line)
