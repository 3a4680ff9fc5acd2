"""``argue-bench rageval``: the command lines of rageval's scripts on ALCE, with their files.

Source: https://github.com/gomate-community/rageval at 01e2580, benchmarks/ALCE: generate.py,
asqa_benchmark.py, eli5_benchmark.py. All three find their files below ``--cache_path``: ALCE's data in
datasets/ALCE-data, weights in models, outputs in results.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from argue_bench.cli.commands import as_field, command, group, option, options
from argue_bench.cli.options import PATH, budget_option, dry_run_option
from argue_bench.cli.tables import show_table
from argue_bench.errors import Code, DataError
from argue_bench.loaders import load, read_answers
from argue_bench.records.atomic import write_json, write_text
from argue_bench.records.table import Table, points

if TYPE_CHECKING:
    from argue_bench.baselines.forms import QuestionPrompt, Reads

Benchmark = Literal["asqa", "eli5"]
# The weights that rageval judges by, google/t5_xxl_true_nli_mixture of Honovich et al. 2022.
NLI = "t5_xxl_true_nli_mixture"
PROMPT = Path("benchmarks/ALCE/ASQA/prompts/asqa_prompt.json")
# What rageval tells the models of OpenAI, and no others.
SYSTEM = "You are a helpful assistant that answers the following questions with proper citations."
# rageval's --method to the form of a document in the prompt.
READS: dict[str, Reads] = {"vanilla": "text", "summary": "summary", "snippet": "extraction"}
# The variant of a run whose name has none; asqa_benchmark.py and eli5_benchmark.py know no other.
SPLIT = {"asqa": "gtr", "eli5": "bm25"}


def _underscores(name: str) -> str:
    """``--cache-path`` is ``--cache_path``."""
    return name.replace("-", "_")


NAMES = {"token_normalize_func": _underscores}
cache_option = option(
    "--cache_path",
    type=PATH,
    default=Path(".rageval"),
    help="The folder with results/ (local files) and models/ (the weights that judge).",
)


@dataclass(frozen=True)
class Outputs:
    """Which outputs a benchmark script was given, and who judges them."""

    cache_path: Path = as_field(cache_option)
    remote_split: str = as_field(
        option(
            "--remote_split",
            default="",
            help="A published run to score, such as Llama_2_7b_chat_hf_vanilla_shot2_ndoc5.",
        )
    )
    local_file: str = as_field(
        option(
            "--local_file",
            default="",
            help="A file of outputs to score, below CACHE_PATH/results or as it is named.",
        )
    )
    judge: str = as_field(
        option(
            default="",
            metavar="SPEC",
            help="Another judge than the weights in CACHE_PATH/models/t5_xxl_true_nli_mixture.",
        )
    )
    out: Path | None = as_field(
        option(type=PATH, help="The file of results. [default: rageval's name for it]")
    )

    def path(self) -> Path:
        """The file of outputs, or the name of a published run. Raises click.UsageError."""
        if bool(self.remote_split) == bool(self.local_file):
            raise click.UsageError("give either --remote_split RUN or --local_file FILE")
        if self.remote_split:
            return Path(self.remote_split)
        below = self.cache_path / "results" / self.local_file
        return below if below.is_file() else Path(self.local_file)

    def spec(self) -> str:
        """The judge: the weights that rageval reads, unless another is named. Raises DataError."""
        weights = self.cache_path / "models" / NLI
        if self.judge or weights.is_dir():
            return self.judge or f"nli:{weights}"
        raise DataError.of(
            Code.NO_SUCH_FILE,
            "the weights that judge citations are not there",
            weights,
            hint=f"Put google/{NLI} there, or name another judge, whose figures differ: --judge lexical",
        )


outputs_options = options("outputs", Outputs)


@command("asqa_benchmark", context_settings=NAMES)
@outputs_options
def asqa_benchmark(outputs: Outputs) -> None:
    """Score outputs on ALCE-ASQA by rageval's metrics, and write its file of results.

    Example: argue-bench rageval asqa_benchmark --cache_path .rageval --remote_split Llama_2_7b_chat_hf_vanilla_shot2_ndoc5
    """
    _benchmark("asqa", outputs)


@command("eli5_benchmark", context_settings=NAMES)
@outputs_options
def eli5_benchmark(outputs: Outputs) -> None:
    """Score outputs on ALCE-ELI5 by rageval's metrics, and write its file of results.

    Example: argue-bench rageval eli5_benchmark --cache_path .rageval --local_file outputs.json
    """
    _benchmark("eli5", outputs)


def _benchmark(kind: Benchmark, outputs: Outputs) -> None:
    from argue_bench.cli.progress import progress
    from argue_bench.eval.judging import judges_for, prepare, run_now

    path, judge = outputs.path(), outputs.spec()
    # asqa_gtr_... and eli5_bm25_... name their variant; other names do not.
    variant = path.name.split("_")[1:2] if path.name.startswith(f"{kind}_") else []
    split = (
        variant[0] if variant and variant[0] in ("gtr", "dpr", "oracle", "bm25") else SPLIT[kind]
    )
    dataset = load(f"alce-{kind}", split, path)
    answers = read_answers(path, dataset)
    correct = "str_em" if kind == "asqa" else "claims"
    shown = _shown(kind, split, path)
    field = "" if shown == "text" else f",document_field={shown}"
    metrics = [f"{correct}(rules=rageval)", f"citations(rules=rageval{field})"]
    ready = prepare(dataset, answers.values(), metrics, judge=judge)
    judges = judges_for(ready.selection.metrics, judge, {})
    with progress("scoring", len(dataset)) as step:
        report = run_now(ready.run(judges, progress=step)).resampled()
    found = {
        "answer_exact_match" if kind == "asqa" else "answer_claim_recall": f"{correct}.recall",
        "answer_citation_recall": "citations.recall",
        "answer_citation_precision": "citations.precision_micro",
    }
    results = {name: report.value(key) for name, key in found.items()}
    date = time.strftime("%Y%m%d", time.localtime())
    folder = Path("benchmarks") / "ALCE" / kind.upper() / "results"
    out = outputs.out or folder / f"{path.name.removesuffix('.json')}_{date}.json"
    write_text(out, json.dumps(results, indent=4) + "\n")
    show_table(
        Table(
            ("score", "value"), [(name, points(one)) for name, one in results.items()], right=(1,)
        )
    )
    click.echo(f"\n{len(dataset)} outputs, shown the {shown} of documents; judge {judge}.")
    click.echo(f"Results saved to {out}.")
    # A score that no answer has must not look like success to a script (exit 3 of evaluate, too).
    if None in results.values():
        raise SystemExit(3)


def _shown(kind: Benchmark, split: str, path: Path) -> Reads:
    """The text of each document as the prompts showed it: citations are judged by it.

    rageval keeps it as ``contexts``. A file without them says it by its name, or else it is the text.
    """
    from argue_bench.published.alce.data import raw_entries

    for row in raw_entries(kind, split, path):
        contexts, docs = row.get("contexts"), row["docs"]
        if docs and isinstance(contexts, list) and contexts:
            # The first document as the prompt showed it ends with the form that was used.
            for reads in READS.values():
                text = docs[0].get(reads)
                if text and str(contexts[0]).rstrip().endswith(str(text).rstrip()):
                    return reads
    return next(
        (reads for method, reads in READS.items() if f"_{method}_" in path.name), READS["vanilla"]
    )


@dataclass(frozen=True)
class Generation:
    """The options of generate.py, and ours on money and on where the prompt file is."""

    cache_path: Path = as_field(
        cache_option.but(
            help="The folder with datasets/ALCE-data and models/; the outputs go to its results/."
        )
    )
    model: str = as_field(
        option(
            default="gpt-3.5-turbo",
            help="A model of OpenAI where gpt is in its name, else a folder below CACHE_PATH/models.",
        )
    )
    api_key: str = as_field(
        option(
            "--api_key",
            default="",
            help="OpenAI's key. Others on the machine can read a command line: better set OPENAI_API_KEY.",
        )
    )
    max_length: int = as_field(
        option(
            "--max_length",
            type=click.IntRange(min=1),
            default=4096,
            help="Most tokens that OpenAI's model may write, or that another reads and writes.",
        )
    )
    temperature: float = as_field(
        option(type=float, default=0.5, help="Sampling temperature of the model.")
    )
    top_p: float = as_field(
        option("--top_p", type=float, default=1.0, help="Draw from this share of likely tokens.")
    )
    dataset: str = as_field(
        option(
            type=click.Choice(["gtr", "dpr", "oracle"]),
            default="gtr",
            help="The variant of ALCE-ASQA.",
        )
    )
    method: str = as_field(
        option(
            type=click.Choice(list(READS)),
            default="vanilla",
            help="What the prompt shows of each document: its text, summary or snippet.",
        )
    )
    ndoc: int = as_field(
        option(type=click.IntRange(min=0), default=5, help="Number of documents to show.")
    )
    shot: int = as_field(
        option(
            type=click.IntRange(min=0),
            default=2,
            help="Number of demonstrations, the first ones of the prompt file.",
        )
    )
    prompt: Path = as_field(
        option(
            type=PATH,
            default=PROMPT,
            help="The prompt file, rageval's or ALCE's asqa_default.json.",
        )
    )
    budget: float | None = as_field(
        budget_option.but(group="Options", help="Stop before the model has cost more US dollars.")
    )
    dry_run: bool = as_field(
        dry_run_option.but(group="Options", help="Print one prompt and the cost of all; send none.")
    )

    @property
    def _name(self) -> str:
        return self.model.split("/")[-1]

    @property
    def by_provider(self) -> bool:
        """Whether OpenAI has the model; rageval looks for gpt in its name."""
        return "gpt" in self._name

    @property
    def spec(self) -> str:
        local = f"local:{self.cache_path / 'models' / self.model}"
        return f"openai/{self._name}" if self.by_provider else local

    @property
    def result(self) -> Path:
        # rageval's own name for it, in which no hyphen stands.
        words = f"asqa_{self.dataset}_{self._name}_{self.method}_shot{self.shot}_ndoc{self.ndoc}"
        return self.cache_path / "results" / f"{words.replace('-', '_')}.json"

    @property
    def data(self) -> Path | None:
        """ALCE's data where rageval unpacks it; None where it is not there."""
        from argue_bench.published.alce.data import FILES

        file = self.cache_path / "datasets" / "ALCE-data" / FILES["asqa"][self.dataset]
        return file if file.is_file() else None


