"""The settings of a repository, asked of a stand-in of the platform's API on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from click.testing import Result

from argue_bench.leaderboard.seasons.doctor import Platform, unowned
from tests.leaderboard.steps import command
from tests.shared import ROOT, listening

REVIEWS = {
    "required_approving_review_count": 1,
    "dismiss_stale_reviews_on_push": True,
    "require_last_push_approval": True,
    "require_code_owner_review": True,
    "allowed_merge_methods": ["squash"],
}
CONTEXT = "Check / The participant's own check (no secrets)"
OWNERS = (
    (ROOT / "argue_bench" / "data" / "board" / "CODEOWNERS.txt")
    .read_text("utf-8")
    .replace("OWNERS", "@ada")
)


def good() -> dict[str, Any]:
    """A repository that is set as a board's docs/operate.md wants it: address to answer, or to a status."""
    checks = {"required_status_checks": [{"context": CONTEXT}]}
    rules = [
        {"type": "pull_request", "parameters": dict(REVIEWS), "ruleset_id": 7},
        {"type": "required_status_checks", "parameters": checks, "ruleset_id": 7},
        {"type": "deletion", "ruleset_id": 7},
        {"type": "non_fast_forward", "ruleset_id": 7},
    ]
    environment = {
        "protection_rules": [
            {
                "type": "required_reviewers",
                "prevent_self_review": True,
                "reviewers": [{"type": "User"}],
            }
        ],
        "can_admins_bypass": False,
        "deployment_branch_policy": {"protected_branches": False, "custom_branch_policies": True},
    }
    eval_ = "/environments/leaderboard-eval"
    return {
        "": {"default_branch": "main", "allow_merge_commit": True},
        "/rules/branches/main": rules,
        "/rules/branches/leaderboard-results": [{"type": "deletion"}, {"type": "non_fast_forward"}],
        "/rulesets/7": {"bypass_actors": []},
        eval_: environment,
        f"{eval_}/deployment-branch-policies": {"branch_policies": [{"name": "main"}]},
        f"{eval_}/secrets": {"secrets": [{"name": "ANSWERS_KEY"}, {"name": "SIGNING_KEY"}]},
        "/actions/secrets": {"secrets": [{"name": "OTHER"}]},
        "/actions/organization-secrets": {"secrets": []},
        "/actions/permissions/workflow": {
            "default_workflow_permissions": "read",
            "can_approve_pull_request_reviews": False,
        },
        "/actions/permissions/fork-pr-contributor-approval": {
            "approval_policy": "all_external_contributors"
        },
        "/contents/.github/CODEOWNERS": OWNERS,
        "/labels/score": {"name": "score"},
        "/private-vulnerability-reporting": {"enabled": True},
        "/pages": {"build_type": "workflow"},
    }


class Api:
    """A server that holds answers, and keeps what it was asked with."""

    def __init__(self) -> None:
        self.answers = good()
        self.asked: list[tuple[str, str, str]] = []
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                api.asked.append(("GET", self.path, self.headers.get("Authorization", "")))
                answer = api.answers.get(self.path.removeprefix("/repos/ada/board"), 404)
                status = answer if isinstance(answer, int) else 200
                body = answer if isinstance(answer, str) else json.dumps(answer)
                self.send_response(status)
                if status == 301:
                    self.send_header("Location", "http://127.0.0.1:9/elsewhere")
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def __getattr__(self, name: str) -> Any:
                if name.startswith("do_"):
                    api.asked.append((name[3:], self.path, ""))
                raise AttributeError(name)

        self.handler = Handler


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    made = Api()
    monkeypatch.setenv("GH_TOKEN", "token-of-the-organiser")
    with listening(made.handler) as url:
        monkeypatch.setenv("GITHUB_API_URL", url)
        yield made


def doctor(api: Api, *options: str) -> Result:
    return command("board", "doctor", "--repository", "ada/board", *options)


def test_a_board_that_is_set_as_the_guide_says(api: Api) -> None:
    said = doctor(api)
    assert said.exit_code == 0, said.stdout
    assert ": 0 wrong, 0 not visible" in said.stderr
    assert {method for method, _, _ in api.asked} == {"GET"}
    assert {token for _, _, token in api.asked} == {"Bearer token-of-the-organiser"}
    assert "token-of" not in said.stdout + said.stderr


def without(path: str, **changes: Any) -> Any:
    def spoil(answers: dict[str, Any]) -> None:
        answers[path] = {**answers[path], **changes}

    return spoil


def review(**changes: Any) -> Any:
    def spoil(answers: dict[str, Any]) -> None:
        answers["/rules/branches/main"][0]["parameters"].update(changes)

    return spoil


def gone(*paths: str) -> Any:
    def spoil(answers: dict[str, Any]) -> None:
        for path in paths:
            del answers[path]

    return spoil


def rules(path: str, *left: str) -> Any:
    def spoil(answers: dict[str, Any]) -> None:
        answers[path] = [rule for rule in answers[path] if rule["type"] not in left]

    return spoil


