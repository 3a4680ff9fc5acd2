"""The chat client against a real server on loopback: each fault, what follows from it, and what it costs."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import Code, DataError, JudgeError
from argue_bench.models.budget import Budget
from argue_bench.models.chat import Chat, Decoding
from argue_bench.models.providers import (
    find_provider,
    list_providers,
)
from argue_bench.models.reply import Patience, status_fault, strip_thoughts
from argue_bench.models.transport import ChatRequest, Completion, Message
from argue_bench.records import Failed
from tests.models.server import ChatServer

PROVIDERS = list_providers({})
pytest.importorskip("openai", reason="the extra judge is not installed")


def echo(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def requests(count: int) -> list[ChatRequest]:
    return [ChatRequest((Message("user", f"say {n}"),), 16) for n in range(count)]


def run(chat: Chat, wanted: Sequence[ChatRequest]) -> dict[str, Completion | Failed]:
    """Replies by what was asked."""

    async def collect() -> dict[str, Completion | Failed]:
        return {r.messages[-1].text: reply async for r, reply in chat.complete(wanted)}

    return asyncio.run(collect())


def chat_of(server: ChatServer, **options: Any) -> Chat:
    known = {"ARGUE_BENCH_BASE_URL": server.url, **options.pop("known", {})}
    return Chat("server", "m", known=known, **options)


def test_every_request_is_answered_once_and_not_more_at_once_than_said() -> None:
    with ChatServer(model=echo, delay=0.01) as server:
        chat = chat_of(server, known={"ARGUE_BENCH_MAX_CONCURRENCY": "7"})
        replies = run(chat, requests(100))
    assert {name: r.text for name, r in replies.items() if isinstance(r, Completion)} == {
        f"say {n}": f"say {n}" for n in range(100)
    }
    assert server.count == 100
    assert server.most_at_once == 7


def test_what_is_asked_at_the_same_time_shares_the_limit() -> None:
    async def both(chat: Chat) -> int:
        async def count(first: int) -> int:
            wanted = requests(60)[first : first + 30]
            return len([reply async for _, reply in chat.complete(wanted)])

        return sum(await asyncio.gather(count(0), count(30)))

    with ChatServer(model=echo, delay=0.02) as server:
        assert asyncio.run(both(chat_of(server, known={"ARGUE_BENCH_MAX_CONCURRENCY": "7"}))) == 60
    assert server.count == 60
    assert server.most_at_once == 7


@pytest.mark.parametrize(("provider", "told"), [("openai", True), ("together", False)])
def test_whose_account_it_is_at_openai_is_told_to_openai_only(provider: str, told: bool) -> None:
    heads: list[str] = []

    class Listening(ChatServer):
        def _look_at(self, head: str, body: dict[str, Any]) -> None:
            heads.append(head)
            super()._look_at(head, body)

    with Listening(model=echo) as server:
        known = {
            PROVIDERS[provider].url_variable: server.url,
            PROVIDERS[provider].key_variable: "k-of-mine",
            "OPENAI_ORG_ID": "org-of-mine",
            "OPENAI_PROJECT_ID": "project-of-mine",
        }
        run(Chat(provider, known=known), requests(1))
    (head,) = heads
    assert "Bearer k-of-mine" in head
    assert ("org-of-mine" in head, "project-of-mine" in head) == (told, told)


@pytest.mark.parametrize(
    "trick", ["500", "503", "429", "408", "drop", "half", "html", "truncated", "list", "error"]
)
def test_a_passing_fault_is_tried_again_and_nothing_more(trick: str) -> None:
    with ChatServer(model=echo, trick=lambda n, _: trick if n < 2 else "") as server:
        replies = run(chat_of(server), requests(1))
    reply = replies["say 0"]
    assert isinstance(reply, Completion)
    assert reply.text == "say 0"
    assert server.count == 3


@pytest.mark.parametrize(
    ("trick", "match"),
    [
        ("401", "Is the key right"),
        ("402", "no money"),
        ("404", "Are the model and the base URL right"),
        ("429 insufficient_quota", "no money or quota"),
    ],
)
def test_what_can_never_succeed_is_asked_once(trick: str, match: str) -> None:
    with ChatServer(trick=lambda n, _: trick) as server:
        chat = chat_of(server, known={"ARGUE_BENCH_MAX_CONCURRENCY": "1"})
        with pytest.raises(JudgeError, match=match):
            run(chat, requests(50))
    assert server.count == 1


def test_a_bad_request_fails_alone_and_at_once() -> None:
    def trick(number: int, body: dict[str, Any]) -> str:
        return "400" if "say 3" in echo(body) else ""

    with ChatServer(model=echo, trick=trick) as server:
        replies = run(chat_of(server), requests(10))
    assert [name for name, r in replies.items() if isinstance(r, Failed)] == ["say 3"]
    assert server.count == 10


def test_replies_under_way_come_in_before_the_run_stops() -> None:
    def trick(number: int, body: dict[str, Any]) -> str:
        return "401" if "say 0" in echo(body) else "slow 0.2"

    async def collect(chat: Chat) -> list[str]:
        came = []
        try:
            async for _, reply in chat.complete(requests(100)):
                assert isinstance(reply, Completion)
                came.append(reply.text)
        except JudgeError:
            came.append("lost")
        return came

    with ChatServer(model=echo, trick=trick) as server:
        came = asyncio.run(collect(chat_of(server, known={"ARGUE_BENCH_MAX_CONCURRENCY": "5"})))
    assert sorted(came) == ["lost", "say 1", "say 2", "say 3", "say 4"]
    assert server.count == 5


def test_nobody_there_is_told_soon_and_a_pause_is_waited_out() -> None:
    with ChatServer() as server:
        pass
    start = time.monotonic()
    with pytest.raises(JudgeError, match="each tried 3 times"):
        run(chat_of(server), requests(9))
    assert time.monotonic() - start < 10
    with ChatServer(model=echo, trick=lambda n, _: "drop" if n < 7 else "") as server:
        assert isinstance(run(chat_of(server), requests(1))["say 0"], Completion)
    assert server.count == 8


def test_a_proxy_that_is_not_there_is_named_and_nothing_counts_as_paid(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with ChatServer() as gone:
        pass
    monkeypatch.setenv("HTTP_PROXY", gone.url.removesuffix("/v1"))
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    prices = tmp_path / "providers.toml"
    prices.write_text("[server]\nin = 9\nout = 9\n")
    with ChatServer() as server:
        chat = chat_of(server, known={"ARGUE_BENCH_PROVIDERS": str(prices)})
        chat.set_budget(Budget(1.0))
        with pytest.raises(
            JudgeError, match=r"each tried 3 times.*no connection to the proxy that"
        ):
            run(chat, requests(9))
    assert server.count == 0
    assert chat.budget is not None
    assert chat.budget.spent == 0


def test_waits_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("argue_bench.models.reply._FIRST_WAIT", 8.0)
    patience = Patience("server/m", "here", retries=4)
    patience.note_answer()
    fault = status_fault(500, "", {}, ())
    for tries, most in enumerate((8, 16, 30, 30), 1):
        pause = patience.pause(fault, fault.reason, tries)
        assert pause is not None
        assert most / 2 <= pause <= most
    assert patience.pause(fault, fault.reason, 5) is None


def test_a_slow_reply_is_given_up_and_tried_again() -> None:
    with ChatServer(model=echo, trick=lambda n, _: "slow 5" if n == 0 else "") as server:
        start = time.monotonic()
        reply = run(chat_of(server, timeout=0.3), requests(1))["say 0"]
    assert isinstance(reply, Completion)
    assert time.monotonic() - start < 3
    assert server.count == 2


@pytest.mark.parametrize("parameter", ["temperature", "seed"])
def test_a_refused_parameter_is_dropped_once_for_all(parameter: str) -> None:
    with ChatServer(model=echo, refuses={parameter}) as server:
        chat = chat_of(
            server, decoding=Decoding(seed=1), known={"ARGUE_BENCH_MAX_CONCURRENCY": "1"}
        )
        replies = run(chat, requests(5))
    assert all(isinstance(reply, Completion) for reply in replies.values())
    assert list(chat.dropped) == [parameter]
    assert server.count == 6
    assert [parameter in body for body in server.requests] == [True, *[False] * 5]


def test_a_refused_token_limit_takes_its_other_name() -> None:
    with ChatServer(model=echo, refuses={"max_tokens"}) as server:
        run(chat_of(server, known={"ARGUE_BENCH_MAX_CONCURRENCY": "1"}), requests(2))
    assert [body.get("max_completion_tokens") for body in server.requests] == [None, 16, 16]


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=lambda p: p.name)
def test_every_provider_has_its_path_its_key_and_its_default_model(provider: Any) -> None:
    with ChatServer(model=echo, key="k-123") as server:
        known = {provider.url_variable: server.url, provider.key_variable: "k-123"}
        chat = Chat(provider.name, provider.model or "m", known=known)
        reply = run(chat, requests(1))["say 0"]
    assert isinstance(reply, Completion)
    paths = {"anthropic": "/v1/messages", "azure": "/v1/openai/v1/chat/completions"}
    assert server.paths == [paths.get(provider.dialect, "/v1/chat/completions")]
    assert server.requests[0]["model"] == (provider.model or "m")


@pytest.mark.parametrize(
    ("known", "match"),
    [
        ({}, "OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "localhost:8000"}, "not a base URL"),
        ({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "ftp://x/v1"}, "not a base URL"),
        ({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://"}, "not a base URL"),
        ({"OPENAI_API_KEY": "a b"}, "characters that no key has"),
        ({"OPENAI_API_KEY": "k", "ARGUE_BENCH_MAX_CONCURRENCY": "many"}, "not a number"),
        ({"OPENAI_API_KEY": "k", "ARGUE_BENCH_MAX_CONCURRENCY": "0"}, "not a number"),
        ({"OPENAI_API_KEY": "k", "ARGUE_BENCH_TIMEOUT": "1e9"}, "not a number"),
    ],
)
def test_settings_that_cannot_be_are_said(known: Mapping[str, str], match: str) -> None:
    with pytest.raises(JudgeError, match=match):
        Chat("openai", "m", known=known)


def test_env_files_are_read_and_the_environment_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from argue_bench.models.environment import environment

    (tmp_path / ".env").write_text("TOGETHER_API_KEY=from-file\nOPENAI_API_KEY=from-file\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOGETHER_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "from-environment")
    known = environment()
    assert known["TOGETHER_API_KEY"] == "from-file"
    assert known["OPENAI_API_KEY"] == "from-environment"


@pytest.mark.parametrize(
    ("written", "exported", "refused"),
    [
        ("OPENAI_BASE_URL=URL", {"OPENAI_API_KEY": "mine"}, "OPENAI_API_KEY comes from the env"),
        ("OPENAI_BASE_URL=URL\nOPENAI_API_KEY=x", {"OPENAI_API_KEY": "mine"}, "OPENAI_API_KEY"),
        ("OPENAI_BASE_URL=URL\nOPENAI_API_KEY=x", {}, ""),
        ("OPENAI_API_KEY=x", {"OPENAI_BASE_URL": "URL"}, ""),
        ("ARGUE_BENCH_PROVIDERS=.rows", {"OPENAI_API_KEY": "mine"}, "says where keys go"),
        ("A=b", {"ARGUE_BENCH_PROVIDERS": ".rows", "OPENAI_API_KEY": "mine"}, ""),
    ],
)
def test_a_folder_gets_no_key_from_elsewhere(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    written: str,
    exported: dict[str, str],
    refused: str,
) -> None:
    """Whoever made the folder may have made its ``.env``: an address there gets no key but that of the file."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with ChatServer(model=echo) as server:
        (tmp_path / ".env").write_text(written.replace("URL=URL", f"URL={server.url}"))
        (tmp_path / ".rows").write_text(f"[openai]\nurl = '{server.url}'\n")
        for name, value in exported.items():
            monkeypatch.setenv(name, value.replace("URL", server.url))
        if refused:
            with pytest.raises(JudgeError, match=refused):
                Chat("openai", "m")
        else:
            run(Chat("openai", "m"), requests(1))
        assert server.count == (not refused)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>it says yes</think> no", "no"),
        ("it says yes</think>no", "no"),
        ("no <think>but perhaps yes", "no <think>but perhaps yes"),
        ("<think>a</think>no<think>or yes</think>", "no<think>or yes</think>"),
        ("<thinking>yes</thinking>\n<reasoning>yes</reasoning>no", "no"),
        ("a < b", "a < b"),
        ('{"verdict": "the <think> tag"}', '{"verdict": "the <think> tag"}'),
        ("[THINK]yes[/THINK]no [1]", "no [1]"),
        ("yes[/THINK]no", "no"),
        ("as some [think]", "as some [think]"),
        ("\u25c1think\u25b7yes\u25c1/think\u25b7no", "no"),
        (
            "<|channel|>analysis<|message|>yes<|end|><|start|>assistant<|channel|>final<|message|>no",
            "no",
        ),
        ("<|channel|>final <|constrain|>json<|message|>{}<|return|>", "{}"),
        ("<|channel|>final json<|message|>no<|return|>", "no"),
        ("<|channel|>analysis<|message|>yes", ""),
    ],
)
def test_thoughts_are_dropped(text: str, left: str) -> None:
    assert strip_thoughts(text) == left


