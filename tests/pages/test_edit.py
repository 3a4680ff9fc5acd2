"""The page for editing nuggets: what it saves, whom its server refuses, and a person in a browser."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.drafting.gold import EditableNugget, nugget_from_json, read_drafts, save
from argue_bench.errors import DataError
from argue_bench.loaders import load
from argue_bench.loaders.core.writing import write_folder
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.nuggets import read_topics
from argue_bench.pages.edit import EditServer, edit_page
from argue_bench.pages.edit.server import MOST_BYTES
from argue_bench.records import Document, Gold, Question

HOSTILE = "</script><img src=x onerror=alert(1)>"
TOPIC = Question("t1", "What of the mine?", documents=("d1", "d2"), gold=Gold(answer="It closed."))
CLOSED = EditableNugget("t1", "it closed in 1987", "", "okay", ("d1",), "d1", "It closed in 1987.")
SHUT = EditableNugget("t1", "shut in 1987", "", "vital", ("d2",), "d2", "Shut in 1987.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = {id: Document(id, f"Text {id}.") for id in ("d1", "d2")}
    write_folder(tmp_path / "set", Dataset("mine", "dev", (TOPIC,), documents))
    save(tmp_path / "set", [CLOSED, SHUT])
    return tmp_path / "set"


@pytest.fixture
def server(folder: Path) -> Iterator[EditServer]:
    dataset = load(folder)
    with EditServer(
        dataset, read_drafts(folder, dataset), lambda edited: save(folder, edited).nuggets
    ) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def test_what_is_saved_is_gold_and_a_nugget_file_and_other_gold_stays(folder: Path) -> None:
    done = save(folder, [CLOSED, EditableNugget(**{**asdict(SHUT), "state": "rejected"})])
    assert done.nuggets == 1
    gold = load(folder).question("t1").gold
    assert gold is not None
    assert gold.answer == "It closed."
    (nugget,) = gold.nuggets
    assert (nugget.question, nugget.weight) == (TOPIC.text, "okay")
    assert (nugget.answers[0].text, nugget.answers[0].references) == (CLOSED.text, ("d1",))
    topics, _ = read_topics(folder / "nuggets")
    assert [one.answers[0].text for one in topics["t1"].nuggets] == [CLOSED.text]
    # The rejected one is kept for the page, and comes back when it is accepted.
    assert [one.state for one in read_drafts(folder, load(folder))] == ["drafted", "rejected"]


def test_gold_without_drafts_can_be_edited_too(folder: Path) -> None:
    (folder / "drafts.jsonl").unlink()
    found = read_drafts(folder, load(folder))
    assert [(one.text, one.importance, one.state) for one in found] == [
        (CLOSED.text, "okay", "accepted"),
        (SHUT.text, "vital", "accepted"),
    ]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"topic": "t9"}, "there is no question 't9'"),
        ({"text": " "}, "the text of a nugget has 1 to"),
        ({"text": "x" * 2_001}, "the text of a nugget has 1 to"),
        ({"importance": "high"}, "importance is 'high'"),
        ({"state": "gone"}, "state is 'gone'"),
        ({"references": ["d9"]}, "there is no document 'd9'"),
        ({"references": "d1"}, "references is not a list of texts"),
        ({"references": [1]}, "references is not a list of texts"),
        ({"weight": 3}, "not weight"),
        ({"text": None}, "text is not a text"),
    ],
)
def test_a_nugget_of_another_form_is_refused(folder: Path, change: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        nugget_from_json({**asdict(CLOSED), "references": ["d1"], **change}, load(folder))


def test_a_file_of_drafts_with_errors_names_the_lines(folder: Path) -> None:
    with (folder / "drafts.jsonl").open("a") as file:
        file.write('{"topic": "t1"}\nnot json\n')
    with pytest.raises(DataError) as error:
        read_drafts(folder, load(folder))
    assert [one.line for one in error.value.findings] == [3, 4]


def call(
    server: EditServer, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, str]:
    """The status and body of a request with exactly these headers."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders(body)
    reply = connection.getresponse()
    told = reply.status, reply.read().decode()
    connection.close()
    return told


