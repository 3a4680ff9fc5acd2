"""The settings of a board's repository that its security rests on, and the check that they are set.

Workflows alone protect nothing that the repository's settings give away. Each setting is right, wrong, or
not visible to the token that asks; what is not visible is to be looked at by a person. `Platform` reads them
from GitHub's REST API, and never writes: it holds something, holds nothing (404 where everybody may ask), or
this token may not see it.
"""

from __future__ import annotations

import http.client
import json
import re
import urllib.error
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.leaderboard.formats.layout import ROOT
from argue_bench.store.fetch import RefusedRedirect, TooLarge, is_loopback, open_url, read_chunks
from argue_bench.version import __version__

API = "https://api.github.com"
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
# CODEOWNERS, the largest file that is read, has 3 MB at most on GitHub.
MOST_BYTES = 5_000_000
# The API answers within a second.
SECONDS = 30.0


class _Unseen:
    def __repr__(self) -> str:
        return "UNSEEN"


UNSEEN = _Unseen()
"""What this token may not see."""


@dataclass
class Platform:
    """Reads about one repository; each address once. ``token`` may be empty: then little is seen."""

    repository: str
    token: str = field(default="", repr=False)
    api: str = API
    _read: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not REPOSITORY.fullmatch(self.repository):
            raise UsageError(f"{self.repository!r} is not a repository: write OWNER/NAME")
        if not (self.api.startswith("https://") or is_loopback(self.api)):
            raise UsageError(
                f"{self.api!r} is not an address of an API: a token goes over https:// alone"
            )

    def get(self, *path: str, private: bool = False, raw: bool = False) -> Any:
        """The JSON (or, ``raw``, the text) at a path below the repository; None where there is nothing.

        `UNSEEN` where the token may not see it; with ``private`` a 404 says no more than that. Raises
        DataError where the platform does not answer, or not with what it should.
        """
        where = "/".join(quote(part, safe="") for part in path)
        url = f"{self.api.rstrip('/')}/repos/{self.repository}{'/' if where else ''}{where}"
        if url not in self._read:
            self._read[url] = self._fetch(url, private, raw)
        return self._read[url]

    def _fetch(self, url: str, private: bool, raw: bool) -> Any:
        headers = {
            "Accept": f"application/vnd.github{'.raw' if raw else ''}+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        agent = f"argue-bench/{__version__}"
        try:
            # No redirect is followed: it would carry the token with it.
            with open_url(url, agent, SECONDS, lambda _: False, headers) as response:
                body = b"".join(read_chunks(response, MOST_BYTES, SECONDS))
            return body.decode("utf-8") if raw else json.loads(body)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 401:
                raise UsageError("the platform refuses the token in GH_TOKEN") from None
            if error.code == 404 and not private:
                return None
            if error.code in (403, 404):
                return UNSEEN
            why = f"the platform answered {error.code}"
        except RefusedRedirect:
            why = "the platform answered with a redirect; has the repository another name now?"
        except (TooLarge, ValueError, RecursionError):
            why = "the platform's answer is not what it should be"
        except (OSError, http.client.HTTPException) as error:
            why = f"the platform can't be reached: {getattr(error, 'reason', error)}"
        raise DataError.of(Code.NOT_FETCHED, why, url)


State = Literal["right", "wrong", "not visible"]
RESULTS = "leaderboard-results"
ENVIRONMENT = "leaderboard-eval"
# The head of the job's name in submission-check.yml; GitHub puts the workflow's name before it.
CHECK = "The participant's own check"
SECRETS = ("ANSWERS_KEY", "SIGNING_KEY", "JUDGE_API_KEY")
OWNED = (
    ".github/workflows/submission-score.yml",
    ".github/CODEOWNERS",
    "argue-bench.toml",  # sets options of the commands that verify and build
    "pyproject.toml",
    f"{ROOT}/season.json",
    f"{ROOT}/gold.jsonl.sealed",
    f"{ROOT}/keys/key.pem",
    f"{ROOT}/judges/lexical.json",
    f"{ROOT}/topics/questions.jsonl",
    f"{ROOT}/labels/season/openbook/system.jsonl",
)
"""Files of which CODEOWNERS must name an owner: one of each kind that decides what is scored, and how."""


@dataclass(frozen=True)
class CheckedSetting:
    """One setting: where it stands, what is wanted, how it is."""

    place: str
    wanted: str
    state: State
    found: str = ""


def check_settings(platform: Platform) -> list[CheckedSetting]:
    """Every setting that docs/operate.md names. Raises DataError, UsageError."""
    try:
        about = platform.get()
        # GitHub says 404 of a private repository that the token may not see.
        if about is None or about is UNSEEN:
            return [CheckedSetting("Repository", "can be read with this token", "wrong")]
        main = str(about.get("default_branch", "main"))
        return [
            *_main(platform, main, about),
            *_results(platform),
            *_environment(platform, main),
            *_secrets(platform),
            *_others(platform),
        ]
    except (AttributeError, KeyError, TypeError):
        why = "the platform answers in another form than GitHub"
        raise DataError.of(Code.NOT_FETCHED, why, platform.api) from None


def _state(right: bool, found: Any = "") -> tuple[State, str]:
    return ("right" if right else "wrong"), "" if right or found == "" else str(found)


def _setting(place: str, wanted: str, right: bool | None, found: Any = "") -> CheckedSetting:
    """``right`` is None where it is not visible."""
    return (
        CheckedSetting(place, wanted, "not visible")
        if right is None
        else CheckedSetting(place, wanted, *_state(right, found))
    )


def _rules(platform: Platform, branch: str) -> dict[str, list[Mapping[str, Any]]] | None:
    """Type of rule to the parameters of every active rule of a branch; None where not visible."""
    rules = platform.get("rules", "branches", branch)
    if not isinstance(rules, list):
        return {} if rules is None else None
    found: dict[str, list[Mapping[str, Any]]] = {}
    for rule in rules:
        found.setdefault(str(rule.get("type")), []).append(rule.get("parameters") or {})
    return found


def _main(platform: Platform, main: str, about: Mapping[str, Any]) -> Iterator[CheckedSetting]:
    rules, place = _rules(platform, main), f"Ruleset of {main}"
    known = rules is not None
    reviews = (rules or {}).get("pull_request", [])

    def asked(key: str) -> bool | None:
        return any(one.get(key) for one in reviews) if known else None

    approvals = asked("required_approving_review_count")
    yield _setting(place, "a pull request with one approval before each merge", approvals)
    for key, wanted in (
        ("dismiss_stale_reviews_on_push", "a new push dismisses approvals"),
        ("require_last_push_approval", "the last push needs an approval by somebody else"),
        ("require_code_owner_review", "a review of the code owners"),
    ):
        yield _setting(place, wanted, asked(key))
    contexts = [
        str(check.get("context"))
        for one in (rules or {}).get("required_status_checks", [])
        for check in one.get("required_status_checks", [])
    ]
    # A required check has the name of a job, with the workflow's before it or not.
    required = any(CHECK in context for context in contexts) if known else None
    wanted = f"the check '{CHECK} (no secrets)' is required"
    yield _setting(place, wanted, required, ", ".join(contexts) or "none is required")
    for kind, wanted in (("deletion", "no deletion"), ("non_fast_forward", "no force push")):
        yield _setting(place, wanted, kind in rules if rules is not None else None)
    yield _squash(reviews, about)
    yield _bypass(platform, main)


def _squash(reviews: Iterable[Mapping[str, Any]], about: Mapping[str, Any]) -> CheckedSetting:
    """A merge commit would bring the history of a branch to main, with what its final tree has not."""
    place, wanted = "Merging", "squash alone: no merge commits, no rebase"
    if any(one.get("allowed_merge_methods") == ["squash"] for one in reviews):
        return _setting(place, wanted, True)
    names = ("allow_squash_merge", "allow_merge_commit", "allow_rebase_merge")
    if any(name not in about for name in names):
        return _setting(place, wanted, None)
    allowed = [name.split("_")[1] for name in names if about[name]]
    return _setting(place, wanted, allowed == ["squash"], f"allowed: {', '.join(allowed)}")


def _bypass(platform: Platform, main: str) -> CheckedSetting:
    place, wanted = f"Ruleset of {main}", "nobody may bypass it"
    rules = platform.get("rules", "branches", main)
    ids = (
        sorted({one["ruleset_id"] for one in rules or () if "ruleset_id" in one})
        if rules is not UNSEEN
        else []
    )
    sets = [platform.get("rulesets", str(id), private=True) for id in ids]
    if not sets or any(one is UNSEEN or "bypass_actors" not in one for one in sets):
        return _setting(place, wanted, None)
    some = sum(len(one["bypass_actors"]) for one in sets)
    return _setting(place, wanted, not some, f"{some} may")


def _results(platform: Platform) -> Iterator[CheckedSetting]:
    rules = _rules(platform, RESULTS)
    for kind, wanted in (("deletion", "no deletion"), ("non_fast_forward", "no force push")):
        right = None if rules is None else kind in rules
        yield _setting(f"Ruleset of {RESULTS}", wanted, right)


def _environment(platform: Platform, main: str) -> Iterator[CheckedSetting]:
    place = f"Environment {ENVIRONMENT}"
    found = platform.get("environments", ENVIRONMENT)
    if found is None or found is UNSEEN:
        yield _setting(place, "there is one", None if found is UNSEEN else False, "there is none")
        return
    rules = {str(one.get("type")): one for one in found.get("protection_rules", [])}
    reviewers = rules.get("required_reviewers", {})
    yield _setting(place, "a required reviewer", bool(reviewers.get("reviewers")), "none")
    # Else whoever may label may also let the secrets out.
    own = bool(reviewers.get("prevent_self_review"))
    yield _setting(place, "nobody approves a run of their own", own)
    bypass = found.get("can_admins_bypass")
    yield _setting(
        place, "administrators may not bypass it", None if bypass is None else not bypass
    )
    policy = found.get("deployment_branch_policy") or {}
    wanted = f"for the branch {main} alone"
    if not policy.get("custom_branch_policies"):
        yield _setting(
            place, wanted, False, "for protected branches" if policy else "for any branch"
        )
        return
    listed = platform.get("environments", ENVIRONMENT, "deployment-branch-policies")
    if listed is None or listed is UNSEEN:
        yield _setting(place, wanted, None)
        return
    names = [
        # A policy of tags lets any tag of that name in, which whoever may push can make.
        f"{'tag ' if one.get('type') == 'tag' else ''}{one.get('name')}"
        for one in listed.get("branch_policies", [])
    ]
    yield _setting(place, wanted, names == [main], f"for {', '.join(names) or 'none'}")


def _secrets(platform: Platform) -> Iterator[CheckedSetting]:
    held = platform.get("environments", ENVIRONMENT, "secrets", private=True)
    wanted = f"{SECRETS[0]} and {SECRETS[1]} stand in {ENVIRONMENT}"
    names = None if held is UNSEEN else {one.get("name") for one in held.get("secrets", [])}
    right = None if names is None else names >= set(SECRETS[:2])
    yield _setting("Secrets", wanted, right, "they do not")
    for kind, owner in (
        ("secrets", "the repository"),
        ("organization-secrets", "its organisation"),
    ):
        everywhere = platform.get("actions", kind, private=True)
        listed = [] if everywhere is UNSEEN else everywhere.get("secrets", [])
        wide = {one.get("name") for one in listed} & set(SECRETS)
        right = None if everywhere is UNSEEN else not wide
        wanted = f"none of them stands in {owner}, for every job"
        yield _setting("Secrets", wanted, right, "one does")


def _others(platform: Platform) -> Iterator[CheckedSetting]:
    yield _owners(platform)
    rights = platform.get("actions", "permissions", "workflow", private=True)
    read = None if rights is UNSEEN else rights.get("default_workflow_permissions") == "read"
    yield _setting("Actions, General", "a workflow's token may read, and no more", read)
    approve = None if rights is UNSEEN else not rights.get("can_approve_pull_request_reviews")
    yield _setting("Actions, General", "no workflow approves a pull request", approve)
    forks = platform.get("actions", "permissions", "fork-pr-contributor-approval", private=True)
    policy = None if forks is UNSEEN else forks.get("approval_policy")
    right = None if policy is None else policy == "all_external_contributors"
    yield _setting("Actions, General", "approval for all outside contributors", right, policy)
    label = platform.get("labels", "score")
    yield _setting("Labels", "there is a label score", None if label is UNSEEN else bool(label))
    reports = platform.get("private-vulnerability-reporting", private=True)
    right = None if reports is UNSEEN else bool(reports.get("enabled"))
    yield _setting("Security", "private vulnerability reports are on", right)
    pages = platform.get("pages", private=True)
    right = None if pages is UNSEEN else pages.get("build_type") == "workflow"
    yield _setting("Pages", "built by GitHub Actions", right)


def _owners(platform: Platform) -> CheckedSetting:
    place, wanted = "CODEOWNERS", "workflows and the board's own files have owners"
    for path in (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"):
        text = platform.get("contents", *path.split("/"), raw=True)
        if text is UNSEEN:
            return _setting(place, wanted, None)
        if text is not None:
            missing = unowned(text, OWNED)
            return _setting(place, wanted, not missing, f"nobody owns {', '.join(missing)}")
    return _setting(place, wanted, False, "there is no such file")


def unowned(text: str, paths: Iterable[str]) -> list[str]:
    """The paths that no rule of a CODEOWNERS file gives an owner; the last rule that fits decides."""
    rules = [line.split("#")[0].split() for line in text.splitlines()]
    missing = []
    for path in paths:
        owners = [rule[1:] for rule in rules if rule and _fits(rule[0], path)]
        if not owners or not owners[-1]:
            missing.append(path)
    return missing


def _fits(pattern: str, path: str) -> bool:
    """Whether a pattern of CODEOWNERS fits a file: as in .gitignore, and a folder holds all below it."""
    anchored = "/" in pattern.rstrip("/")
    parts = [part for part in pattern.split("/") if part]
    if not anchored:
        parts = ["**", *parts]
    folder = "/" if pattern.endswith("/") else r"(/.*)?"
    # A last part with a star is of files, not of folders with all that they hold.
    if parts and anchored and "*" in parts[-1] and "**" not in parts[-1]:
        folder = ""
    said = "/".join(_as_expression(part) for part in parts).replace(r".*/", r"(?:.*/)?")
    return re.fullmatch(said + folder + (".*" if folder == "/" else ""), path) is not None


def _as_expression(part: str) -> str:
    if part == "**":
        return ".*"
    return "".join("[^/]*" if c == "*" else "[^/]" if c == "?" else re.escape(c) for c in part)
