"""Hidden scoring: one submission against hidden gold. Signed, or refused with a code.

In order: is it the bundle of intake; is it right; are its answers new; may its author spend a run; are the
season's tallies made as this one's will be; what does it score; what of that is told (`decide`). Only then
is something written: the result, its signature, the bands, the encrypted tallies, and the signed outcome
that names them all by their SHA-256. What the scorer prints or raises is caught and leaves encrypted; only
codes are public. A scoring that the clock or the budget ends is a run, and is recorded as one.
"""

from __future__ import annotations

import json
import tempfile
import traceback
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from argue_bench.errors import Code, Finding, JudgeError, SubmissionError
from argue_bench.eval import Report
from argue_bench.eval.signature import judged_alike
from argue_bench.judges import Judge
from argue_bench.leaderboard.formats.bundle import Bundle
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.clock import OutOfTime, clock
from argue_bench.leaderboard.formats.git_objects import refusal
from argue_bench.leaderboard.formats.layout import (
    BRIDGES,
    DESCRIBED,
    OUTRAN,
    SCORED,
    SIGNED_ANEW,
    UNCHANGED,
)
from argue_bench.leaderboard.formats.ledger import (
    check_owner,
    failures_of,
    hidden_systems,
    is_over,
    refuse_twice,
    runs_of,
    told_scores,
)
from argue_bench.leaderboard.formats.outcome import Disclosed, StepOutcome, summarise
from argue_bench.leaderboard.formats.results import AnswerFacts, Result, Setting, now
from argue_bench.leaderboard.formats.season import FEWEST_TOLD, Season, told_value
from argue_bench.leaderboard.intake.pull_request import check_bundle
from argue_bench.leaderboard.scoring.bridge import (
    judge_of,
    judges_before,
    make_bridge,
    scores_after,
    scores_before,
)
from argue_bench.leaderboard.scoring.containment import NAME as DIAGNOSIS
from argue_bench.leaderboard.scoring.containment import seal_diagnosis, silenced
from argue_bench.leaderboard.scoring.disclosure import (
    RankedScore,
    climbs,
    disclose,
    find_ranked,
    ranked_columns,
    tell,
    told_bands,
)
from argue_bench.leaderboard.scoring.results_branch import (
    TALLIES,
    RankedColumns,
    ResultsBranch,
    seal_tallies,
)
from argue_bench.leaderboard.scoring.scored_settings import Judging, gold_digest, score_settings
from argue_bench.leaderboard.signing.keys import Keys, keyed_digest, signed_file
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import few
from argue_bench.models.budget import BudgetSpent
from argue_bench.records.digests import sha256_each
from argue_bench.stats.averages import Average, Columns
from argue_bench.stats.bootstrap import Groups, count_units, number_groups
from argue_bench.version import __version__

# Of the failed requests, so many are in a diagnosis.
MOST_FAILURES = 50
# (score, average, columns by system, groups) to the bands of one setting, where everything is told.
Banding = Callable[[str, Average, Mapping[str, Columns], Groups | None], dict[str, Any]]


@dataclass(frozen=True)
class JobSecrets:
    """The secrets that decrypt tallies and sign; the caller reads them from the environment;
    they are never printed."""

    key: str = field(repr=False)
    signing: str = field(repr=False)


@dataclass
class Rescoring:
    """A re-scoring of many systems: its reason, and what it made so far that the branch has not yet."""

    reason: str
    tallies: dict[str, dict[str, RankedColumns]] = field(default_factory=dict)
    told: dict[str, dict[str, float]] = field(default_factory=dict)
    """System to setting to score."""
    answers: dict[str, str] = field(default_factory=dict)
    """System to the digest of the answers that were scored again."""
    alone: bool = False
    """Of one row that no key verifies any more: beside rows that stand, with the score that it was told."""

    def keep(self, outcome: StepOutcome, tallies: dict[str, RankedColumns]) -> None:
        """Keeps what one system got; the bands and bridges of the next ones rest on it."""
        told = {s: one.value for s, one in outcome.settings.items() if one.value is not None}
        self.tallies[outcome.system], self.told[outcome.system] = tallies, told
        self.answers[outcome.system] = outcome.answers or ""


