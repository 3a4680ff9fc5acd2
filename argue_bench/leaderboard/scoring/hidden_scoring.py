"""Hidden scoring: one submission against hidden gold. Signed, or refused with a code.

In order: is it the bundle of intake; is it right; are its answers new; may its author spend a run; are the
season's tallies made as this one's will be; what does it score; what of that is told (`deciding`). Only then
is something written: the result, its signature, the bands, the encrypted tallies, and the signed outcome
that names them all by their SHA-256. What the scorer prints or raises is caught and leaves encrypted; only
codes are public. A scoring that the clock or the budget ends is a run, and is recorded as one.
"""

from __future__ import annotations

import json
import tempfile
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from argue_bench.errors import Code, Finding, JudgeError, SubmissionError
from argue_bench.leaderboard.formats.bundle import Bundle
from argue_bench.leaderboard.formats.git_objects import refusal
from argue_bench.leaderboard.formats.layout import DESCRIBED, OUTRAN, SCORED, UNCHANGED
from argue_bench.leaderboard.formats.ledger import (
    check_owner,
    failures_of,
    is_over,
    refuse_twice,
    runs_of,
)
from argue_bench.leaderboard.formats.outcome import StepOutcome, summarise
from argue_bench.leaderboard.formats.results import now
from argue_bench.leaderboard.intake.pull_request import check_bundle
from argue_bench.leaderboard.scoring.alike import check_alike
from argue_bench.leaderboard.scoring.containment import NAME as DIAGNOSIS
from argue_bench.leaderboard.scoring.containment import OutOfTime, clock, seal_diagnosis, silenced
from argue_bench.leaderboard.scoring.deciding import ScoredRun, decide, signed_file, signed_result
from argue_bench.leaderboard.scoring.disclosure import find_ranked
from argue_bench.leaderboard.scoring.scored_settings import Judging, gold_digest, score_settings
from argue_bench.leaderboard.scoring.scoring_inputs import ScoringJob
from argue_bench.models.budget import BudgetSpent
from argue_bench.records.digests import sha256_each


class _Undefined(Exception):
    """The ranked score of a setting applies to no answer."""


def score_bundle(
    job: ScoringJob, bundle: Bundle, digest: str
) -> tuple[StepOutcome, dict[str, bytes]]:
    """The decision on a bundle, and the files to record. Never raises for what a stranger sent.

    The files are signed; the outcome has their digests and must be signed by `sign_outcome`.
    """
    season, state = job.season, job.state
    outcome = StepOutcome(
        "score",
        "refused",
        system=bundle.system,
        author=bundle.author,
        season=season.season,
        pr=bundle.pr,
        commit=bundle.commit,
        digest=digest,
        answers=bundle.answers,
        results=state.commit,
        quota=season.quota,
        date=now(),
        group=season.group or "",
        reason=job.reason,
    )
    try:
        # Everything that intake checked is checked again: this job trusts the bundle's bytes alone.
        noticed, _ = check_bundle(bundle, season, job.dataset)
        check_owner(state.events, bundle.system, bundle.author)
        outcome = replace(outcome, findings=summarise(noticed))
        about = json.loads(bundle.files[f"metadata/{bundle.system}.json"])
        # Whoever takes an entry off spends no run, and no judge is asked.
        if (status := about.get("status", "active")) != "active":
            return replace(outcome, state=status), {}
        if job.again:
            bundle = _as_scored(job, bundle)
        else:
            refuse_twice(state.events, digest, season.season)
            if files := _described(job, bundle, outcome.date):
                return replace(outcome, state=DESCRIBED, files=sha256_each(files)), files
        outcome = replace(outcome, runs=_check_rights(job, bundle))
    except SubmissionError as error:
        return replace(outcome, findings=summarise(error.findings)), {}
    diagnosis: list[str] = []
    try:
        # Nothing that reads gold runs outside of these two.
        with clock(job.seconds), silenced(diagnosis):
            check_alike(job)
            run = _evaluate(job, bundle)
            outcome, files = decide(job, bundle, run, outcome)
        said = seal_diagnosis("\n".join(diagnosis), job.secrets.key, digest)
        return outcome, {**files, DIAGNOSIS: said}
    except _Undefined:
        findings = summarise([Finding(Code.SCORE_UNDEFINED), *noticed])
        return replace(outcome, state=UNCHANGED, findings=findings), {}
    except (OutOfTime, Exception) as error:
        # A traceback may quote gold, so it leaves sealed, and only a code is said in public.
        diagnosis.append(traceback.format_exc())
        ended, found = _end(job, error)
        sealed = seal_diagnosis("\n".join(diagnosis), job.secrets.key, digest)
        return replace(outcome, state=ended, findings=summarise(found)), {DIAGNOSIS: sealed}