def good(server: EditServer, body: bytes = b"[]") -> dict[str, str]:
    return {
        "Host": f"127.0.0.1:{server.server_port}",
        "X_Token": server.token,
        "Content_Type": "application/json",
        "Content_Length": str(len(body)),
    }


def test_the_page_and_its_save_work(server: EditServer, folder: Path) -> None:
    status, page = call(
        server, "GET", f"/?token={server.token}", Host=f"localhost:{server.server_port}"
    )
    assert (status, CLOSED.text in page) == (200, True)
    edited = [{**asdict(CLOSED), "text": "closed for good", "references": ["d1", "d2"]}]
    body = json.dumps(edited).encode()
    assert call(server, "POST", "/save", body, **good(server, body)) == (200, '{"nuggets": 1}')
    gold = load(folder).question("t1").gold
    assert gold is not None
    assert gold.nuggets[0].answers[0].text == "closed for good"
    assert "closed for good" in server.page()  # a page that is loaded again shows what was saved


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"X_Token": ""}, 403),
        ({"X_Token": "x" * 32}, 403),
        ({"X_Token": "\u00e9"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Length": "-1"}, 411),
        ({"Content_Length": "many"}, 411),
        ({"Content_Length": str(MOST_BYTES + 1)}, 413),
        ({"Content_Length": "9" * 400}, 413),
    ],
    ids=lambda value: str(value)[:40],
)
def test_hostile_requests_are_refused_and_change_nothing(
    server: EditServer, folder: Path, change: dict[str, str], status: int
) -> None:
    before = (folder / "gold.jsonl").read_bytes()
    assert call(server, "POST", "/save", b"[]", **{**good(server), **change})[0] == status
    assert (folder / "gold.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[1]",
        b"[" * 100_000,
        b'[{"topic": "t1"}]',
        b'[{"topic": "\\ud800"}]',
        b"\xff",
        b"NaN",
    ],
    ids=lambda body: str(body)[:20],
)
def test_bodies_of_another_form_are_refused(server: EditServer, folder: Path, body: bytes) -> None:
    before = (folder / "gold.jsonl").read_bytes()
    status, told = call(server, "POST", "/save", body, **good(server, body))
    assert (status, "error" in json.loads(told)) == (400, True)
    assert (folder / "gold.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 403), ("GET", "/?token=", 403), ("PUT", "/save", 501), ("DELETE", "/", 501)],
)
def test_nothing_is_shown_without_the_token(
    server: EditServer, method: str, path: str, status: int
) -> None:
    told = call(server, method, path, Host=f"127.0.0.1:{server.server_port}")
    assert told[0] == status
    assert CLOSED.text not in told[1]


def test_foreign_text_is_data_of_the_page_and_never_markup(folder: Path) -> None:
    page = edit_page(load(folder), [EditableNugget("t1", HOSTILE, sentence=HOSTILE)])
    assert HOSTILE not in page
    assert "<img" not in page


def test_the_page_without_a_server_saves_a_file_that_the_command_takes(
    folder: Path, tmp_path: Path
) -> None:
    page, edited = tmp_path / "page.html", tmp_path / "edited.json"
    runner = CliRunner()
    assert runner.invoke(main, ["data", "edit", str(folder), "--page", str(page)]).exit_code == 0
    assert CLOSED.text in page.read_text()
    edited.write_text(json.dumps([{**asdict(CLOSED), "state": "accepted"}, {"topic": "t1"}]))
    wrong = runner.invoke(main, ["data", "edit", str(folder), "--apply", str(edited)])
    assert (wrong.exit_code, "nugget 2" in wrong.stderr) == (1, True)
    edited.write_text(json.dumps([{**asdict(CLOSED), "state": "accepted"}]))
    done = runner.invoke(main, ["data", "edit", str(folder), "--apply", str(edited)])
    assert done.exit_code == 0, done.output
    assert "1 nuggets are gold" in done.stdout
