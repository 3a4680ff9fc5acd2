"""What stands behind the wall, by name: the one file of the core that knows its satellites.

The core imports no satellite. Its catalogues look here for what they do not hold themselves, and import
the module that a text names when somebody asks for it. A copy of the package without a satellite's folder
works as before; what that satellite brought is then an unknown name, or a `UsageError` that says which
folder is missing.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

from argue_bench.errors import UsageError

_PACKAGE = Path(__file__).parent
# The folders behind the wall. ``fanoutqa`` is the door to ``published/fanoutqa``.
FOLDERS = ("published", "fanoutqa", "lab", "web", "scale", "adapters", "leaderboard", "pages")

COMMANDS = {
    # name: "module:object" below argue_bench, and the first sentence of its help
    "demo": "leaderboard.commands.demo:demo Make submissions, check and score them, and render the board.",
    "auto-argue": "published.auto_argue.command:auto_argue Judge REPORTS by NUGGETS as Auto-ARGUE does, and write its files.",
    "rageval": "published.rageval.scripts:rageval Take the command lines of rageval's scripts on ALCE as they are.",
    "sources": "web.sources_command:sources Fetch the web pages that answers cite, once; scoring then reads them offline.",
    "mcp": "adapters.mcp:mcp_command Serve agents by the Model Context Protocol, over standard input and output.",
    "judge": "lab.commands:judge Find out which judge can be trusted.",
    "board": "leaderboard.commands.board:board Run a board.",
    "site": "leaderboard.commands:site_group Make the pages of a board.",
    "submission": "leaderboard.commands.submission:submission Prepare a submission.",
}

METRICS = {
    # name, or name(rules=...): "module:class" below argue_bench
    "accuracy(rules=fanoutqa)": "published.fanoutqa.accuracy:FanoutqaAccuracy",
    "accuracy(rules=fanoutqa-lookup)": "published.fanoutqa.accuracy:LookupAccuracy",
    "str_em(rules=alce)": "published.alce.correctness:AlceStrEM",
    "str_em(rules=rageval)": "published.rageval.metrics:RagevalStrEM",
    "rouge_lsum": "published.alce.content:RougeLsum",
    "rouge_lsum(rules=alce)": "published.alce.correctness:AlceRougeLsum",
    "qa": "published.alce.content:QA",
    "qa(rules=alce)": "published.alce.correctness:AlceQA",
    "qampari": "published.alce.content:Qampari",
    "qampari(rules=alce)": "published.alce.correctness:AlceQampari",
    "claims": "published.alce.content:Claims",
    "claims(rules=alce)": "published.alce.correctness:AlceClaims",
    "claims(rules=rageval)": "published.rageval.metrics:RagevalClaims",
    "bleu": "published.rageval.metrics:Bleu",
    "bleu(rules=rageval)": "published.rageval.metrics:RagevalBleu",
    "chrf": "published.rageval.metrics:Chrf",
    "ter": "published.rageval.metrics:Ter",
    "bleurt": "published.fanoutqa.bleurt:Bleurt",
    "factuality": "published.fanoutqa.factuality:Factuality",
    "length(rules=alce)": "published.alce.correctness:AlceLength",
    "mauve": "published.alce.mauve:Mauve",
    "mauve(rules=alce)": "published.alce.mauve:AlceMauve",
    "grounding_judge": "published.luciole.judged:GroundingJudge",
    "grounding(rules=luciole-v1)": "published.luciole.v1:V1Grounding",
    "grounding(rules=luciole-head)": "published.luciole.v1:HeadGrounding",
    "citations(rules=alce)": "published.alce.auto_ais:AlceCitations",
    "citations(rules=rageval)": "published.rageval.metrics:RagevalCitations",
    "citations(rules=fact-code)": "published.web_reports:FactCode",
    "citations(rules=fact-paper)": "published.web_reports:FactPaper",
    "citations(rules=scholarqa)": "published.web_reports:ScholarQA",
    "citations(rules=deepscholar)": "published.web_reports:DeepScholar",
    "answer_relevance": "published.ragas.context_metrics:AnswerRelevance",
    "relevance": "published.trec.relevance:Relevance",
    "support(rules=rag26)": "published.trec.rag_support:RagSupport",
    "context_relevance": "published.ragas.context_metrics:ContextRelevance",
    "context_precision": "published.ragas.context_metrics:ContextPrecision",
    "context_recall": "published.ragas.context_metrics:ContextRecall",
    "sources": "web.sources:Sources",
    "nuggets": "published.nuggetizer.nuggets:Nuggets",
    "nuggets(rules=nuggetizer)": "published.nuggetizer.nuggets:Nuggetizer",
    "rubric": "published.rubrics.rubric:Rubric",
    "rubric(rules=healthbench)": "published.rubrics.rubric:HealthBench",
    "rubric(rules=researchrubrics)": "published.rubrics.rubric:ResearchRubrics",
    "rubric(rules=draco)": "published.rubrics.rubric:Draco",
    "rubric(rules=drb2)": "published.rubrics.rubric:DeepResearchBench",
    "rubric(rules=scholarqa)": "published.rubrics.rubric:ScholarQA",
    "rubric(rules=dragun)": "published.rubrics.rubric:Dragun",
}

JUDGES = (
    # spec, "module:function" from the rest of the spec to the judge, summary
    (
        "qa:MODEL",
        "published.alce.spans:qa_judge",
        "the words that answer a question, by a model on disk trained on SQuAD",
    ),
    (
        "bleurt:MODEL",
        "published.fanoutqa.bleurt:bleurt_judge",
        "how alike two texts are, by BLEURT on disk",
    ),
)

# Subsets of both layouts, which are loaded as splits.
_LUCIOLE = (
    *("hotpotqa", "hotpotqa_fr", "tatqa", "tatqav2"),
    *("piaf", "newsquadfr", "squad2_fr_pragnakalp"),
)

DATASETS = {
    # name: summary, splits, "module:function" that loads one, and where a file of answers can hold the
    # data set too, "module:function" that says whether this one does
    "trec": (
        "report requests with nuggets, and a collection (NeuCLIR, RAGTIME, RAG and their like)",
        ("dev", "test"),
        "published.trec.topic_files:load_trec",
        "",
    ),
    "fanoutqa": (
        "questions that fan out over many Wikipedia pages (Zhu et al. 2024)",
        ("dev", "test"),
        "published.fanoutqa.data:load_fanoutqa",
        "",
    ),
    "alce-asqa": (
        "ambiguous questions with retrieved passages to cite (Gao et al. 2023)",
        ("gtr", "dpr", "oracle"),
        "published.alce.data:load_asqa",
        "published.alce.data:is_result",
    ),
    "alce-eli5": (
        "how and why questions with retrieved passages to cite (Gao et al. 2023)",
        ("bm25", "oracle"),
        "published.alce.data:load_eli5",
        "published.alce.data:is_result",
    ),
    "alce-qampari": (
        "questions whose answer is a list, each item with what it cites (Gao et al. 2023)",
        ("gtr", "oracle"),
        "published.alce.data:load_qampari",
        "published.alce.data:is_result",
    ),
    "luciole": (
        "grounded questions over retrieved chunks, with refusals, in English and French",
        _LUCIOLE,
        "published.luciole.data:load_luciole",
        "",
    ),
    "luciole-v1": (
        "the same as it was first published, with seven subsets",
        _LUCIOLE,
        "published.luciole.data:load_luciole_v1",
        "",
    ),
}

FORMATS = {
    # name: summary, and "module:function" that reads a file of answers
    "web": (
        'lines {"id", "answer"} that cite addresses, or {"id", "response"} as a product returned it',
        "web.citing_answers:read_web_answers",
    ),
    "alce": (
        'results of ALCE and rageval: {"args", "data"} or a list',
        "published.alce.data:read_alce_result",
    ),
}


# Functions from an object that is no plain row to the row in it, or None.
ROWS = ("web.products.response_rows:response_row",)
# From the row of a log, such as a chat, to the row with its columns, or None.
LOG_ROW = "adapters.logs:log_row"
# From MT-RAG's file of tasks and evaluations to its rows.
MTRAG_ROWS = "adapters.logs:mtrag_rows"
# From the items of an export of traces and its product, a name in `TRACE_KEYS`, to a row for each trace.
TRACE_ROWS = "adapters.traces:trace_rows"
# From an export of traces, its report, a file and an address to OpenTelemetry's events there.
TRACE_EVENTS = "adapters.events:write_events"
# From the address of a receiver of them to its exporter, or an error that says what is wrong with it.
TRACE_RECEIVER = "adapters.events:open_receiver"
TRACE_KEYS = {
    # what every item of an export has, as dotted paths
    "OpenTelemetry (OTLP)": ("resourceSpans",),
    "Langfuse": ("observations",),
    "Langfuse's observations": ("traceId", "type"),
    "LangSmith": ("run_type",),
    "Phoenix": ("context.trace_id",),
    "MLflow": ("data.spans",),
}
# From a text or a product's saved response to a `loaders.rows.columns.ForeignAnswer`, or None.
WEB_ANSWER = "web.products.response_rows:web_answer"
# From a file of answers that cite web pages, and the data set, to answers and findings.
WEB_FILE = "web.citing_answers:read_web_answer_file"
# From a data set, answers and a folder of fetched pages to the data set with the pages.
WEB_PAGES = "web.citing_answers:with_sources"

# From nuggets, documents, requests and grades to a data set (``--nuggets``).
TREC_DATASET = "published.trec.topic_files:load_topics"
# From a file or folder of nuggets to topics by id, and findings.
TREC_TOPICS = "published.trec.topic_files:read_topics"
# From a topic's id and its parsed nugget bank to the topic.
TREC_BANK = "published.trec.topic_files:topic_of_bank"
# From a file of report requests to these by id.
TREC_REQUESTS = "published.trec.topic_files:read_requests"
# From a file of topics and findings to line and keys of each topic by its id.
TREC_ROWS = "published.trec.topic_files:topic_rows"
# From a file of relevance judgments to grades by topic and document.
TREC_GRADES = "published.trec.topic_files:read_qrels"
# From a subset, a file and a secret that draws the rows without an answer, to a set for hidden gold.
LUCIOLE = DATASETS["luciole"][2]
# From DRAGUN's file or folder of rubrics to each topic's rubric as gold.
DRAGUN_RUBRICS = "published.rubrics.dragun:gold_rubrics"
# From a track's folder to the documents by id that lie in it, or None.
TREC_DOCUMENTS = "published.trec.topic_files:collection_in"
# Documents on disk by id, from the path of a collection or several.
TREC_COLLECTION = "published.trec.collection:Collection"
# From the name of a collection, and of its parts, to its documents by id, with progress (``--collection``).
OPENED_COLLECTION = "published.trec.collection:open_collection"
# The rules of a TREC track by name, and the check of a run file by them.
TREC_TRACK, TREC_CHECK = "published.trec.tracks:track", "published.trec.check:check_run"
# From a track's name and the folder of its files to a data set (``--track``).
TREC_FILES = "leaderboard.seasons.real_data:track_dataset"
# The class that looks up the pages of FanOutQA's evidence.
WIKIPEDIA_PAGES = "published.fanoutqa.wikipedia:Wikipedia"

SCALE = {
    # what the command line calls where the judges of a run work elsewhere
    "cluster": "scale.distribution:on_cluster",
    "batch": "scale.batching:in_batches",
    "charge": "scale.batching:charge_for_batches",
}

# From a report to the lines that ALCE's program prints below its scores.
ALCE_LINES = "published.alce.correctness:closing_lines"

# From files of people's votes and a judge's verdicts on pairs to the agreement of two people, and of judge and person.
VOTES = "lab.votes:people_and_judge"
# From a run file, files of people's labels and the data set to its `Report` with ``corrected`` scores.
CORRECT = "lab:correct"


# What a board's result file says, and the season.json of its board.
RESULT = "leaderboard.formats.results:parse_result"
SEASON = "leaderboard.formats.season:read_season"


def find_text(text: str) -> Any | None:
    """As `import_text`, but None where its module is not in this copy of the package."""
    return import_text(text) if is_here(text) else None


# Reads a JSON file of prompts for a judge.
JUDGE_PROMPTS = "published.auto_argue.prompts:judge_prompts"
# Reads a JSON file of the prompt that asks a model for answers.
ANSWER_PROMPTS = "published.alce.prompts:alce_prompt"
# The documents of a set whose questions name pages of Wikipedia.
WIKIPEDIA = "published.fanoutqa.wikipedia:OpenBook"
# What writes the page on which a person labels a run's requests (`view --label`).
LABEL_PAGE = "lab.labels_page:label_page"

# Says whether a file is another program's judgments, and shows those as pages (`view`).
JUDGMENTS = (
    "published.auto_argue.files:is_judgments",
    "published.auto_argue.judgments:view_judgments",
)

LISTS = {
    # what `list` can list besides what the core has: "module:function" that gives rows for `list`
    "labels": "lab.label_sets:list_labels",
}


@cache
def import_text(text: str) -> Any:
    """The object that a ``module:object`` below `argue_bench` names; ``object`` may have dots.

    Raises UsageError where the module's folder is not in this copy of the package.
    """
    module, _, name = text.partition(":")
    try:
        found = import_module(f"argue_bench.{module}")
    except ModuleNotFoundError as error:
        missing = (error.name or "").removeprefix("argue_bench.")
        if module.partition(".")[0] not in FOLDERS or not f"{module}.".startswith(f"{missing}."):
            raise
        raise UsageError(
            f"this copy of argue-bench has no argue_bench/{missing.replace('.', '/')}, which {text!r} needs: "
            "install the whole package"
        ) from None
    return attrgetter(name)(found)


def is_here(text: str) -> bool:
    """Whether the module that a text names is in this copy of the package. Imports nothing."""
    path = _PACKAGE.joinpath(*text.partition(":")[0].split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()