@dataclass(frozen=True)
class ScoringJob:
    """The inputs of one scoring."""

    season: Season
    dataset: Dataset
    """With its gold."""
    state: ResultsBranch
    keys: Keys
    secrets: JobSecrets
    banding: Banding
    judges: Mapping[str, str | Judge] = field(default_factory=dict)
    """By name, the default one's being empty; others are the season's."""
    again: Rescoring | None = None
    """Of a re-scoring: quota and ladder then do not apply, and only what was scored before is scored."""
    merged: Collection[str] = ()
    """The systems whose files are on main."""
    seconds: float = 0.0
    """How long the answers of one submission may be scored; 0: without limit."""

    @property
    def reason(self) -> str:
        """The reason of a re-scoring; empty for a scoring."""
        return self.again.reason if self.again else ""

    @property
    def gold_digest(self) -> str:
        """What a result states of its gold: while that is hidden, nothing that a guess could be held against."""
        plain = gold_digest(self.dataset)
        return plain if self.season.step is None else keyed_digest(plain, self.secrets.key)


def check_alike(job: ScoringJob, signature: Mapping[str, str] | None = None) -> None:
    """Raises SubmissionError where rows of the season have another signature than this one.

    Rows rank together only under one signature. After a change nothing new is scored until what is shown is scored
    again (`board rescore`). What is not merged, or hidden, keeps nobody out: a stranger could leave it so.

    Without one, those parts are compared that are known before anything is judged. Rows of a judge from which a
    signed bridge leads to the season's stand beside the new ones, carried over.
    """
    if others := () if (job.again and not job.again.alone) else _made_otherwise(job, signature):
        raise refusal(
            Code.TALLIES_OTHER,
            f"{few(others)}: made otherwise, by another release, judge or metric",
            hint="The organiser scores such rows again first: argue-bench board rescore, or hides them.",
        )


def _shown(job: ScoringJob) -> list[str]:
    gone = hidden_systems(job.state.events, job.season.season)
    return [one for one in job.state.systems if one in job.merged and one not in gone]


def _made_otherwise(job: ScoringJob, signature: Mapping[str, str] | None) -> list[str]:
    """The rows shown that have another signature."""
    wanted = signature or {"data": job.dataset.title, "version": __version__}
    standing = job.state.counted(_shown(job), job.secrets.key)
    before = judges_before(job.state.bridges(job.keys), job.season.judge, signature)

    def differs(one: RankedColumns) -> bool:
        parts = {*wanted, *one.signature} if signature else wanted.keys()
        other = {part for part in parts if one.signature.get(part) != wanted.get(part)}
        # A row of answers that the judge was asked nothing about says nothing of it.
        if judged_alike(one.signature.get("judge", ""), wanted.get("judge", "")):
            other.discard("judge")
        return bool(other - {"judge"} if judge_of(one.signature) in before else other)

    return [s for s, settings in standing.items() if any(map(differs, settings.values()))]


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
        reason=job.reason,
    )
    try:
        # Everything that intake checked is checked again: this job trusts the bundle's bytes alone.
        noticed, _ = check_bundle(bundle, season, job.dataset)
        owned = check_owner(state.events, bundle.system, bundle.author)
        outcome = replace(outcome, findings=summarise(noticed))
        about = json.loads(bundle.files[f"metadata/{bundle.system}.json"])
        # Whoever takes an entry off spends no run, and no judge is asked.
        if (status := about.get("status", "active")) != "active":
            if not owned:
                raise refusal(
                    Code.OTHER_RESULT, "no scored run of this system is there to be taken off"
                )
            return replace(outcome, state=status), {}
        job = _signed_anew(job, bundle, digest)
        if job.again:
            bundle = _as_scored(job, bundle)
        else:
            refuse_twice(state.events, digest, season.season)
            if files := _described(job, bundle):
                return replace(outcome, state=DESCRIBED, files=sha256_each(files)), files
        outcome = replace(outcome, runs=_check_rights(job, bundle), reason=job.reason)
    except SubmissionError as error:
        return replace(outcome, findings=summarise(error.findings)), {}
    diagnosis: list[str] = []
    try:
        # Nothing that reads gold runs outside of these two.
        with clock(job.seconds), silenced(diagnosis):
            check_alike(job)
            outcome, files = decide(job, bundle, _evaluate(job, bundle), outcome)
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
        return OUTRAN, [Finding(Code.OUT_OF_BUDGET)]
    code = Code.JUDGE_FAILED if isinstance(error, JudgeError) else Code.SCORER_FAILED
    return "failed", [
        Finding(code, "the scoring did not end; no run was used and nothing was kept")
    ]


