"""The settings of a board's repository that its security rests on, and the check that they are set.

Workflows alone protect nothing that the repository's settings give away. Each setting is right, wrong, or
not visible to the token that asks; what is not visible is to be looked at by a person. `Platform` reads them
from GitHub's REST API, and never writes.
"""

from __future__ import annotations

import http.client
import json
import re
import urllib.error
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.store.fetch import RefusedRedirect, TooLarge, is_loopback, open_url, read_chunks
from argue_bench.version import __version__

REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
# CODEOWNERS, the largest file that is read, has 3 MB at most on GitHub.
MOST_BYTES = 5_000_000
# The API answers within a second.
SECONDS = 30.0
RESULTS, ENVIRONMENT = "leaderboard-results", "leaderboard-eval"
# The head of the job's name in submission-check.yml; GitHub puts the workflow's name before it.
CHECK = "The participant's own check"
SECRETS = frozenset(["ANSWERS_KEY", "SIGNING_KEY", "JUDGE_API_KEY"])


class NotVisible(Exception):
    """This token may not see it."""


@dataclass
class Platform:
    """Reads about one repository; each address once. ``token`` may be empty: then little is seen."""

    repository: str
    token: str = field(default="", repr=False)
    api: str = "https://api.github.com"
    _read: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not REPOSITORY.fullmatch(self.repository):
            raise UsageError(f"{self.repository!r} is not a repository: write OWNER/NAME")
        if not (self.api.startswith("https://") or is_loopback(self.api)):
            raise UsageError(
                f"{self.api!r} is not an address of an API: a token goes over https:// alone"
            )

    def get(self, path: str, private: bool = False) -> Any:
        """What lies at a path below the repository; an empty object where there is nothing.

        Raises NotVisible where the token may not see it (with ``private`` a 404 says no more than that), and
        DataError where the platform does not answer, or not with what it should.
        """
        url = f"{self.api.rstrip('/')}/repos/{self.repository}{path and '/'}{quote(path)}"
        if url not in self._read:
            self._read[url] = self._fetch(url, private)
        if self._read[url] is None:
            raise NotVisible
        return self._read[url]

    def rules(self, branch: str, kind: str) -> list[Mapping[str, Any]]:
        """The parameters of every active rule of this type."""
        return [
            one.get("parameters") or {}
            for one in self.get(f"rules/branches/{branch}")
            if one["type"] == kind
        ]

    def _fetch(self, url: str, private: bool) -> Any:
        raw = "/contents/" in url
        headers = {
            "Accept": f"application/vnd.github{'.raw' if raw else ''}+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            # No redirect is followed: it would carry the token with it.
            with open_url(
                url, f"argue-bench/{__version__}", SECONDS, lambda _: False, headers
            ) as response:
                body = b"".join(read_chunks(response, MOST_BYTES, SECONDS))
            return body.decode("utf-8") if raw else json.loads(body)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 401:
                raise UsageError("the platform refuses the token in GH_TOKEN") from None
            if error.code == 404 and not private:
                return {}
            if error.code in (403, 404):
                return None
            why = f"the platform answered {error.code}"
        except RefusedRedirect:
            why = "the platform answered with a redirect; has the repository another name now?"
        except (TooLarge, ValueError, RecursionError):
            why = "the platform's answer is not what it should be"
        except (OSError, http.client.HTTPException) as error:
            why = f"the platform can't be reached: {getattr(error, 'reason', error)}"
        raise DataError.of(Code.NOT_FETCHED, why, url)


# Whether a setting is right. Raises NotVisible.
Check = Callable[[Platform], Any]


def check_settings(platform: Platform) -> list[tuple[str, str, str]]:
    """Every setting that a board's docs/operate.md names: its state, its place, what is wanted. Raises DataError, UsageError."""
    found = []
    for place, wanted, is_right in SETTINGS:
        try:
            state = "right" if is_right(platform) else "wrong"
        except NotVisible:
            state = "not visible"
        except (AttributeError, KeyError, TypeError):
            raise DataError.of(
                Code.NOT_FETCHED, "the platform answers in another form than GitHub", platform.api
            ) from None
        found.append((state, place, wanted))
    return found


def _review(key: str) -> Check:
    return lambda platform: any(one.get(key) for one in platform.rules("main", "pull_request"))


def _rule(branch: str, kind: str) -> Check:
    return lambda platform: platform.rules(branch, kind)


def _answer(path: str, key: str, wanted: object, private: bool = True) -> Check:
    return lambda platform: platform.get(path, private).get(key) == wanted


def _has_check(platform: Platform) -> bool:
    # A required check has the name of a job, with the workflow's before it or not.
    required = platform.rules("main", "required_status_checks")
    return any(
        CHECK in str(check.get("context"))
        for one in required
        for check in one.get("required_status_checks", [])
    )


def _squashes(platform: Platform) -> bool:
    """A merge commit would bring the history of a branch to main, with what its final tree has not."""
    reviews = platform.rules("main", "pull_request")
    if any(one.get("allowed_merge_methods") == ["squash"] for one in reviews):
        return True
    about = platform.get("")
    try:
        ways = [about[f"allow_{one}"] for one in ("squash_merge", "merge_commit", "rebase_merge")]
    except KeyError:
        raise NotVisible from None
    return ways == [True, False, False]


def _nobody_bypasses(platform: Platform) -> bool:
    ids = {one["ruleset_id"] for one in platform.get("rules/branches/main") if "ruleset_id" in one}
    sets = [platform.get(f"rulesets/{id}", private=True) for id in sorted(ids)]
    if not sets or any("bypass_actors" not in one for one in sets):
        raise NotVisible
    return not any(one["bypass_actors"] for one in sets)


def _reviewers(key: str) -> Check:
    return lambda platform: any(
        one.get(key)
        for one in platform.get(f"environments/{ENVIRONMENT}").get("protection_rules", [])
        if one.get("type") == "required_reviewers"
    )


def _for_main_alone(platform: Platform) -> bool:
    environment = platform.get(f"environments/{ENVIRONMENT}")
    if not (environment.get("deployment_branch_policy") or {}).get("custom_branch_policies"):
        return False
    listed = platform.get(f"environments/{ENVIRONMENT}/deployment-branch-policies")
    # A policy of tags lets any tag of that name in, which whoever may push can make.
    policies = [(one.get("type", "branch"), one["name"]) for one in listed["branch_policies"]]
    return policies == [("branch", "main")]


def _names(platform: Platform, path: str) -> set[str]:
    return {one["name"] for one in platform.get(path, private=True).get("secrets", [])}


def unowned(text: str) -> set[str]:
    """What `board init` lists in CODEOWNERS, and this text gives no owner."""
    template = files("argue_bench") / "data" / "board" / "CODEOWNERS.txt"
    wanted, given = (
        {rule[0]: rule[1:] for line in one.splitlines() if (rule := line.split("#")[0].split())}
        for one in (template.read_text(encoding="utf-8"), text)
    )
    return {path for path in wanted if not given.get(path)}


_MAIN, _EVAL, _ACTIONS = "Ruleset of main", f"Environment {ENVIRONMENT}", "Actions, General"
_TOKENS, _FORKS = (
    f"actions/permissions/{name}" for name in ("workflow", "fork-pr-contributor-approval")
)
SETTINGS: tuple[tuple[str, str, Check], ...] = (
    ("Repository", "can be read with this token", lambda platform: platform.get("", private=True)),
    (
        _MAIN,
        "a pull request with one approval before each merge",
        _review("required_approving_review_count"),
    ),
    (_MAIN, "a new push dismisses approvals", _review("dismiss_stale_reviews_on_push")),
    (
        _MAIN,
        "the last push needs an approval by somebody else",
        _review("require_last_push_approval"),
    ),
    (_MAIN, "a review of the code owners", _review("require_code_owner_review")),
    (_MAIN, f"the check '{CHECK} (no secrets)' is required", _has_check),
    (_MAIN, "no deletion", _rule("main", "deletion")),
    (_MAIN, "no force push", _rule("main", "non_fast_forward")),
    (_MAIN, "nobody may bypass it", _nobody_bypasses),
    ("Merging", "squash alone: no merge commits, no rebase", _squashes),
    (f"Ruleset of {RESULTS}", "no deletion", _rule(RESULTS, "deletion")),
    (f"Ruleset of {RESULTS}", "no force push", _rule(RESULTS, "non_fast_forward")),
    (_EVAL, "a required reviewer", _reviewers("reviewers")),
    # Else whoever may label may also let the secrets out.
    (_EVAL, "nobody approves a run of their own", _reviewers("prevent_self_review")),
    (
        _EVAL,
        "administrators may not bypass it",
        _answer(f"environments/{ENVIRONMENT}", "can_admins_bypass", False, private=False),
    ),
    (_EVAL, "for the branch main alone", _for_main_alone),
    (
        "Secrets",
        f"ANSWERS_KEY and SIGNING_KEY stand in {ENVIRONMENT}",
        lambda platform: (
            _names(platform, f"environments/{ENVIRONMENT}/secrets")
            >= {"ANSWERS_KEY", "SIGNING_KEY"}
        ),
    ),
    (
        "Secrets",
        "none of them stands in the repository, for every job",
        lambda platform: SECRETS.isdisjoint(_names(platform, "actions/secrets")),
    ),
    (
        "Secrets",
        "none of them stands in its organisation, for every job",
        lambda platform: SECRETS.isdisjoint(_names(platform, "actions/organization-secrets")),
    ),
    (
        "CODEOWNERS",
        "each line that board init wrote has an owner",
        lambda platform: not unowned(platform.get("contents/.github/CODEOWNERS") or ""),
    ),
    (
        _ACTIONS,
        "a workflow's token may read, and no more",
        _answer(_TOKENS, "default_workflow_permissions", "read"),
    ),
    (
        _ACTIONS,
        "no workflow approves a pull request",
        _answer(_TOKENS, "can_approve_pull_request_reviews", False),
    ),
    (
        _ACTIONS,
        "approval for all outside contributors",
        _answer(_FORKS, "approval_policy", "all_external_contributors"),
    ),
    ("Labels", "there is a label score", lambda platform: platform.get("labels/score")),
    (
        "Security",
        "private vulnerability reports are on",
        _answer("private-vulnerability-reporting", "enabled", True),
    ),
    ("Pages", "built by GitHub Actions", _answer("pages", "build_type", "workflow")),
)
