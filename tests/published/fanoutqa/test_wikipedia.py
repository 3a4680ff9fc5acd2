"""Wikipedia from a server that really listens, on good days and bad."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from argue_bench.errors import DataError, UsageError
from argue_bench.published.fanoutqa import wikipedia as wikipedia_pages
from argue_bench.published.fanoutqa.wikipedia import MediaWiki, Wikipedia, wiki_content, wiki_search
from argue_bench.records import Evidence
from argue_bench.retrieval import Corpus
from tests.published.fanoutqa.wiki_server import IDS, WikiServer, serving


@pytest.fixture
def server() -> Iterator[WikiServer]:
    with serving() as server:
        yield server


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wikipedia_pages, "_WAIT", 0.01)


def quick(server: WikiServer) -> MediaWiki:
    return MediaWiki(f"{server.url}/w/api.php", tries=2, timeout=0.5, pause=0.0)


@pytest.fixture
def wikipedia(server: WikiServer, tmp_path: Path) -> Callable[[], Wikipedia]:
    """A new Wikipedia over the same cache at each call."""

    def made() -> Wikipedia:
        source = quick(server)
        return Wikipedia(source, tmp_path / "cache", {"FANOUTQA_CACHE_DIR": str(tmp_path)})

    return made


def evidence(title: str) -> Evidence:
    return Evidence(
        IDS.get(title), 1000 * IDS[title] if title in IDS else None, title, f"u/{title}"
    )


def test_a_page_is_markdown_with_its_infobox_and_tables(wikipedia: Callable[[], Wikipedia]) -> None:
    text = wikipedia().content(evidence("Pat Burrell"))
    assert "| Bats | Right |" in text
    assert "## Career" in text
    assert "Pat Burrell was drafted first in 1998." in text
    assert "| Year | Hits |\n| --- | --- |\n| 1999 | 12 |" in text
    assert "* one\n* two" in text
    for left_out in ("[3]", "edit", "alert", "color", "Other players", "http", "/wiki/"):
        assert left_out not in text


def test_a_page_is_asked_once_and_kept(
    wikipedia: Callable[[], Wikipedia], server: WikiServer
) -> None:
    first = wikipedia().content(evidence("Pat Burrell"))
    assert wikipedia().content(evidence("Pat Burrell")) == first
    assert server.asked["Pat Burrell"] == 1


@pytest.mark.parametrize("title", ["Busy", "Garbled"])
def test_what_gets_better_is_read(wikipedia: Callable[[], Wikipedia], title: str) -> None:
    text = wikipedia().content(evidence(title))
    assert ("after & all" if title == "Garbled" else f"{title} was drafted") in text


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Broken", "too many 503"),
        ("Away", "answers 302"),
        ("Slow", "timed out"),
        ("Cut", "IncompleteRead"),
    ],
)
def test_what_stays_bad_is_an_error_that_names_the_published_cache(
    wikipedia: Callable[[], Wikipedia], server: WikiServer, tmp_path: Path, title: str, said: str
) -> None:
    with pytest.raises(DataError) as caught:
        wikipedia().content(evidence(title))
    assert said in str(caught.value)
    assert "wikicache.tar.gz" in str(caught.value)
    assert not list(tmp_path.rglob("*.md"))


def test_a_missing_page_is_told_and_asked_for_again_in_another_run(
    wikipedia: Callable[[], Wikipedia], server: WikiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = wikipedia()
    for _ in range(2):
        with pytest.raises(DataError, match=r"has no page 'Missing'.*unknown-id"):
            run.content(evidence("Missing"))
    assert server.asked["Missing"] == 1
    with pytest.raises(DataError, match="unknown-id"):
        wikipedia().content(evidence("Missing"))
    assert server.asked["Missing"] == 2
    # The server has it again: what was kept of the day before does not count.
    monkeypatch.setattr(MediaWiki, "html", lambda *_: "<p>It is back.</p>")
    assert wikipedia().content(evidence("Missing")) == "It is back."


def test_a_page_nested_beyond_sense_is_told(wikipedia: Callable[[], Wikipedia]) -> None:
    with pytest.raises(DataError, match="nested too deeply"):
        wikipedia().content(evidence("Deep"))


def test_search_finds_pages_that_can_be_read(
    wikipedia: Callable[[], Wikipedia], server: WikiServer
) -> None:
    (found,) = wikipedia().search("burrell")
    assert found.title == "Pat Burrell"
    assert found.url.startswith(server.url)
    assert "Pat Burrell was drafted" in wikipedia().content(found)
    asked = len(server.paths)
    assert wikipedia().search(" burrell ") == [found]
    assert len(server.paths) == asked
    assert wikipedia().search("  ") == []


def test_a_page_without_revision_is_read_as_at_the_epoch(
    server: WikiServer, tmp_path: Path
) -> None:
    wikipedia = Wikipedia(quick(server), tmp_path, {})
    wikipedia.content(Evidence(IDS["Pat Burrell"], None, "Pat Burrell", ""))
    assert "rvstart=2023-11-20" in server.paths[0]
    assert "oldid=1007" in server.paths[1]
    wikipedia.content(Evidence(None, None, "Garbled", ""))
    assert "titles=Garbled" in server.paths[2]
    with pytest.raises(DataError, match="unknown-id"):
        wikipedia.content(Evidence(IDS["Young"], None, "Young", ""))


def test_a_page_found_by_search_that_was_not_there_yet_is_passed_over(
    wikipedia: Callable[[], Wikipedia],
) -> None:
    pages = [evidence("Missing"), evidence("Pat Burrell")]
    assert list(wikipedia().documents(pages, pass_over_missing=True)) == ["Pat Burrell"]
    with pytest.raises(DataError, match="unreadable"):
        wikipedia().documents([*pages, evidence("Deep")], pass_over_missing=True)


def test_requests_keep_their_distance_and_say_who_asks(server: WikiServer, tmp_path: Path) -> None:
    live = MediaWiki(f"{server.url}/w/api.php", "ada@example.org", pause=0.15)
    Wikipedia(live, tmp_path, {}).documents([evidence("Pat Burrell"), evidence("Garbled")])
    assert server.times[1] - server.times[0] >= 0.15
    (agent,) = server.agents
    assert agent.startswith("argue-bench/")
    assert "ada@example.org" in agent


def test_the_published_cache_is_read(server: WikiServer, tmp_path: Path) -> None:
    (tmp_path / "wikicache").mkdir()
    (tmp_path / "wikicache" / "428791-dated.md").write_text("# From the published cache\n")
    live = quick(server)
    wikipedia = Wikipedia(live, tmp_path / "own", {"FANOUTQA_CACHE_DIR": str(tmp_path)})
    found = wikipedia.content(Evidence(428791, 1184558033, "Pat Burrell", ""))
    assert found == "# From the published cache\n"
    assert not server.paths


def test_a_corpus_of_the_evidence_of_a_question(
    server: WikiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUE_BENCH_WIKIPEDIA", f"{server.url}/w/api.php")
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path))
    corpus = Corpus.from_wikipedia([evidence("Pat Burrell"), evidence("Garbled")], doc_len=200)
    assert next(corpus.best("Which hand did Burrell bat with?")).document == "Pat Burrell"
    with pytest.raises(DataError) as caught:
        Corpus.from_wikipedia([evidence("Missing"), evidence("Deep"), evidence("Pat Burrell")])
    assert [finding.code for finding in caught.value.findings] == ["unknown-id", "unreadable"]
    assert wiki_search("burrell")[0].title == "Pat Burrell"
    assert "Right" in wiki_content(evidence("Pat Burrell"))


def test_nobody_listening_is_an_error_that_names_the_published_cache(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="wikicache"):
        Wikipedia(MediaWiki("http://127.0.0.1:9", tries=2), tmp_path, {}).search("x")


@pytest.mark.parametrize("url", ["localhost:8080", "file:///etc", "http://", "http://a b"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="is not an address"):
        MediaWiki(url)
