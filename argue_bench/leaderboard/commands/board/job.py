"""``board score|rescore``, ``board ci``: the steps between a pull request and its row, and what scores at home."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from argue_bench.analysis.bands import rank_bands
from argue_bench.cli.commands import as_field, command, option, options
from argue_bench.cli.options import PATH, folder_argument, judge_option
from argue_bench.cli.progress import progress
from argue_bench.cli.tables import show_findings
from argue_bench.errors import Code, DataError, SubmissionError
from argue_bench.leaderboard.commands.board.options import (
    ANSWERS_KEY,
    RESULTS,
    SIGNING_KEY,
    board_option,
    print_codes_only,
    remote_option,
    results_option,
    spend_option,
)
from argue_bench.leaderboard.formats.bundle import Bundle, read_bundle
from argue_bench.leaderboard.formats.git_objects import open_objects, refusal
from argue_bench.leaderboard.formats.layout import FAILED, UNCHANGED, write_files
from argue_bench.leaderboard.formats.ledger import Event, owners, read_ledger
from argue_bench.leaderboard.formats.names import board_name
from argue_bench.leaderboard.formats.outcome import StepOutcome, read_outcome, summarise
from argue_bench.leaderboard.formats.results import now
from argue_bench.leaderboard.formats.season import Season, read_season
from argue_bench.leaderboard.intake.entries import PullRequest
from argue_bench.leaderboard.intake.pull_request import (
    HeldSubmission,
    NoSubmission,
    receive_pull_request,
)
from argue_bench.leaderboard.publishing.comment import write_comment
from argue_bench.leaderboard.publishing.record import RecordTarget, read_decision, record_outcome
from argue_bench.leaderboard.scoring.bridge import scores_before, suspicion
from argue_bench.leaderboard.scoring.containment import NAME as DIAGNOSIS
from argue_bench.leaderboard.scoring.disclosure import BAND_RESAMPLES
from argue_bench.leaderboard.scoring.hidden_scoring import (
    JobSecrets,
    Rescoring,
    ScoringJob,
    score_bundle,
    sign_outcome,
)
from argue_bench.leaderboard.scoring.results_branch import read_results_branch
from argue_bench.leaderboard.scoring.scored_settings import Judging, join_gold, score_folder
from argue_bench.leaderboard.scoring.season_judges import judge_key, judges_of, paid_by
from argue_bench.leaderboard.seasons.sealing import SEALED, digest_with_gold, sealed_gold
from argue_bench.leaderboard.signing.keys import (
    Keys,
    keyed_digest,
    public_pem,
    read_keys,
    secret_from,
)
from argue_bench.leaderboard.submitting.checking import files_of
from argue_bench.loaders.core import parse_gold
from argue_bench.loaders.dataset import Dataset
from argue_bench.records.atomic import atomic_write
from argue_bench.records.digests import sha256
from argue_bench.records.table import points


@dataclass(frozen=True)
class JobOptions:
    """The options of every command that scores against hidden gold."""

    remote: str = as_field(remote_option)
    out: Path | None = as_field(
        option(
            type=PATH,
            required=True,
            help="An empty folder; `board ci record` then takes OUT/SYSTEM.",
        )
    )
    results: str = as_field(results_option)
    budget: float | None = as_field(spend_option)
    minutes: float = as_field(
        option(
            default=0.0,
            group="Advanced",
            help="Minutes after which the scoring of a system ends. [default: no limit]",
        )
    )

    @contextmanager
    def open_job(self, folder: Path, reason: str = "") -> Iterator[ScoringJob]:
        """The job of the season in ``folder``; while it is open, judges find their key.

        Everything that can be refused is checked first, before a judge costs anything.
        """

        if self.out is not None and self.out.exists() and any(self.out.iterdir()):
            raise click.UsageError(
                f"{self.out} is not empty: what lies there could be taken for signed"
            )
        secrets = JobSecrets(secret_from(ANSWERS_KEY), secret_from(SIGNING_KEY, "signing key"))
        keys, season = read_keys(folder), read_season(folder)
        # Before a judge is paid: what another key signs is not recorded.
        check_signing(secrets.signing, keys)
        dataset = open_gold(folder, season, secrets.key)
        with judge_key(judges_of(season).values()):
            specs = paid_by(season, self.budget)
            with print_codes_only(), open_objects(self.remote) as objects:
                yield ScoringJob(
                    season,
                    dataset,
                    read_results_branch(objects, season.season, self.results),
                    keys,
                    secrets,
                    banding,
                    specs,
                    Rescoring(reason) if reason else None,
                    {board_name(one.stem) for one in folder.glob("metadata/*.json")},
                    60 * self.minutes,
                )


job_options = options("given", JobOptions)


def check_signing(secret: str, keys: Keys) -> None:
    """Raises UsageError unless this key is among the board's active keys, before a judge costs anything."""

    name, _ = public_pem(secret)
    if name not in keys.active:
        why = "was retired" if name in keys.retired else "is not in keys/"
        raise click.UsageError(
            f"{SIGNING_KEY} is the key {name}, which {why}; {', '.join(keys.active) or 'none'} signs here"
        )


