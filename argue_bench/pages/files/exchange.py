"""Exports of a board in the formats of collections of results.

    every-eval-ever   a record for each system and setting (eval.schema.json 0.3.0): scores with their
                      uncertainty and judges, and for open sets a line for each question
    huggingface       ``eval.yaml`` of a benchmark, a task for each setting, and ``.eval_results/*.yaml``
                      for each system's model

Values are shares from 0 to 1, as everywhere in the data; Hugging Face's leaderboards want points.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from argue_bench import __version__
from argue_bench.pages.render import dump

SCHEMA = "0.3.0"
HUB = re.compile(r"https://huggingface\.co/datasets/([\w.-]+/[\w.-]+)/?")
METHOD = "bootstrap over questions, Wilson's interval where all questions agree"
UNKNOWN = {"deployment_type": "unknown", "model_availability": "unknown"}
"""What a record must say of every model, whether anybody knows it or not."""
Json = dict[str, Any]


@dataclass(frozen=True)
class _Scored:
    """What all rows of a section say alike of one score: as data, and as text to go on with."""

    column: Json
    about: Json
    text: str


def every_eval_ever(
    board: Mapping[str, Any], site: Mapping[str, Any]
) -> Iterator[tuple[str, Json]]:
    """Path, as that collection names files, and record of every row of a board."""
    for path, record, results in _records(board, site):
        shown = [{**scored.about, "score_details": details} for scored, details in results]
        yield path, {**record, "evaluation_results": shown}


def record_lines(board: Mapping[str, Any], site: Mapping[str, Any]) -> str:
    """The records of a board, one a line. Nine tenths of each are those of the row before, so they are
    written once and put together as text: a board of a thousand systems has megabytes of them."""
    lines = []
    for _, record, results in _records(board, site):
        shown = (f'{scored.text},"score_details":{dump(details)}}}' for scored, details in results)
        lines.append(f'{dump(record)[:-1]},"evaluation_results":[{",".join(shown)}]}}\n')
    return "".join(lines)


def _records(
    board: Mapping[str, Any], site: Mapping[str, Any]
) -> Iterator[tuple[str, Json, list[tuple[_Scored, Json]]]]:
    """Path and record of every row that has scores, and apart from it those scores."""
    for section in board["sections"]:
        columns = [_scored(board, section, column) for column in board["columns"]]
        for row in section["rows"]:
            results = [
                (scored, _details(board, score))
                for scored in columns
                if (score := row["scores"].get(scored.column["key"])) and score["value"] is not None
            ]
            if results:
                path, record = _record(board, site, section, row)
                yield path, record, results


def _record(
    board: Mapping[str, Any], site: Mapping[str, Any], section: Json, row: Json
) -> tuple[str, Json]:
    model = _model(row)
    benchmark = f"{board['season']}-{board['setting']}"
    day = row["created"] or board["updated"]
    stamp = _seconds(day)
    first_party = section["group"] != "published elsewhere"
    known = {"group": section["group"], "source": board["source"]}
    more = {name: text for name, text in known.items() if text}
    record = {
        "schema_version": SCHEMA,
        "evaluation_id": f"{benchmark}/{model['id']}/{stamp}",
        "retrieved_timestamp": stamp,
        **({"evaluation_timestamp": row["created"]} if row["created"] else {}),
        "source_metadata": {
            "source_name": site["title"],
            "source_type": "evaluation_run" if first_party else "documentation",
            "source_organization_name": site["title"],
            **({"source_organization_url": site["url"]} if site["url"] else {}),
            "evaluator_relationship": "third_party",
            **({"additional_details": more} if more else {}),
        },
        "eval_library": {
            "name": "argue-bench" if first_party else "unknown",
            "version": __version__ if first_party else "unknown",
        },
        "model_info": model,
    }
    name = _uuid(f"{benchmark}/{model['id']}/{day}")
    return f"data/{benchmark}/{model['id']}/{name}.json", record


def with_instances(path: str, record: Json, lines: Sequence[Json]) -> Iterator[tuple[str, str]]:
    """The files of a record: its lines, where it has any, and the record, which names their file."""
    if lines:
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        place = path.replace(".json", "_samples.jsonl")
        record["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": place,
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(text.encode()).hexdigest(),
            "total_rows": len(lines),
        }
        yield place, text
    yield path, json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def instances(
    record: Mapping[str, Any], topics: Mapping[str, Any], system: str, answers: Mapping[str, str]
) -> Iterator[Json]:
    """A line for each question of an open set that the system answered: its ranked score on it."""
    for row in topics["topics"]:
        value, said = row["values"].get(system), answers.get(row["id"])
        if value is None or said is None:
            continue
        yield {
            "schema_version": SCHEMA,
            "evaluation_id": record["evaluation_id"],
            "model_id": record["model_info"]["id"],
            "evaluation_name": f"{topics['season']}-{topics['setting']}/{topics['ranked']}",
            "evaluation_result_id": f"{topics['season']}-{topics['setting']}/{topics['ranked']}",
            "sample_id": row["id"],
            "interaction_type": "single_turn",
            "input": {"raw": row["request"] or row["text"], "reference": row["gold"]},
            "output": {"raw": [said]},
            "answer_attribution": [
                {
                    "turn_idx": 0,
                    "source": "output.raw",
                    "extracted_value": said,
                    "extraction_method": "custom",
                    "is_terminal": True,
                }
            ],
            "evaluation": {"score": value, "is_correct": value >= 1},
        }


def hub_dataset(board: Mapping[str, Any]) -> str:
    """The repository of a board's questions on Hugging Face, as its links name it; else words to replace."""
    found = HUB.fullmatch(board["links"].get("data", ""))
    return found[1] if found else f"OWNER/{board['set']['name'] or board['season']}"


