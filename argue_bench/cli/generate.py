"""``argue-bench generate``: a submission file with the answers of a baseline or a model."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from argue_bench import satellites
from argue_bench.cli.commands import ADVANCED, as_field, command, option, options
from argue_bench.cli.options import (
    PATH,
    SETTINGS,
    DatasetOptions,
    budget_option,
    dataset_options,
    dry_run_option,
)
from argue_bench.cli.progress import progress
from argue_bench.models.budget import Budget, Price

if TYPE_CHECKING:
    from argue_bench.baselines import Setting
    from argue_bench.baselines.forms import Prompter, PromptForm, Reads
    from argue_bench.baselines.generating import GenerationResult, Generator
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.models.transport import Message, Transport


@dataclass(frozen=True)
class ModelOptions:
    """What goes with --model alone."""

    prompt: str = as_field(
        option(
            default="",
            group="Model",
            help="A form (argue-bench list prompts), a folder with one, or ALCE's FILE.json.",
        )
    )
    ndoc: int | None = as_field(
        option(type=int, group="Model", help="Number of documents to show. [default: the form's]")
    )
    limit: int | None = as_field(
        option(type=int, group="Model", help="Answer only this many questions, the first ones.")
    )
    budget: float | None = as_field(
        budget_option.but(
            group="Model",
            help="Stop before the model has cost more US dollars.",
            envvar=None,
            callback=None,
        )
    )
    dry_run: bool = as_field(
        dry_run_option.but(group="Model", help="Print one prompt and the cost of all; send none.")
    )
    reads: Reads | None = as_field(
        option(
            type=click.Choice(["text", "summary", "extraction"]),
            group=ADVANCED,
            help="Which part of each document to show. [default: the form's]",
        )
    )
    temperature: float | None = as_field(
        option(type=float, group=ADVANCED, help="Sampling temperature of the model. [default: 0]")
    )
    max_tokens: int | None = as_field(
        option(type=int, group=ADVANCED, help="Most tokens in a reply. [default: the form's]")
    )
    seed: int | None = as_field(
        option(
            type=int,
            group=ADVANCED,
            help="Seed of the model, and of the demonstrations drawn from ALCE's prompt file. [default: 42 for these]",
        )
    )
    shot: int | None = as_field(
        option(
            type=int,
            group=ADVANCED,
            help="Number of demonstrations from ALCE's prompt file. [default: none]",
        )
    )
    context: int | None = as_field(
        option(
            type=int,
            group=ADVANCED,
            help="Most tokens in prompt and reply together. [default: 16384]",
        )
    )

    def given(self, *names: str) -> dict[str, int]:
        """Those of these options that were given."""
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@command("generate")
@dataset_options()
@option(
    "--setting",
    type=click.Choice(SETTINGS),
    default="openbook",
    group="Input",
    help="Setting: which documents the system may read.",
)
@option("--system", default="", group="System", help="A baseline: argue-bench list baselines")
@option(
    "--model",
    default="",
    metavar="SPEC",
    group="System",
    help="Language model: PROVIDER/MODEL or local:DIR.",
)
@options("asking", ModelOptions)
@option("--out", type=PATH, required=True, group="Output", help="The file of answers.")
def generate_command(
    chosen: DatasetOptions,
    setting: Setting,
    system: str,
    model: str,
    asking: ModelOptions,
    out: Path,
) -> None:
    """Write a submission file with the answers of a baseline or a model.

    The same command continues a model's run that was stopped: OUT.replies holds every prompt and
    reply. OUT.about.json names model, prompt, tokens, cost and time.

    Example: argue-bench generate --system bm25-extractive --out answers.jsonl

    Example: argue-bench generate --model openai/gpt-4o-mini --out answers.jsonl
    """
    if bool(system) == bool(model):
        raise click.UsageError(
            "give either --system NAME (see: argue-bench list baselines) or --model SPEC"
        )
    if system:
        for name, value in asdict(asking).items():
            if value not in (None, "", False):
                raise click.UsageError(f"--{name.replace('_', '-')} goes with --model")
        _by_system(_within_board(chosen.load()), setting, system, out)
        return
    from argue_bench.baselines.forms import Prompter, PromptOptions
    from argue_bench.baselines.generating import Generator, open_model

    dataset = chosen.load()
    given = PromptOptions(**asking.given("ndoc", "max_tokens", "context"))
    form = _form(dataset, setting, asking)
    dataset = _within_board(dataset)
    prompter = Prompter(dataset, setting, form, given)
    temperature = asking.temperature or 0.0
    transport = open_model(model, temperature, 1.0, asking.seed, requests=not asking.dry_run)
    generator = Generator(dataset, prompter, transport, out, limit=asking.limit)
    run_model(generator, transport, prompter, out, asking.budget, asking.dry_run)


def _within_board(dataset: Dataset) -> Dataset:
    """The data set; one that lies in a board has the board's limit of characters for questions that have none.

    Nothing here keeps a limit in words. Raises DataError.
    """
    for folder in dataset.source.get("folder", ()):
        board = Path(folder).parent
        if (board / "season.json").is_file():
            limits = satellites.import_text(satellites.SEASON)(board).limits
            return replace(dataset, questions=[limits.stated(one) for one in dataset])
    return dataset


def _by_system(dataset: Dataset, setting: Setting, system: str, out: Path) -> None:
    from argue_bench.baselines import generate as answers
    from argue_bench.records.atomic import atomic_write

    with atomic_write(out) as file, progress("answering", len(dataset)) as step:
        for done, line in enumerate(answers(system, dataset, setting), 1):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            step(done)
    click.echo(f"{out}: {len(dataset)} answers of {system}, {setting}.", err=True)


def run_model(
    generator: Generator,
    transport: Transport,
    prompter: Prompter,
    out: Path,
    budget: float | None,
    dry_run: bool,
) -> None:
    """Asks the model and says what came of it, or with ``dry_run`` what it would cost.

    Exits 3 where questions are without a reply.
    """
    if dry_run:
        _show_dry_run(generator, transport, prompter.max_tokens)
        return
    from asyncio import run

    from argue_bench.models.chat import Chat

    if budget is not None and isinstance(transport, Chat):
        transport.set_budget(Budget(budget))
    with progress("answering", generator.result.questions) as step:
        made = run(generator.run(step))
    _show(made, out, len(prompter.dataset))


def _form(dataset: Dataset, setting: Setting, asking: ModelOptions) -> PromptForm:
    from argue_bench.baselines.forms import default_form, load_form

    if asking.prompt.endswith(".json"):
        ndoc = 0 if setting == "closedbook" else asking.ndoc
        read = satellites.import_text(satellites.ANSWER_PROMPTS)
        return cast(
            "PromptForm",
            read(Path(asking.prompt), asking.reads or "text", ndoc, **asking.given("shot", "seed")),
        )
    if asking.shot:
        raise click.UsageError("--shot goes with ALCE's prompt files: --prompt FILE.json")
    requests = any(question.request for question in dataset)
    form = (
        load_form(asking.prompt) if asking.prompt else default_form(dataset.name, setting, requests)
    )
    return replace(form, reads=asking.reads) if asking.reads else form


def _show_dry_run(generator: Generator, transport: Transport, max_tokens: int) -> None:
    from argue_bench.models.reply import CHARACTERS_A_TOKEN

    count = generator.result.questions
    with progress("writing prompts", count) as step:
        size = left_out = 0
        first: tuple[Message, ...] = ()
        for done, one in enumerate(generator.prompts(), 1):
            first = first or one.request.messages
            size += sum(len(message.text) for message in one.request.messages)
            left_out += one.left_out
            step(done)
    for message in first:
        click.echo(click.style(f"--- {message.role}", dim=True))
        click.echo(message.text)
    tokens_in = -(-size // CHARACTERS_A_TOKEN)
    tokens_out = max_tokens * count
    price = getattr(transport, "price", None)
    cost = (
        f"price at most ${price.of(tokens_in, tokens_out):.2f}"
        if isinstance(price, Price)
        else "price unknown"
    )
    click.echo(
        f"\n{count} prompts like this one for {transport.name}"
        + f": about {tokens_in:,} tokens to read, at most {tokens_out:,} to write; {cost}."
        + (f" {left_out} documents do not fit into --context." if left_out else "")
        + " Nothing was asked."
    )


def _show(made: GenerationResult, out: Path, all_of_set: int) -> None:
    parts = [f"{made.answered} of {made.questions} questions answered"]
    if made.questions < all_of_set:
        parts.append(f"the set has {all_of_set:,}, and a submission needs all of them")
    named = {
        "replies empty or web pages, twice": made.empty,
        "replies withheld by the model or a filter": made.withheld,
    }
    parts += [f"{len(ids)} {what}: {', '.join(ids[:5])}" for what, ids in named.items() if ids]
    told = {
        "replies ended at --max-tokens": made.cut_by_model,
        "answers shortened to the request's limit": made.cut_to_limit,
        "documents did not fit into --context": made.documents_left_out,
    }
    parts += [f"{count} {what}" for what, count in told.items() if count]
    cost = "price unknown" if made.cost is None else f"${made.cost:.4f}"
    click.echo(
        f"{out}: {'; '.join(parts)}. {made.tokens_in + made.tokens_out:,} tokens, {cost}.", err=True
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