def open_gold(folder: Path, season: Season, key: str) -> Dataset:
    """The season's set with its gold, opened in memory. Raises DataError, SealError, UsageError."""

    dataset = season.load()
    if not dataset.sealed:
        return dataset
    path = folder / SEALED
    content = sealed_gold(folder, key)
    opened = join_gold(dataset, parse_gold(content, path), str(path))
    if season.sealed or season.set.path is None:
        return opened  # such a season promised its digest on the first day
    plain = digest_with_gold(Path(season.set.path), content)
    return replace(
        opened, declared_digest=plain if season.step is None else keyed_digest(plain, key)
    )


def banding(score: str, average: Any, systems: Mapping[str, Any], groups: Any) -> dict[str, Any]:
    """Rank bands by paired tests, where all scores are published."""

    return rank_bands(
        score,
        average,
        systems,
        groups=groups,
        resamples=BAND_RESAMPLES,
        permutations=BAND_RESAMPLES,
    )


@command("score")
@folder_argument
@option("--bundle", type=PATH, required=True, help="The bundle that `board ci intake` wrote.")
@option(
    "--expect", required=True, metavar="SHA256", help="SHA-256 of the bundle; any other is refused."
)
@option(
    "--pad",
    default=0,
    metavar="SECONDS",
    help="End at a multiple of this many seconds, so that the duration reveals nothing; with a model as judge at the end of --minutes.",
)
@job_options
def ci_score(
    folder: Path,
    bundle: Path,
    expect: str,
    pad: int,
    given: JobOptions,
) -> None:
    """Score a bundle against the sealed gold of the season in FOLDER, within its quota and steps.

    The decision in OUT is signed, and shows nothing of the gold. Exits 1 where it is refused.

    Example: argue-bench board ci score --bundle /tmp/intake/bundle --expect SHA256 --out /tmp/scored
    """

    started = time.monotonic()
    with given.open_job(folder) as job:
        outcome, files = score_bundle(job, read_bundle(bundle, expect), expect)
    signed = sign_outcome(files, outcome, job.secrets.signing)
    if pad:
        # How long a scoring took could tell something of the gold, and so could the dates of its files. How often a model
        # is asked hangs on the gold: with one, all scorings take the same time.
        model = {*judges_of(job.season).values()} - {"lexical"}
        whole = 60 * given.minutes if model and DIAGNOSIS in files else 0
        took = time.monotonic() - started
        time.sleep(max(whole - took, -took % pad))
    if given.out is not None:
        write_files(given.out, signed)
    click.echo("\ncode: ".join([f"state: {outcome.state}", *outcome.codes]), err=True)
    if outcome.state in ("refused", "failed"):
        raise SystemExit(1)