def _end(job: ScoringJob, error: BaseException) -> tuple[str, list[Finding]]:
    """The state of an unfinished scoring, and the finding that describes it."""
    if isinstance(error, SubmissionError):
        refused = {Code.TALLIES_OTHER} & {one.code for one in error.findings}
        return "refused" if refused else "failed", [*error.findings]
    # The author chose how long the answers are, so what they cost is the author's: a run was used.
    if isinstance(error, OutOfTime | BudgetSpent) and not job.again:
        code = Code.OUT_OF_TIME if isinstance(error, OutOfTime) else Code.OUT_OF_BUDGET
        return OUTRAN, [Finding(code)]
    code = Code.JUDGE_FAILED if isinstance(error, JudgeError) else Code.SCORER_FAILED
    why = "the scoring did not end; no run was used and nothing was kept"
    return "failed", [Finding(code, why)]


def sign_outcome(
    files: Mapping[str, bytes], outcome: StepOutcome, signing: str
) -> dict[str, bytes]:
    """Writes the folder for the next step: the files to record, the outcome and its signature."""
    return {**files, **signed_file("score.json", outcome.to_bytes(), signing)}


def _as_scored(job: ScoringJob, bundle: Bundle) -> Bundle:
    """The files that a signed result was scored from, and no setting that the ladder held back.

    Where the season tells everything by now, all files whose answers a recorded scoring had. Raises SubmissionError where the bundle has others: that would be a run past quota and ladder.
    """
    scored_before = (job.season.season, bundle.system, bundle.answers)
    if job.season.step is None and any(
        (e.season, e.system, e.answers) == scored_before and e.event in SCORED
        for e in job.state.events
    ):
        return bundle
    digests = sha256_each(bundle.files)
    # The newest version whose files are these: quota and ladder were passed for them once.
    for version in job.state.versions(bundle.system, job.keys):
        if not version.result.changed_files(digests):
            scored = version.result.submission
            return replace(bundle, files={p: b for p, b in bundle.files.items() if p in scored})
    hint = "Score again what was scored; what is new is sent as a submission."
    raise refusal(
        Code.OTHER_RESULT,
        "No signed result of this system comes from these files",
        file=f"metadata/{bundle.system}.json",
        hint=hint,
    )


def _described(job: ScoringJob, bundle: Bundle, date: str) -> dict[str, bytes]:
    """The files of the present result with new metadata; empty where the answers or the gold
    are others."""
    try:
        before = job.state.result(bundle.system, job.keys)
    except SubmissionError:  # the scoring will say so, sealed
        return {}
    if before is None or before.gold_digest != gold_digest(job.dataset):
        return {}
    about = f"metadata/{bundle.system}.json"
    digests = sha256_each(bundle.files)
    # All files but the metadata must be the very ones that were scored.
    if {**before.submission, about: ""} != {**digests, about: ""}:
        return {}
    result = replace(
        before, submission=digests, author=bundle.author, commit=bundle.commit, created=date
    )
    return signed_result(result, job.secrets.signing)


def _check_rights(job: ScoringJob, bundle: Bundle) -> int:
    """How many runs this author will have used. Raises SubmissionError."""
    events, season = job.state.events, job.season
    # Before the judges are paid: a run over the quota costs the board nothing.
    spent = len(runs_of(events, bundle.author, season.season, now(), season.quota_days))
    if job.again:
        return spent
    if is_over(events, season.season):
        raise refusal(Code.SEASON_CLOSED)
    if season.quota is not None and spent >= season.quota:
        per = "" if season.quota_days is None else f" in {season.quota_days} days"
        why = f"{spent} of {season.quota} scored runs{per} are used up"
        raise refusal(Code.QUOTA, why, hint="Failed checks cost nothing; scored runs do.")
    # That a scoring failed is public: who could bring it about by the gold would learn from each.
    if (
        season.quota is not None
        and failures_of(events, bundle.author, season.season) >= season.quota
    ):
        raise refusal(
            Code.QUOTA,
            "As many scorings of this author failed as the quota has runs",
            hint="Ask the organiser, who can see why.",
        )
    return spent + 1


def _evaluate(job: ScoringJob, bundle: Bundle) -> ScoredRun:
    """A report for each setting. Raises SubmissionError where the ranked score was not counted."""
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        folder, judging = Path(name), Judging(job.judges)
        bundle.unpack(folder)
        made = dict(score_settings(job.season, job.dataset, folder, bundle.system, judging))
    reports = {setting: one.report for setting, one in made.items()}
    facts = {setting: one.facts for setting, one in made.items()}
    ranked = find_ranked(next(iter(reports.values())), job.season.ranked)
    ranks = [report.scores[ranked.key] for report in reports.values()]
    if any(score.failed and score.value is None for score in ranks):
        raise refusal(Code.JUDGE_FAILED)
    # While gold is hidden a score that applies to nothing is told as one that did not improve: which
    # answers a score applies to may hang on the gold.
    if job.season.step is None and any(score.value is None for score in ranks):
        raise _Undefined
    return ScoredRun(reports, ranked, facts)