def sign_outcome(
    files: Mapping[str, bytes], outcome: StepOutcome, signing: str
) -> dict[str, bytes]:
    """Writes the folder for the next step: the files to record, the outcome and its signature."""
    return {**files, **signed_file("score.json", outcome.to_bytes(), signing)}


def _signed_anew(job: ScoringJob, bundle: Bundle, digest: str) -> ScoringJob:
    """The job; a re-scoring of one row where its very answers were scored, and no key verifies their result."""
    if job.again or not _ran(job, bundle) or _version_of(job, bundle)[1]:
        return job
    # With the digest it is a re-scoring of its own: the bands of others lack this row.
    return replace(job, again=Rescoring(f"{SIGNED_ANEW} {digest}", alone=True))


def _as_scored(job: ScoringJob, bundle: Bundle) -> Bundle:
    """The files that a result was scored from, and no setting that the ladder held back.

    The result is signed, or the ledger says that these answers were scored: then any key may have signed it.
    Where the season tells everything by now, all files whose answers a recorded scoring had. Raises SubmissionError where the bundle has others: that would be a run past quota and ladder.
    """
    if job.season.step is None and _ran(job, bundle):
        return bundle
    # Quota and ladder were passed for them once.
    if (found := _version_of(job, bundle)[0]) is not None:
        return replace(
            bundle, files={p: b for p, b in bundle.files.items() if p in found.submission}
        )
    raise refusal(
        Code.OTHER_RESULT,
        "No signed result of this system comes from these files",
        file=f"metadata/{bundle.system}.json",
        hint="Score again what was scored; what is new is sent as a submission.",
    )


def _version_of(job: ScoringJob, bundle: Bundle) -> tuple[Result | None, bool]:
    """The newest result of the system whose files are all in the bundle, and False where no key verifies it.

    Of that the ledger must say that these answers were scored.
    """
    digests = sha256_each(bundle.files)
    for keys in (job.keys, None) if _ran(job, bundle) else (job.keys,):
        for one in job.state.versions(bundle.system, keys):
            if not one.result.changed_files(digests):
                return one.result, keys is not None
    return None, True


def _ran(job: ScoringJob, bundle: Bundle) -> bool:
    """Whether a recorded scoring of this system had these very answers, or its row was described with them."""
    scored_before = (job.season.season, bundle.system, bundle.answers)
    return any(
        (e.season, e.system, e.answers) == scored_before and e.event in (*SCORED, DESCRIBED)
        for e in job.state.events
    )


def _described(job: ScoringJob, bundle: Bundle) -> dict[str, bytes]:
    """The present result with new metadata; empty where the answers or the gold are others.

    Raises SubmissionError where a row that was off the board would come back made otherwise than those that stand.
    """
    before = job.state.result(bundle.system, job.keys)
    if before is None or before.gold_digest != job.gold_digest:
        return {}
    about = f"metadata/{bundle.system}.json"
    digests = sha256_each(bundle.files)
    known = {**before.submission, about: digests[about]}
    # All answers of the row must be there, and no others but those that were scored beside them.
    if not known.items() <= digests.items() or not (known == digests or _ran(job, bundle)):
        return {}
    if bundle.system not in _shown(job):
        made = job.state.counted([bundle.system], job.secrets.key).get(bundle.system, {})
        if any(_made_otherwise(job, one.signature) for one in made.values()):
            raise refusal(
                Code.TALLIES_OTHER,
                f"{bundle.system} was scored by another release, judge or metric than what stands there",
                hint="The organiser merges the files that were scored, scores them again (board rescore --system) "
                "and adds 'shown' to the ledger.",
            )
    return signed_result(
        replace(before, submission=known, author=bundle.author), job.secrets.signing
    )