@command()
@folder_argument
@option("--reason", required=True, help="Reason for scoring again, which the ledger shows.")
@option("--system", default="", help="Score only this system again.")
@option("--dry-run", is_flag=True, help="Show what would change and what it cost; write nothing.")
@option("--yes", is_flag=True, help="Write also what looks like a judge that fails.")
@options("given", JobOptions, without=("results", "minutes"), out={"required": False})
def rescore(
    folder: Path, reason: str, system: str, dry_run: bool, yes: bool, given: JobOptions
) -> None:
    """Score again what is merged in FOLDER and was scored before, each system into OUT/SYSTEM.

    Where the season shows every score by now, so does this, those that were held back too.

    Record them one by one, in the order of their names. Runs and quota stay as they are; old scores stay
    in the ledger, and on the branch before.

    Example: argue-bench board rescore --remote URL --reason "scorer 0.2" --out /tmp/again
    """

    if given.out is None and not dry_run:
        raise click.UsageError("say where the signed files go, --out DIR, or --dry-run")
    bad = 0
    made_files: dict[str, dict[str, bytes]] = {}
    before: dict[str, dict[str, float]] = {}
    answers: dict[str, str] = {}
    # Before it is paid for: the ledger takes no reason that it could not read.
    read_ledger(Event("re-scored", now(), "s", reason=reason).to_bytes() + b"\n", "the new event")
    with given.open_job(folder, reason) as job:
        known = owners(job.state.events)
        for name in _names(job, [n for n in known if system in ("", n)]):
            files = {path: place.read_bytes() for path, place in files_of(folder, name).items()}
            if f"metadata/{name}.json" not in files:
                click.echo(f"{name}: its files are not merged here; left as it is", err=True)
                continue
            bundle = Bundle(name, known[name], files)
            answers[name] = bundle.answers
            before = scores_before(job.state.events, job.season.season, reason, answers)
            outcome, made = score_bundle(job, bundle, sha256(bundle.to_bytes()))
            made_files[name] = sign_outcome(made, outcome, job.secrets.signing)
            bad += outcome.state in ("refused", "failed")
            click.echo(f"{name}: {outcome.state}{''.join(f' [{c}]' for c in outcome.codes)}")
            for setting, one in outcome.settings.items():
                was = before.get(name, {}).get(setting)
                click.echo(f"    {setting}: {points(was)} -> {points(one.value)}")
        spent = {
            id(b): b.spent for b in (getattr(j, "budget", None) for j in job.judges.values()) if b
        }
        click.echo(f"Judges spent ${sum(spent.values()):.2f}.", err=True)
        doubt = suspicion(before, job.again.told if job.again else {})
    if doubt and not yes:
        raise click.ClickException(f"{doubt}. Nothing was written. Look at the judge, or say --yes")
    if given.out is not None and not dry_run:
        for name, made in made_files.items():
            write_files(given.out / name, made)
    if bad:
        raise SystemExit(1)


@command("bridge")
@click.argument("file", type=PATH)
@folder_argument
@remote_option
def board_bridge(file: Path, folder: Path, remote: str) -> None:
    """Sign FILE, which `judge bridge --out` wrote, with the key in SIGNING_KEY, on the results branch.

    Where season.json names the new judge, rows of the old one are carried over by it and marked, until each is
    scored again; meanwhile new submissions are scored by the new judge.
    A season that tells scores in steps has no bridge.

    Example: argue-bench board bridge bridge.json my-board/leaderboard-submissions --remote URL
    """

    from argue_bench.eval.signature import judge_text
    from argue_bench.judges import as_judge
    from argue_bench.lab.bridge import BridgeFile
    from argue_bench.leaderboard.publishing.record import record_bridge
    from argue_bench.pages.columns import find_key
    from argue_bench.records.untrusted import read_json
    from argue_bench.records.validation import validate

    signing, keys = secret_from(SIGNING_KEY, "signing key"), read_keys(folder)
    check_signing(signing, keys)
    season = read_season(folder)
    if season.step is not None:
        raise click.UsageError(
            f"{season.season} tells scores in steps, and a bridge would tell more of its gold"
        )
    bridge = validate(BridgeFile, read_json(file), Code.WRONG_VALUE, file)
    if bridge.scores.get(find_key(season.ranked, bridge.scores)) is None:
        raise click.UsageError(
            f"{file} has no shift of {season.ranked}, by which the board ranks: make it with --whole-answers, and with "
            "more --items where it says that these are too few; or score the rows again (board rescore)"
        )
    if season.judge == bridge.new:
        identity = as_judge(season.judge_specs({})[""]).identity()
        if identity != bridge.identity:
            raise click.UsageError(
                f"the bridge leads to {judge_text(bridge.new, bridge.identity)}, and season.json names "
                f"{judge_text(bridge.new, identity)}. Make the bridge again with the judge of the season."
            )
    with print_codes_only():
        commit = record_bridge(bridge, season.season, RecordTarget(remote, RESULTS), keys, signing)
    click.echo(f"{RESULTS} is now {commit}: {bridge.old} bridged to {bridge.new}.")


def _names(job: ScoringJob, known: Sequence[str]) -> list[str]:
    """The systems to score again. Raises ClickException where there is none, and says why."""

    season, told = job.season, set(job.state.systems)
    ran = {e.system for e in job.state.events if (e.season, e.event) == (season.season, UNCHANGED)}
    there = [name for name in sorted(known) if name in told | ran]
    names = [name for name in there if season.step is None or name in told]
    held = ", ".join(name for name in there if name not in names)
    why = f'{held}: no score was told, and none is while season.json says "told": "ranked"'
    if names and held:
        click.echo(f"{why}; left as it is", err=True)
    elif held:
        raise click.ClickException(why)
    elif not names:
        raise click.ClickException(f"no such system was scored in {season.season}")
    return names