def test_a_budget_is_never_passed_and_says_what_to_do(tmp_path: Path) -> None:
    prices = tmp_path / "providers.toml"
    prices.write_text("[server]\nin = 1000.0\nout = 2000.0\n")
    with ChatServer(model=echo, delay=0.005) as server:
        chat = chat_of(server, known={"ARGUE_BENCH_PROVIDERS": str(prices)})
        budget = Budget(2.0)
        chat.set_budget(budget)
        with pytest.raises(JudgeError, match=r"budget of \$2.00 is spent"):
            run(chat, requests(5000))
    # Each costs 1 token in and 1 out (5 // 4): 0.003 dollars.
    assert budget.spent == pytest.approx(server.count * 0.003)
    assert budget.spent <= 2.0
    assert 2.0 - budget.spent < 1.05 * chat.most_of(chat.wording(requests(1)[0]))


def test_a_lost_call_counts_against_the_budget(tmp_path: Path) -> None:
    prices = tmp_path / "providers.toml"
    prices.write_text("[server]\nin = 1000.0\nout = 2000.0\n")
    with ChatServer(model=echo, trick=lambda n, _: "drop" if n == 0 else "") as server:
        chat = chat_of(server, known={"ARGUE_BENCH_PROVIDERS": str(prices)})
        budget = Budget(2.0)
        chat.set_budget(budget)
        run(chat, requests(1))
    # A byte is a token at worst, 64 are the frame, 16 are written.
    body = chat.wording(requests(1)[0])
    most = (len(json.dumps(body)) + 64) * 0.001 + 16 * 0.002
    assert budget.spent == pytest.approx(most + 0.003)