@command("generate", context_settings=NAMES)
@options("options", Generation)
def rageval_generate(options: Generation) -> None:
    """Have a model answer ALCE-ASQA with rageval's prompts, and write its file of outputs.

    The same command goes on where it was stopped.

    Example: argue-bench rageval generate --cache_path .rageval --model gpt-3.5-turbo --dataset gtr --method vanilla
    """
    from argue_bench.baselines.forms import Prompter, PromptOptions
    from argue_bench.baselines.generating import Generator, open_model
    from argue_bench.cli.generate import run_model
    from argue_bench.models.environment import environment
    from argue_bench.published.alce.prompts import alce_prompt

    if not options.prompt.is_file():
        hint = "Call the command in rageval's folder, or name ALCE's prompts/asqa_default.json: --prompt"
        raise DataError.of(Code.NO_SUCH_FILE, "no such prompt file", options.prompt, hint=hint)
    dataset = load("alce-asqa", options.dataset, options.data)
    reads = READS[options.method]
    form = alce_prompt(options.prompt, reads, options.ndoc, options.shot, rules="rageval")
    # The file of outputs keeps the reply as it is, with the numbers that it cites.
    form = replace(form, cites="none")
    # OpenAI's models may write max_length tokens; others read and write as many together.
    given = PromptOptions(options.ndoc, context=options.max_length)
    if options.by_provider:
        form = replace(form, system=SYSTEM)
        given = PromptOptions(options.ndoc, max_tokens=options.max_length)
    prompter = Prompter(dataset, "evidenceprovided", form, given)
    # A key on the command line goes before one of the environment.
    known = {**environment(), **({"OPENAI_API_KEY": options.api_key} if options.api_key else {})}
    transport = open_model(
        options.spec, options.temperature, options.top_p, None, known, not options.dry_run
    )
    answers = options.result.with_suffix(".answers.jsonl")
    generator = Generator(dataset, prompter, transport, answers)
    run_model(generator, transport, prompter, answers, options.budget, options.dry_run)
    if options.dry_run:
        return
    rows = [_row(one, form.doc_prompt) for one in generator.prompts()]
    _write(options.result, answers, rows, options)