@command("score")
@folder_argument
@option("--system", default="", group="Input", help="Score this system only.")
@judge_option.but(help="Judge for the metrics; may be repeated. [default: the season's]")
@option(
    "--out",
    type=PATH,
    group="Output",
    help="Write OUT/results/SEASON/SYSTEM.json. [default: FOLDER]",
)
def board_score(
    folder: Path,
    system: str,
    judges: dict[str, str],
    out: Path | None,
) -> None:
    """Check and score the submissions in FOLDER at home.

    A system with errors is refused, the others are scored; then the exit code is 1. Sealed gold is
    opened with the key in the variable ANSWERS_KEY.

    Example: argue-bench board score leaderboard-submissions --out /tmp/board
    """

    season = read_season(folder)
    dataset = season.load()
    if dataset.sealed and (folder / SEALED).is_file():
        dataset = open_gold(folder, season, secret_from(ANSWERS_KEY, "key of the gold"))
    told: dict[str, int] = {}
    good = bad = 0
    files = (f for f in folder.glob("*-generations/*.jsonl") if system in ("", board_name(f.stem)))
    with progress("scoring", len(dataset) * len([*files]), lambda: next(reversed(told))) as step:

        def tell(name: str, done: int) -> None:
            told[name] = done
            step(sum(told.values()))

        judging = Judging(judges, tell)
        for scored in score_folder(folder, season, dataset, out or folder, judging, system):
            if scored.result is not None:
                good += 1
                click.echo(f"{scored.path}")
                for setting, one in scored.result.settings.items():
                    for flag, many in one.answers.flags.items() if one.answers else ():
                        click.echo(
                            f"{scored.system}, {setting}: {many} answers flagged: {flag}", err=True
                        )
            else:
                bad += 1
                show_findings(scored.findings)
                if scored.problem:
                    click.echo(f"{scored.system}: {scored.problem}", err=True)
                click.echo(f"{scored.system or folder}: not scored", err=True)
    click.echo(f"{good} scored on {dataset.title}, {bad} refused.", err=True)
    if dataset.note:
        click.echo(dataset.note, err=True)
    if bad:
        raise SystemExit(1)


@command()
@remote_option
@option("--pr", type=int, required=True, help="The number of the pull request.")
@option("--sha", required=True, help="Its head commit, as it was reviewed.")
@option("--base", required=True, help="The commit of the board's main branch.")
@option("--author", required=True, help="The numeric id of its sender.")
@results_option
@board_option
@option("--out", type=PATH, required=True, help="The folder for intake.json and the bundle.")
@option(
    "--allow-none",
    is_flag=True,
    help="Exit 0 also where nothing is changed but what a review guards.",
)
@option("--screened", is_flag=True, help="A maintainer has looked at what was held: hold nothing.")
@option(
    "--open",
    "pulls",
    type=PATH,
    help="A file with a line NUMBER AUTHOR [SYSTEM] for each open pull request, the system of its branch.",
)
def intake(
    remote: str,
    pr: int,
    sha: str,
    base: str,
    author: str,
    results: str,
    folder: Path,
    out: Path,
    allow_none: bool,
    screened: bool,
    pulls: Path | None,
) -> None:
    """Copy one submission out of a pull request, as data, into OUT/bundle.

    Reads git objects, never a work tree. Prints digest=SHA256 of the bundle; codes go to stderr.

    Example: argue-bench board ci intake --remote file:///srv/board.git --pr 7 --sha SHA --base SHA
    --author 1234 --out /tmp/intake
    """

    season = read_season(folder)
    dataset = season.load()  # what is wrong with the board is no fault of a submission
    request = PullRequest(remote, pr, sha, base, author, results, screened, _open_pulls(pulls))
    known = StepOutcome("intake", "refused", season=season.season, pr=pr if pr > 0 else None)
    try:
        bundle, noticed = receive_pull_request(request, season, dataset)
    except DataError as error:
        if allow_none and isinstance(error, NoSubmission):
            noted = [replace(finding, level="notice") for finding in error.findings]
            replace(known, state="none", findings=summarise(noted)).write(out)
            return
        _write_refusal(error, known, out)
        raise SystemExit(1) from None
    except Exception as error:
        # The log names the place alone: a traceback may quote the submission.
        place = traceback.extract_tb(error.__traceback__)[-1]
        click.echo(f"{type(error).__name__}: {Path(place.filename).name}:{place.lineno}", err=True)
        _write_refusal(
            refusal(Code.SCORER_FAILED, "argue-bench has a fault that ends its check: report it"),
            replace(known, state="failed"),
            out,
        )
        raise SystemExit(1) from None
    raw = bundle.to_bytes()
    write_files(out, {"bundle": raw})
    told = (summarise(noticed), bundle.system, author, season.season, pr, sha, sha256(raw))
    StepOutcome("intake", "ready", *told).write(out)
    click.echo(f"digest={sha256(raw)}")


