"""``argue-bench generate``: a submission file with the answers of a baseline or a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import (
    PATH,
    SETTINGS,
    DatasetOptions,
    batch_file_option,
    batch_option,
    batching_of,
    cluster_of,
    cluster_option,
    dataset_options,
    group_options,
    workers_option,
)
from argue_bench.cli.progress import progress

if TYPE_CHECKING:
    from argue_bench.baselines import Setting
    from argue_bench.baselines.alce_prompt import PromptRules
    from argue_bench.baselines.forms import PromptForm, Reads
    from argue_bench.baselines.generating import GenerationResult, Generator
    from argue_bench.baselines.prompter import Prompter
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.models.transport import ChatRequest, Message, Transport


@dataclass(frozen=True)
class ModelOptions:
    """What goes with --model alone."""

    prompt: str
    prompt_rules: PromptRules | None
    reads: Reads | None
    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    limit: int | None
    seed: int | None
    ndoc: int | None
    shot: int | None
    context: int | None
    store: Path | None
    run_id: str
    team_id: str
    budget: float | None
    dry_run: bool
    workers: int | None
    cluster: str
    batch: bool
    batch_file: Path | None

    def given(self, *names: str) -> dict[str, int]:
        """Those of these options that were given."""
        return {name: value for name in names if (value := getattr(self, name)) is not None}


_MODEL_OPTIONS = group_options(
    "options",
    ModelOptions,
    option("--prompt", default=""),
    option("--ndoc", type=int),
    option("--limit", type=int),
    option("--budget", type=float, metavar="USD"),
    option("--dry-run", is_flag=True),
    option("--temperature", type=float),
    option("--top-p", type=float),
    option("--max-tokens", type=int),
    option("--seed", type=int),
    option("--shot", type=int),
    option("--context", type=int),
    option("--prompt-rules", type=click.Choice(["alce", "rageval"])),
    option("--reads", type=click.Choice(["text", "summary", "extraction"])),
    option("--store", type=PATH),
    option("--run-id", default=""),
    option("--team-id", default=""),
    workers_option,
    cluster_option,
    batch_option,
    batch_file_option,
)


@command("generate")
@dataset_options()
@option("--setting", type=click.Choice(SETTINGS), default="openbook")
@option("--index", type=PATH)
@option("--system", default="")
@option("--model", default="", metavar="SPEC")
@_MODEL_OPTIONS
@option("--out", type=PATH, required=True)
def generate_command(
    chosen: DatasetOptions,
    setting: Setting,
    index: Path | None,
    system: str,
    model: str,
    options: ModelOptions,
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
        for name, value in asdict(options).items():
            if value not in (None, "", False):
                raise click.UsageError(f"--{name.replace('_', '-')} goes with --model")
        _by_system(chosen.load(), setting, system, out, index)
        return
    dataset = chosen.load()
    _by_model(dataset, _pool(chosen, dataset, options.shot), setting, model, out, index, options)


def _by_system(
    dataset: Dataset, setting: Setting, system: str, out: Path, index: Path | None
) -> None:
    from argue_bench.baselines import generate as answers
    from argue_bench.records.atomic import atomic_write

    with atomic_write(out) as file, progress("answering", len(dataset)) as step:
        lines = answers(system, dataset, setting, index)
        for done, line in enumerate(lines, 1):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            step(done)
    click.echo(f"{out}: {len(dataset)} answers of {system}, {setting}.", err=True)


def _by_model(
    dataset: Dataset,
    pool: Dataset | None,
    setting: Setting,
    model: str,
    out: Path,
    index: Path | None,
    options: ModelOptions,
) -> None:
    from argue_bench.baselines.generating import Generator, open_model
    from argue_bench.baselines.prompter import Prompter, PromptOptions

    chosen = _form(dataset, setting, options)
    given = PromptOptions(**options.given("ndoc", "shot", "seed", "max_tokens", "context"))
    prompter = Prompter(dataset, setting, chosen, given, pool, index)
    shared_with = cluster_of(options.workers, options.cluster)
    batching = batching_of(options.batch, options.batch_file)
    if batching is not None and shared_with is not None:
        raise click.UsageError("one process sends all batches: leave out --workers and --cluster")
    transport = open_model(
        model,
        options.temperature or 0.0,
        1.0 if options.top_p is None else options.top_p,
        options.seed,
        requests=not options.dry_run,
    )
    generator = Generator(
        dataset,
        prompter,
        transport,
        out,
        options.limit,
        options.store,
        options.run_id,
        options.team_id,
        batching,
    )
    run_model(generator, transport, prompter, out, options.budget, options.dry_run, shared_with)


def run_model(
    generator: Generator,
    transport: Transport,
    prompter: Prompter,
    out: Path,
    budget: float | None,
    dry_run: bool,
    cluster: int | str | None = None,
) -> None:
    """Asks the model and says what came of it, or with ``dry_run`` what it would cost.

    Exits 3 where questions are without a reply.
    """
    if dry_run:
        _show_dry_run(generator, transport, prompter.max_tokens)
        return
    from asyncio import run

    _pay(transport, budget)
    with progress("answering", generator.result.questions) as step:
        made = run(generator.run(step, cluster))
    _show(made, out, len(prompter.dataset))


def _form(dataset: Dataset, setting: Setting, options: ModelOptions) -> PromptForm:
    from argue_bench.baselines.alce_prompt import alce_prompt
    from argue_bench.baselines.forms import default_form, load_form

    named, reads = options.prompt, options.reads
    if named.endswith(".json"):
        ndoc = 0 if setting == "closedbook" else options.ndoc
        rules = options.prompt_rules or "alce"
        drawn = options.given("shot", "seed")
        return alce_prompt(Path(named), reads or "text", ndoc, **drawn, rules=rules)
    if options.prompt_rules:
        raise click.UsageError("--prompt-rules goes with ALCE's prompt files: --prompt FILE.json")
    requests = any(question.request for question in dataset)
    chosen = load_form(named) if named else default_form(dataset.name, setting, requests)
    return replace(chosen, reads=reads) if reads else chosen


def _pay(transport: Transport, budget: float | None) -> None:
    from argue_bench.models.budget import Budget
    from argue_bench.models.chat import Chat

    if budget is not None and isinstance(transport, Chat):
        transport.set_budget(Budget(budget))


def _pool(chosen: DatasetOptions, dataset: Dataset, shot: int | None) -> Dataset | None:
    """Where demonstrations come from: the set's dev split, else the set itself."""
    from argue_bench.loaders import DATASETS

    if not shot:
        return None
    named = chosen.dataset
    if named in DATASETS and "dev" in DATASETS[named].splits and dataset.split != "dev":
        return replace(chosen, split="dev").load()
    return dataset


def _show_dry_run(generator: Generator, transport: Transport, max_tokens: int) -> None:
    from argue_bench.baselines.prompter import SHORTENED
    from argue_bench.models.budget import Price
    from argue_bench.models.reply import CHARACTERS_A_TOKEN

    with progress("writing prompts", generator.result.questions) as step:
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
    parts = [f"{made.answered} of {made.questions} questions answered"]
    if made.questions < all_of_set:
        parts.append(f"the set has {all_of_set:,}, and a submission needs all of them")
    if made.empty:
        parts.append(f"{len(made.empty)} replies empty or web pages, twice: {_few(made.empty)}")
    if made.withheld:
        parts.append(
            f"{len(made.withheld)} replies withheld by the model or a filter: {_few(made.withheld)}"
        )
    if made.cut_by_model:
        parts.append(f"{made.cut_by_model} replies ended at --max-tokens")
    if made.cut_to_limit:
        parts.append(f"{made.cut_to_limit} answers shortened to the request's limit")
    if made.documents_left_out:
        parts.append(f"{made.documents_left_out} documents did not fit into --context")
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


def _few(ids: list[str]) -> str:
    return ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