def _row(prompt: QuestionPrompt, doc_prompt: str) -> dict[str, Any]:
    """What rageval adds to an entry: the prompt, and the documents as it showed them."""
    contexts = [
        doc_prompt.replace("{T}", one.title).replace("{P}", one.text).replace("{ID}", str(number))
        for number, one in enumerate(prompt.documents, 1)
    ]
    text = "\n\n".join(
        message.text for message in prompt.request.messages if message.role == "user"
    )
    return {"id": prompt.question.id, "prompt": text, "contexts": contexts}


def _write(
    result: Path, answers: Path, rows: Sequence[dict[str, Any]], options: Generation
) -> None:
    """rageval's file of outputs: the entries of the data, with prompt, contexts and output."""
    from argue_bench.published.alce.data import raw_entries

    said = {
        row["id"]: row["answer"]
        for row in map(json.loads, answers.read_text(encoding="utf-8").splitlines())
    }
    entries = raw_entries("asqa", options.dataset, options.data)
    made = []
    for entry, row in zip(entries, rows, strict=True):
        id = row.pop("id")
        kept = {**entry, "docs": entry["docs"][: options.ndoc]}
        # rageval stops its local models at the end of the first line.
        output = said[id] if options.by_provider else said[id].partition("\n")[0]
        made.append({**kept, **row, "output": output})
    write_json(result, made, indent=4)
    click.echo(f"\nResult file saved as {result}")


rageval = group(
    "rageval",
    {
        "generate": "published.rageval.scripts:rageval_generate",
        "asqa_benchmark": "published.rageval.scripts:asqa_benchmark",
        "eli5_benchmark": "published.rageval.scripts:eli5_benchmark",
    },
    """Take the command lines of rageval's scripts on ALCE as they are.

    Example: argue-bench rageval asqa_benchmark --remote_split Llama_2_7b_chat_hf_vanilla_shot2_ndoc5
    """,
)