def own(tmp_path: Path, text: str) -> dict[str, str]:
    """The environment with a file of providers of one's own."""
    file = tmp_path / "providers.toml"
    file.write_text(text)
    return {"ARGUE_BENCH_PROVIDERS": str(file)}


def test_rows_of_ones_own_come_first_value_by_value(tmp_path: Path) -> None:
    text = """
        [[openai.models]]
        model = "gpt-5-mini*"
        in = 7
        out = 8
        [server]
        structured = "json_schema"
        [my-lab]
        url = "http://lab.example.org:8000/v1"
        structured = "none"
        body = { top_k = 1 }
        models = [{ model = "big*", structured = "json_schema", body = { extra = true } }]
    """
    known = own(tmp_path, text)
    openai = find_provider("openai", known)
    price = openai.price("gpt-5-mini")
    assert price is not None
    assert price.of(1_000_000, 500_000) == 11.0
    assert openai.capabilities("gpt-5-mini").reasoning  # the shipped row still says so
    assert openai.url == "https://api.openai.com/v1"
    assert find_provider("server", known).capabilities("m").structured == "json_schema"
    assert find_provider("server", known).price("m") is None
    lab = find_provider("my-lab", known)
    assert (lab.key_variable, lab.url_variable, lab.keyless) == (
        "MY_LAB_API_KEY",
        "MY_LAB_BASE_URL",
        True,
    )
    assert not lab.paid
    assert list_providers(known)["openai"].paid
    assert lab.capabilities("small").structured == "none"
    assert lab.capabilities("big-1").structured == "json_schema"
    assert lab.capabilities("big-1").body == {"top_k": 1, "extra": True}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[x]\nin = -1\nout = 8", "x.in is -1"),
        ("[x]\nin = 1", "expected both in and out, or neither"),
        ("[x]\ntemprature = true", "Did you mean 'temperature'"),
        ("[x]\ndialect = 'french'", "x.dialect is 'french'"),
        ("[X]\nin = 1\nout = 1", "a short name in lower case"),
        ("[x", "is not TOML"),
        ("x = 1", "x is 1"),
    ],
)
def test_a_file_of_providers_is_checked(tmp_path: Path, text: str, found: str) -> None:
    with pytest.raises(DataError) as error:
        find_provider("openai", own(tmp_path, text))
    (finding,) = error.value.findings
    assert finding.code == Code.WRONG_SHAPE
    assert found in f"{finding.message} {finding.hint}"
    assert "providers.toml" in finding.file


