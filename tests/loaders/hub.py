"""A hub of Hugging Face in small: it serves the files of data sets to `datasets` on this machine."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "a" * 40
Files = Mapping[str, bytes]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sets: Mapping[str, Files] = {}

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, *words: object) -> None:
        """Nothing is logged."""

    def _answer(self) -> None:
        path = self.path.partition("?")[0]
        for name, files in self.sets.items():
            about = path.removeprefix(f"/api/datasets/{name}")
            kept = path.removeprefix(f"/datasets/{name}/resolve/").partition("/")[2]
            if about.startswith("/tree/"):
                folder = about.split("/", 3)[3] if about.count("/") > 2 else ""
                tree = [
                    {"type": "file", "path": one, "size": len(data), "oid": _digest(data)}
                    for one, data in files.items()
                    if one.startswith(folder)
                ]
                return self._send(tree)
            if about == "" or about.startswith("/revision"):
                listed = [{"rfilename": one} for one in files]
                return self._send({"id": name, "sha": COMMIT, "siblings": listed, "tags": []})
            if kept in files:
                return self._send(files[kept], ETag=f'"{_digest(files[kept])}"')
        return self._send({}, 404)

    def _send(self, said: Any, status: int = 200, **headers: str) -> None:
        data = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        for name, value in {"X-Repo-Commit": COMMIT, **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)


def _digest(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


def data_set(splits: Mapping[tuple[str, str], list[Any]]) -> Files:
    """A data set's files: a file of lines for each configuration and split, and the card that names them."""
    files, lines = {}, ["---", "configs:"]
    for (config, split), rows in splits.items():
        place = f"{config}/{split}.jsonl"
        files[place] = "".join(json.dumps(row) + "\n" for row in rows).encode()
        lines += [f"- config_name: {config}", "  data_files:"]
        lines += [f"  - split: {split}", f"    path: {place}"]
    return {**files, "README.md": "\n".join([*lines, "---", ""]).encode()}


@contextmanager
def serving(sets: Mapping[str, Files]) -> Iterator[str]:
    """The address of a hub that has these data sets, by their names."""
    handler = type("Handler", (_Handler,), {"sets": sets})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