def _check_rights(job: ScoringJob, bundle: Bundle) -> int:
    """How many runs this author will have used. Raises SubmissionError."""
    events, season = job.state.events, job.season
    # Before the judges are paid: a run over the quota costs the board nothing.
    spent = runs_of(events, bundle.author, season.season, now(), season.quota_days, bundle.answers)
    if job.again:
        return len(spent)
    # A label may be set twice, and main moves on meanwhile: the same commit has nothing new.
    if (bundle.system, bundle.commit, bundle.answers) in {
        (event.system, event.commit, event.answers) for event in spent if event.event in SCORED
    }:
        raise refusal(Code.ALREADY_SCORED)
    if is_over(events, season.season):
        raise refusal(Code.SEASON_CLOSED)
    if season.quota is not None and len(spent) >= season.quota:
        per = "" if season.quota_days is None else f" in {season.quota_days} days"
        why = f"{len(spent)} of {season.quota} scored runs{per} are used up"
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
    return len(spent) + 1


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
        # Caught and sealed, like all that is printed here.
        for report in reports.values():
            click.echo("\n".join(map(str, report.failures[:MOST_FAILURES])))
        raise refusal(Code.JUDGE_FAILED)
    # While gold is hidden a score that applies to nothing is told as one that did not improve: which
    # answers a score applies to may hang on the gold.
    if job.season.step is None and any(score.value is None for score in ranks):
        raise _Undefined
    return ScoredRun(reports, ranked, facts)


@dataclass(frozen=True)
class ScoredRun:
    """A report for each setting, the ranked score, and the facts about the answers."""

    reports: Mapping[str, Report]
    ranked: RankedScore
    facts: Mapping[str, AnswerFacts]


def decide(
    job: ScoringJob, bundle: Bundle, run: ScoredRun, outcome: StepOutcome
) -> tuple[StepOutcome, dict[str, bytes]]:
    """The settings whose rows change, and the files to record."""
    season, state, ranked = job.season, job.state, run.ranked
    new = {setting: ranked_columns(report, ranked) for setting, report in run.reports.items()}
    tallies = state.counted(state.systems, job.secrets.key)
    if job.again:
        tallies |= job.again.tallies
    # Settings differ in what systems may read and not in how they are scored: any one stands for all.
    check_alike(job, next(iter(new.values())).signature)
    moved = {setting: _is_told(job, bundle, run, setting) for setting in new}
    rows = {
        setting: replace(tell(report, ranked, season.step), answers=run.facts[setting])
        for setting, report in run.reports.items()
        if moved[setting]
    }
    # Then no run of this season will ever be told, and the comment says why.
    few = season.step is not None and len(job.dataset) < FEWEST_TOLD
    outcome = replace(
        outcome,
        questions=len(job.dataset) if few else None,
        ranked=ranked.key,
        state="scored" if rows else UNCHANGED,
        settings={
            s: disclose(rows[s], ranked, None if season.step else run.reports[s])
            if s in rows
            else Disclosed(False)
            for s in new
        },
    )
    if not rows:
        return outcome, {}
    files = _result(job, bundle, outcome, rows)
    # A setting that did not move keeps its row and so its tallies; a re-scoring replaces both.
    before = {} if job.again else tallies.get(bundle.system, {})
    tallies[bundle.system] = {**before, **{s: new[s] for s in rows}}
    files |= _statistics(job, bundle.system, ranked, tallies)
    if job.again:
        job.again.keep(outcome, tallies[bundle.system])
    if job.again and not job.again.alone:
        files |= _bridge(job, job.again, ranked, next(iter(new.values())).signature, outcome.date)
    return replace(outcome, files=sha256_each(files)), files


def _is_told(job: ScoringJob, bundle: Bundle, run: ScoredRun, setting: str) -> bool:
    """Whether this setting is published: always where the gold is public, else a step above the
    author's best."""
    step, ranked = job.season.step, run.ranked
    if step is None:
        return True
    value = run.reports[setting].scores[ranked.key].value
    if job.again and job.again.alone:
        _check_same(job, bundle.system, setting, None if value is None else told_value(value, step))
    if value is None or job.again:
        # What was told before is told again when it is scored anew: quota and gate are of runs.
        return value is not None
    if len(job.dataset) < FEWEST_TOLD:
        return False
    told = told_scores(job.state.events, bundle.author, job.season.season, bundle.answers)
    return climbs(told_value(value, step), told.get(setting, []), ranked, step)


