"""Exports of a board in the formats of collections of results.

    every-eval-ever   a record for each system and setting (eval.schema.json 0.3.0): scores with their
                      uncertainty and judges, and for open sets a line for each question
    huggingface       ``eval.yaml`` of a benchmark, and ``.eval_results/*.yaml`` for each system's model

Values are shares from 0 to 1, as everywhere in the data; Hugging Face's leaderboards want points.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from argue_bench import __version__

SCHEMA = "0.3.0"
UNKNOWN = {"deployment_type": "unknown", "model_availability": "unknown"}
"""What a record must say of every model, whether anybody knows it or not."""
Json = dict[str, Any]


def every_eval_ever(
    board: Mapping[str, Any], site: Mapping[str, Any]
) -> Iterator[tuple[str, Json]]:
    """Path, as that collection names files, and record of every row of a board."""
    for section in board["sections"]:
        for row in section["rows"]:
            results = [
                _result(board, section, row, column)
                for column in board["columns"]
                if row["scores"].get(column["key"], {}).get("value") is not None
            ]
            if not results:
                continue
            model = _model(row)
            benchmark = f"{board['season']}-{board['setting']}"
            key = f"{benchmark}/{model['id']}/{row['created'] or board['updated']}"
            stamp = _seconds(row["created"] or board["updated"])
            first_party = section["group"] != "published elsewhere"
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
                },
                "eval_library": {
                    "name": "argue-bench" if first_party else "unknown",
                    "version": __version__ if first_party else "unknown",
                },
                "model_info": model,
                "evaluation_results": results,
            }
            yield f"data/{benchmark}/{model['id']}/{_uuid(key)}.json", record


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


def huggingface(
    board: Mapping[str, Any], site: Mapping[str, Any], dataset: str
) -> Iterator[tuple[str, str]]:
    """``eval.yaml`` for the data set's repository ``dataset``, and a file for each model's repository."""
    column = next((c for c in board["columns"] if c["ranked"]), None)
    if column is None or column["unit"] != "share":
        return
    task = board["setting"]
    yield (
        "eval.yaml",
        f"name: {_text(board['title'])}\n"
        f"description: {_text('Long answers that must cite their sources: ' + column['name'])}\n"
        f"evaluation_framework: argue-bench\ntasks:\n  - id: {task}\n    config: default\n"
        f"    split: {_text(board['set']['split'] or 'test')}\n",
    )
    address = f"{site['url']}board/{board['season']}/{board['setting']}.html" if site["url"] else ""
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
            note = f"{column['name']}, {task}, signature {section['signature']}"
            lines.append(f"  notes: {_text(note)}")
            yield (
                f".eval_results/{row['system']}/{board['season']}-{task}.yaml",
                "\n".join(lines) + "\n",
            )


def _result(board: Mapping[str, Any], section: Json, row: Json, column: Json) -> Json:
    score = row["scores"][column["key"]]
    config: Json = {
        "evaluation_description": column["about"] or column["name"],
        "lower_is_better": column["better"] == "lower",
        "score_type": "continuous",
        "min_score": 1 if column["unit"] == "rating" else 0,
        "max_score": {"share": 1, "rating": 5}.get(column["unit"], "Infinity"),
        "metric_id": f"argue-bench.{column['key']}",
        "metric_name": column["name"],
        "metric_unit": {"share": "proportion", "rating": "points"}.get(column["unit"], "count"),
        "additional_details": {"key": column["key"], "signature": section["signature"]},
    }
    if column["judge"] and column["judge"] != "lexical":
        judge = {"name": column["judge"], "id": column["judge"]}
        known = {"version": column["judge_version"]} if column["judge_version"] else {}
        config["llm_scoring"] = {
            "judges": [{"model_info": {**judge, "additional_details": {**UNKNOWN, **known}}}],
            "input_prompt": "named by its digest in the signature of the scores",
        }
    details: Json = {"score": score["value"]}
    uncertainty: Json = {}
    if score["low"] is not None and score["high"] is not None:
        ends = {"lower": score["low"], "upper": score["high"], "confidence_level": 0.95}
        uncertainty["confidence_interval"] = {**ends, "method": "bootstrap over questions"}
    if score["n"] is not None:
        uncertainty["num_samples"] = score["n"]
    if uncertainty:
        details["uncertainty"] = uncertainty
    name = f"{board['season']}-{board['setting']}/{column['key']}"
    return {
        "evaluation_result_id": name,
        "evaluation_name": name,
        "source_data": _source(board),
        "metric_config": config,
        "score_details": details,
    }


def _source(board: Mapping[str, Any]) -> Json:
    name = f"{board['set']['name']} {board['set']['split']}".strip() or board["title"]
    if address := board["links"].get("data"):
        return {"dataset_name": name, "source_type": "url", "url": [address]}
    return {"dataset_name": name, "source_type": "other"}


def _model(row: Json) -> Json:
    maker = "".join(c if c.isalnum() else "-" for c in row["organisation"].lower()).strip("-")
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