def hub_benchmark(boards: Sequence[Mapping[str, Any]]) -> str:
    """The ``eval.yaml`` of the questions' repository: a task for each setting of one season; empty
    where no setting ranks by a share."""
    tasks = [(board, column) for board in boards if (column := _shared(board)) is not None]
    if not tasks:
        return ""
    board, column = tasks[0]
    about = f"Long answers that must cite their sources: {column['name']}"
    split = _text(board["set"]["split"] or "test")
    return (
        f"name: {_text(board['title'])}\ndescription: {_text(about)}\n"
        "evaluation_framework: argue-bench\ntasks:\n"
        + "".join(
            f"  - id: {board['setting']}\n    config: default\n    split: {split}\n"
            for board, _ in tasks
        )
    )


def hub_results(
    board: Mapping[str, Any], site: Mapping[str, Any], dataset: str
) -> Iterator[tuple[str, str]]:
    """Each system with the text of a file for ``.eval_results/`` of its model's repository."""
    column = _shared(board)
    if column is None:
        return
    task = board["setting"]
    address = f"{site['url']}board/{board['season']}/{task}.html" if site["url"] else ""
    for section in board["sections"]:
        for row in section["rows"]:
            value = row["scores"].get(column["key"], {}).get("value")
            if value is None:
                continue
            lines = [
                "- dataset:",
                f"    id: {_text(dataset)}",
                f"    task_id: {task}",
                f"  value: {100 * value:.2f}",
            ]
            if row["created"]:
                lines.append(f"  date: {_text(row['created'])}")
            if address:
                where = f"{address}#{row['system']}"
                lines += ["  source:", f"    url: {_text(where)}"]
                lines.append(f"    name: {_text(site['title'])}")
            note = [column["name"], task, section["group"], f"signature {section['signature']}"]
            lines.append(f"  notes: {_text(', '.join(filter(None, note)))}")
            yield row["system"], "\n".join(lines) + "\n"


def hub_file(board: Mapping[str, Any], site: Mapping[str, Any]) -> str:
    """All results of a board for Hugging Face in one file, each under the name of its system."""
    dataset = hub_dataset(board)
    head = "# Each entry is for a file in .eval_results/ of its system's model on Hugging Face.\n"
    if dataset.startswith("OWNER/"):
        head += f"# {dataset} stands for the repository of the questions there.\n"
    results = hub_results(board, site, dataset)
    return head + "".join(f"# {system}\n{text}" for system, text in results)