def _check_same(job: ScoringJob, system: str, setting: str, told: float | None) -> None:
    """Raises SubmissionError where a score is none that the system was told: that would be news for no run."""
    about = (job.season.season, system)
    before = [e.scores.get(setting) for e in job.state.events if (e.season, e.system) == about]
    if told is None or told not in before:
        raise refusal(
            Code.TALLIES_OTHER,
            "These answers do not have the score any more that they were told",
            hint="The organiser merges them and scores them again: argue-bench board rescore --system.",
        )


def _result(
    job: ScoringJob, bundle: Bundle, outcome: StepOutcome, rows: Mapping[str, Setting]
) -> dict[str, bytes]:
    """The result with its signature; settings that did not move stay as they were."""
    # After a re-scoring no row of before may stand beside the new ones: they were made otherwise.
    before = None if job.again else job.state.result(bundle.system, job.keys)
    scored = {
        path: content
        for path, content in bundle.files.items()
        if path.startswith("metadata/") or path.partition("-generations/")[0] in rows
    }
    result = Result(
        job.season.season,
        bundle.system,
        {**(before.settings if before else {}), **rows},
        {**(before.submission if before else {}), **sha256_each(scored)},
        job.gold_digest,
        bundle.author,
        bundle.commit,
        job.season.group or "",
        outcome.date,
    )
    return signed_result(result, job.secrets.signing)


def signed_result(result: Result, signing: str) -> dict[str, bytes]:
    return signed_file(result.path.as_posix(), canonical(result.to_json()), signing)


def _statistics(
    job: ScoringJob,
    system: str,
    ranked: RankedScore,
    tallies: Mapping[str, Mapping[str, RankedColumns]],
) -> dict[str, bytes]:
    """The system's tallies, encrypted, and the bands of all settings, signed."""
    name = job.season.season
    bands = {}
    for setting in job.season.settings:
        there = {s: one[setting] for s, one in tallies.items() if setting in one}
        if there:
            # Only scores that were made alike are compared: like the scored one, or like the first.
            signature = (there.get(system) or next(iter(there.values()))).signature
            columns = {s: one.columns for s, one in there.items() if one.signature == signature}
            bands[setting] = _bands(job, ranked, columns)
    content = canonical({"schema": 1, "season": name, "settings": bands})
    sealed = seal_tallies(tallies[system], job.secrets.key, name, system)
    return {
        f"results/{name}/{TALLIES}/{system}.sealed": sealed,
        **signed_file(f"results/{name}/bands.json", content, job.secrets.signing),
    }


def _bridge(
    job: ScoringJob, again: Rescoring, ranked: RankedScore, signature: Mapping[str, str], date: str
) -> dict[str, bytes]:
    """The season's bridges, signed: those of before, and the one that this re-scoring makes."""
    state, name, reason = job.state, job.season.season, again.reason
    stood = state.bridges(job.keys)
    old = [one for bridge in stood if bridge["reason"] == reason for one in bridge["from"]]
    for settings in state.counted(state.systems, job.secrets.key).values():
        for one in settings.values():
            if dict(one.signature) not in (dict(signature), *old):
                old.append(dict(one.signature))
    bridge = make_bridge(
        scores_before(state.events, name, reason, again.answers),
        {**scores_after(state.events, name, reason), **again.told},
        (old, signature),
        reason,
        date,
        ranked.sign,
    )
    kept = [*(one for one in stood if one["reason"] != reason), bridge]
    content = canonical({"schema": 1, "season": name, "bridges": kept})
    return signed_file(f"results/{name}/{BRIDGES}", content, job.secrets.signing)


def _bands(job: ScoringJob, ranked: RankedScore, columns: Mapping[str, Columns]) -> dict[str, Any]:
    # Bands of hidden gold come from told scores alone; tests over tallies would tell more.
    step, n = job.season.step, len(job.dataset)
    groups = number_groups(question.cluster for question in job.dataset)
    if step is None:
        return job.banding(ranked.key, ranked.average, columns, groups)
    return told_bands(ranked, columns, n, step, count_units(n, groups))