def _write_refusal(error: DataError, known: StepOutcome, out: Path) -> None:
    """Writes why a submission was refused, and the bundle of one that is held; prints the codes."""

    replace(known, findings=summarise(error.findings)).write(out)
    if isinstance(error, HeldSubmission):
        (out / "bundle").write_bytes(error.bundle.to_bytes())  # for `board screen`
    # Codes alone: the log of a workflow is public, and a message may quote the submission.
    click.echo("\n".join(f"code: {finding.code}" for finding in error.findings[:50]), err=True)


def _open_pulls(path: Path | None) -> dict[int, tuple[str, ...]]:
    """The open pull requests in a file: of each the id of its author, and the system that its branch names."""
    try:
        lines = [] if path is None else path.read_text(encoding="utf-8").splitlines()
        return {
            int(number): (author, *system)
            for number, author, *system in filter(None, map(str.split, lines))
        }
    except (OSError, ValueError) as error:
        raise click.UsageError(
            f"--open {path}: {error}; a line is NUMBER AUTHOR [SYSTEM]"
        ) from None


@command()
@option("--outcome", type=PATH, required=True, help="The folder that `board ci score` wrote.")
@remote_option
@results_option
@option("--pr", type=int, help="The number of the pull request.")
@option("--sha", default="", help="The head commit that was scored.")
@board_option
def record(
    outcome: Path, remote: str, results: str, pr: int | None, sha: str, folder: Path
) -> None:
    """Commit a signed outcome to the results branch.

    Every signature and digest is checked again, and that the pull request has not moved. Prints the commit.

    Example: argue-bench board ci record --outcome /tmp/scored --remote file:///srv/board.git
    """

    if not outcome.is_dir():
        raise click.UsageError(f"no such folder: {outcome}")
    keys = read_keys(folder)
    known = StepOutcome("record", "refused", pr=pr)
    (outcome / "record.json").unlink(missing_ok=True)  # of a try before
    with print_codes_only():
        try:
            if not (outcome / "score.json").exists():
                raise SubmissionError.of(
                    Code.SCORER_FAILED,
                    "the job that scores ended without an outcome",
                    "score.json",
                )
            decided, files = read_decision(outcome, keys)
            if decided.state == "refused" or (decided.state == FAILED and decided.reason):
                click.echo("state: nothing to record", err=True)
                return
            known = replace(known, system=decided.system, season=decided.season)
            click.echo(
                record_outcome(
                    decided,
                    files,
                    RecordTarget(remote, results, pr, sha),
                )
            )
        except DataError as error:  # what the comment then says, and no score
            replace(known, findings=summarise(error.findings)).write(outcome)
            raise


@command()
@option(
    "--outcome",
    type=PATH,
    required=True,
    help="The folder with score.json, or with intake.json where it came no further.",
)
@option("--out", type=PATH, required=True, help="The Markdown file to write.")
def comment(outcome: Path, out: Path) -> None:
    """Write what the board answers to a pull request.

    Example: argue-bench board ci comment --outcome /tmp/scored --out comment.md
    """

    there = [outcome / f"{step}.json" for step in ("record", "score", "intake")]
    path = next((one for one in there if one.exists()), there[0])
    with print_codes_only():
        decided = read_outcome(path)
        # What the intake noticed of the same answers, such as whose they are too, is for readers of the score as well.
        if path == there[1] and there[2].exists():
            taken = read_outcome(there[2])
            if taken.digest == decided.digest:
                decided = replace(
                    decided, findings=(*dict.fromkeys((*decided.findings, *taken.findings)),)
                )
        said = write_comment(decided)
    with atomic_write(out) as file:
        file.write(said)