def _shared(board: Mapping[str, Any]) -> Json | None:
    """The column by which a board ranks, where its scores are shares, as leaderboards there want them."""
    ranked = (c for c in board["columns"] if c["ranked"] and c["unit"] == "share")
    return next(ranked, None)


def _scored(board: Mapping[str, Any], section: Json, column: Json) -> _Scored:
    config: Json = {
        "evaluation_description": column["about"] or column["name"],
        "lower_is_better": column["better"] == "lower",
        "score_type": "continuous",
        "min_score": 1 if column["unit"] == "rating" else 0,
        "max_score": {"share": 1, "rating": 5}.get(column["unit"], "Infinity"),
        "metric_id": f"argue-bench.{column['key']}",
        "metric_name": column["name"],
        "metric_unit": {"share": "proportion", "rating": "points"}.get(column["unit"], "count"),
        "additional_details": {
            "key": column["key"],
            "ranked_signature": section["signature"],
            **({"judge": column["judge"]} if column["judge"] else {}),
        },
    }
    if column["judge"] and column["judge"] != "lexical":
        judge = {"name": column["judge"], "id": column["judge"]}
        known = {"version": column["judge_version"]} if column["judge_version"] else {}
        config["llm_scoring"] = {
            "judges": [{"model_info": {**judge, "additional_details": {**UNKNOWN, **known}}}],
            "input_prompt": "named by its digest in the signature of the scores",
        }
    name = f"{board['season']}-{board['setting']}/{column['key']}"
    about = {
        "evaluation_result_id": name,
        "evaluation_name": name,
        "source_data": _source(board),
        "metric_config": config,
    }
    return _Scored(column, about, dump(about)[:-1])


def _details(board: Mapping[str, Any], score: Json) -> Json:
    """A score with its uncertainty, as far as it is known."""
    uncertainty: Json = {}
    if score["low"] is not None and score["high"] is not None:
        how = "corrected by people's labels" if "labels" in board["notes"] else METHOD
        ends = {"lower": score["low"], "upper": score["high"], "confidence_level": 0.95}
        uncertainty["confidence_interval"] = {**ends, "method": how}
    if score["n"] is not None:
        uncertainty["num_samples"] = score["n"]
    return {"score": score["value"], **({"uncertainty": uncertainty} if uncertainty else {})}


def _source(board: Mapping[str, Any]) -> Json:
    name = f"{board['set']['name']} {board['set']['split']}".strip() or board["title"]
    if address := board["links"].get("data"):
        return {"dataset_name": name, "source_type": "url", "url": [address]}
    return {"dataset_name": name, "source_type": "other"}


def _model(row: Json) -> Json:
    maker = re.sub(r"[^a-z0-9]+", "-", row["organisation"].lower()).strip("-")
    model = {"name": row["name"], "id": f"{maker or 'unknown'}/{row['system']}"}
    more = {"base_model": row["base_model"], "retriever": row["retriever"]}
    weights = {None: "unknown", True: "open_weights", False: "closed_weights"}
    return {
        **model,
        **({"developer": row["organisation"]} if row["organisation"] else {}),
        "additional_details": {
            **UNKNOWN,
            "model_availability": weights[row["open_weights"]],
            **{key: value for key, value in more.items() if value},
        },
    }


def _uuid(key: str) -> str:
    """A name in the form of a random UUID, as the collection wants files called; the same every time."""
    return str(UUID(bytes=hashlib.sha256(key.encode()).digest()[:16], version=4))


def _seconds(day: str) -> str:
    """The start of a day in seconds since 1970, as that collection wants times; 0 where none is known."""
    if not day:
        return "0"
    return f"{datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp():.0f}"


def _text(value: str) -> str:
    """A YAML string: a JSON string is one, whatever stands in it."""
    return json.dumps(value, ensure_ascii=False)
