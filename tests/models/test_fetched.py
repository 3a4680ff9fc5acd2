"""Published models by name: fetched from a hub on loopback, held to their digests, and read as judges."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.errors import DataError, UnknownName
from argue_bench.judges import create_judge
from argue_bench.models import folder as folders
from argue_bench.models.folder import fetch_model, fetched_models
from argue_bench.records import Entails, Source, Verdict
from tests.judges.test_recorded import ask_all
from tests.models import tiny

NAME = "minicheck-roberta-large"


def commit(repository: str) -> str:
    return hashlib.sha1(repository.encode()).hexdigest()


class Hub(ThreadingHTTPServer):
    """Serves folders as repositories, as the hub's client asks for them."""

    def __init__(self, folders: dict[str, Path]) -> None:
        self.folders = folders
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def _send(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        for name, folder in self.server.folders.items():
            if path.startswith(f"/api/models/{name}"):
                files = [
                    {"type": "file", "oid": "0", "path": f.name, "rfilename": f.name}
                    | {"size": f.stat().st_size}
                    for f in folder.iterdir()
                ]
                about: Any = {"id": name, "sha": commit(name), "siblings": files}
                about = files if "/tree/" in path else about
                return self._send(json.dumps(about).encode(), Content_Type="application/json")
            if path.startswith(f"/{name}/resolve/{commit(name)}/"):
                body = (folder / path.rpartition("/")[2]).read_bytes()
                etag = hashlib.sha256(body).hexdigest()
                return self._send(body, X_Repo_Commit=commit(name), ETag=f'"{etag}"')
        return self._send(b"", 404)

    do_HEAD = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    constants = pytest.importorskip("huggingface_hub.constants", reason="needs argue-bench[neural]")
    folder = tiny.classifier(tmp_path / "published", labels=("no", "yes"), positions=520)
    (folder / "evil.py").write_text("raise SystemExit('code of a model was run')")
    server = Hub({fetched_models()[NAME].repository: folder})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    for name, value in (("ENDPOINT", url), ("HF_HUB_OFFLINE", False)):
        monkeypatch.setattr(constants, name, value)
    monkeypatch.setattr(
        constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + "/{repo_id}/resolve/{revision}/{filename}"
    )
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield server
    server.shutdown()
    server.server_close()


def test_a_fetched_model_judges_by_its_name(hub: Hub) -> None:
    with pytest.raises(DataError, match=f"judge get {NAME}"):
        create_judge(NAME)
    said = CliRunner().invoke(main, ["judge", "get", NAME])
    assert said.exit_code == 0, said.output
    repository = fetched_models()[NAME].repository
    assert f"fetched: {repository} at {commit(repository)[:12]}" in said.output
    assert "was trusted" in said.output  # no digest was known beforehand
    judge = create_judge(f"{NAME},dtype=float32")
    reply = ask_all(judge, [Entails((Source("d", "the wall was built"),), "the wall")])[0]
    assert isinstance(reply, Verdict)
    assert judge.identity()["input"] == NAME
    assert str(Path.home()) not in json.dumps([judge.name, dict(judge.identity())])


def test_later_fetches_are_held_to_the_first(hub: Hub) -> None:
    folder, record, new = fetch_model(NAME)
    assert new
    assert record["revision"] == commit(record["repository"])
    assert set(record["files"]) == {path.name for path in folder.iterdir()} - {"fetched.json"}
    assert not (folder / "evil.py").exists()
    assert fetch_model(NAME)[1:] == (record, False)
    (folder / "config.json").write_text("{}")  # damaged here: fetched again, and the same
    assert fetch_model(NAME)[1:] == (record, True)
    weights = next(iter(hub.folders.values())) / "model.safetensors"
    weights.write_bytes(b"\x01" + weights.read_bytes()[1:])
    (folder / "model.safetensors").unlink()
    with pytest.raises(DataError, match="another digest"):
        fetch_model(NAME)
    assert not [path for path in folder.parent.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"files": {"config.json": "0" * 64}}, "another digest"),
        ({"files": {"lacking.json": "0" * 64}}, "it is not there"),
        ({"gigabytes": 1e-9}, "more than 2 x"),
        ({"repository": "nobody/nothing"}, "could not be fetched"),
    ],
)
def test_what_a_hub_may_not_serve(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], why: str
) -> None:
    model = replace(fetched_models()[NAME], **changed)
    monkeypatch.setattr(folders, "fetched_models", lambda: {NAME: model})
    with pytest.raises(DataError, match=why):
        fetch_model(NAME)
    assert not folders.fetched_folder(NAME).exists()


def test_a_tokenizer_from_elsewhere_comes_along(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    (served,) = hub.folders.values()
    apart = served.with_name("tokenizer")
    apart.mkdir()
    for path in served.glob("tokenizer*"):
        path.rename(apart / path.name)
    hub.folders["google/flan-t5-base"] = apart
    model = replace(fetched_models()[NAME], tokenizer="google/flan-t5-base")
    monkeypatch.setattr(folders, "fetched_models", lambda: {NAME: model})
    assert (fetch_model(NAME)[0] / "tokenizer.json").is_file()


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(UnknownName, match="hhem-2"):
        fetch_model("hhem")