EVAL = "/environments/leaderboard-eval"
WRONG = {
    "approval": (review(required_approving_review_count=0), "one approval before each merge"),
    "stale": (review(dismiss_stale_reviews_on_push=False), "a new push dismisses approvals"),
    "last push": (review(require_last_push_approval=False), "the last push needs an approval"),
    "owners": (review(require_code_owner_review=False), "a review of the code owners"),
    "no check": (rules("/rules/branches/main", "required_status_checks"), "is required"),
    "deletion": (rules("/rules/branches/main", "deletion"), "no deletion"),
    "force": (rules("/rules/branches/leaderboard-results", "non_fast_forward"), "no force push"),
    "bypass": (without("/rulesets/7", bypass_actors=[{"actor_id": 5}]), "nobody may bypass it"),
    "reviewer": (
        without(
            EVAL, protection_rules=[{"type": "required_reviewers", "prevent_self_review": True}]
        ),
        "a required reviewer",
    ),
    "branch": (without(EVAL, deployment_branch_policy=None), "for the branch main alone"),
    "branches": (
        without(f"{EVAL}/deployment-branch-policies", branch_policies=[{"name": "*"}]),
        "for the branch main alone",
    ),
    "secret": (without(f"{EVAL}/secrets", secrets=[]), "stand in leaderboard-eval"),
    "wide": (without("/actions/secrets", secrets=[{"name": "SIGNING_KEY"}]), "for every job"),
    "wider": (
        without("/actions/organization-secrets", secrets=[{"name": "SIGNING_KEY"}]),
        "in its organisation, for every job",
    ),
    "a tag": (
        without(
            f"{EVAL}/deployment-branch-policies", branch_policies=[{"name": "main", "type": "tag"}]
        ),
        "for the branch main alone",
    ),
    "codeowners": (gone("/contents/.github/CODEOWNERS"), "each line that board init wrote"),
    "rights": (
        without("/actions/permissions/workflow", default_workflow_permissions="write"),
        "may read, and no more",
    ),
    "label": (gone("/labels/score"), "there is a label score"),
    "pages": (without("/pages", build_type="legacy"), "built by GitHub Actions"),
}


@pytest.mark.parametrize("name", WRONG)
def test_each_setting_that_is_wrong_is_named(api: Api, name: str) -> None:
    spoil, says = WRONG[name]
    spoil(api.answers)
    said = doctor(api)
    assert said.exit_code == 1
    (line,) = (line for line in said.stdout.splitlines() if line.startswith("wrong"))
    assert says in line
    assert "1 wrong" in said.stderr


def test_merge_commits_bring_a_branchs_history_to_main(api: Api) -> None:
    """Files that were added and taken away again passed intake, and came to main by a merge commit."""
    review(allowed_merge_methods=["merge", "squash"])(api.answers)
    api.answers[""] |= {"allow_squash_merge": True, "allow_rebase_merge": False}
    said = doctor(api)
    assert said.exit_code == 1
    assert "wrong  Merging" in said.stdout
    api.answers[""]["allow_merge_commit"] = False
    assert doctor(api).exit_code == 0


def test_what_a_token_may_not_see_is_neither_right_nor_wrong(api: Api) -> None:
    for path in ("/actions/secrets", "/actions/permissions/workflow", "/rulesets/7", "/pages"):
        api.answers[path] = 403
    said = doctor(api)
    assert said.exit_code == 0
    assert said.stdout.count("not visible") == 5
    assert "5 not visible to this token: look at those yourself" in said.stderr


@pytest.mark.parametrize(
    ("status", "says"), [(301, "not-fetched"), (500, "answered 500"), (401, "refuses the token")]
)
def test_an_api_that_does_not_answer_is_said(api: Api, status: int, says: str) -> None:
    api.answers[""] = status
    said = doctor(api)
    assert said.exit_code in (1, 2)
    assert says in said.stderr
    assert "token-of" not in said.stdout + said.stderr
    assert len(api.asked) == 1  # no redirect is followed: the token would go with it


def test_answers_of_another_form_are_no_traceback(api: Api) -> None:
    api.answers[EVAL] = ["what"]
    said = doctor(api)
    assert (said.exit_code, "another form" in said.stderr) == (1, True)


@pytest.mark.parametrize("wrong", ["board", "a/b/c", "../x/y", "a/b?c"])
def test_a_repository_is_named_in_full(wrong: str) -> None:
    assert command("board", "doctor", "--repository", wrong).exit_code == 2


def test_a_token_goes_over_https_alone() -> None:
    with pytest.raises(Exception, match="https"):
        Platform("ada/board", "secret", "http://example.org")


def test_every_line_that_board_init_wrote_has_an_owner() -> None:
    assert unowned(OWNERS) == set()
    assert unowned(OWNERS.replace("/leaderboard-submissions/keys/ @ada", "# none")) == {
        "/leaderboard-submissions/keys/"
    }
    assert unowned("* @ada\n") == unowned("") != set()
    assert "/providers.toml" in unowned("")  # it says where the judge's key goes
    assert unowned((ROOT / ".github" / "CODEOWNERS").read_text("utf-8")) == set()