def test_a_server_without_a_key_that_has_a_price_costs_money(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from argue_bench.judges import is_paid

    text = (
        '[lab]\nurl = "http://lab.example.org/v1"\n[[lab.models]]\nmodel = "big"\nin = 1\nout = 1'
    )
    for name, value in own(tmp_path, text).items():
        monkeypatch.setenv(name, value)
    assert is_paid("lab/big")
    assert not is_paid("vllm/m")


@pytest.mark.parametrize(
    ("message", "more", "parameter"),
    [
        ("Unsupported parameter: 'max_tokens' is not supported with this model.", {}, "max_tokens"),
        ("seed: Extra inputs are not permitted", {}, "seed"),
        ("Unknown name response_format", {}, "response_format"),
        (
            "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is supported.",
            {"param": "temperature", "code": "unsupported_value"},
            "temperature",
        ),
        ("`temperature` is deprecated for this model.", {}, "temperature"),
        (
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more",
            {"type": "invalid_request_error", "param": None, "code": None},
            "response_format",
        ),
        (
            "The parameter `response_format.type` specified in the request are not valid: invalid value: `json_schema`, "
            "supported values are: `json_object` and `text`",
            {"param": "response_format.type", "code": "InvalidParameter"},
            "response_format",
        ),
        ("temperature and top_p cannot both be specified for this model.", {}, "temperature"),
    ],
)
def test_refusals_that_live_servers_were_seen_to_give(
    message: str, more: dict[str, Any], parameter: str
) -> None:
    sent = {"model", "messages", "max_tokens", "temperature", "top_p", "seed", "response_format"}
    fault = status_fault(400, json.dumps({"error": {"message": message, **more}}), {}, sent)
    assert (fault.kind, fault.parameter) == ("drop", parameter)
