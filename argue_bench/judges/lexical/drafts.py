"""The rules of the lexical judge for contradiction, for what helps with a question, and for nuggets.

They are rough: offline stand-ins that let a run end, which docs/judges.md says.
"""

from __future__ import annotations

from argue_bench import records
from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical.compare import has_name, opposed, places, share, unmatched
from argue_bench.judges.lexical.reading import read_sentence
from argue_bench.judges.lexical.rules import no, yes
from argue_bench.judges.lexical.together import read_sources
from argue_bench.judges.lexical.values import CLOCK, Value
from argue_bench.records import Verdict
from argue_bench.text import sentences
from argue_bench.text.refusals import refuses_in_words


def contradicts(request: records.Contradicts) -> Verdict:
    """The sentence of the source that is most like it denies it, or gives another value in its place."""
    wanted, text = read_sentence(request.sentence), read_sources(request.premise)
    for place in places(wanted, text, 1):
        held = wanted.plain & place.stems
        if 2 * len(held) < len(wanted.plain):
            continue
        alike = len(held) >= at.FEW_WORDS or (bool(held) and held == wanted.plain)
        if not all(has_name(name, place) for name in wanted.names):
            continue
        if alike and opposed(wanted, place):
            return yes("one says what the other denies")
        if wanted.years and not place.years:
            continue  # it may speak of another time
        for value in unmatched(wanted.values, text):
            rivals = [one for one in unmatched(place.values, wanted) if _rival(value, one)]
            same = alike or bool(value.unit)
            if value.unit == CLOCK:
                # A day has many hours: only what is told in the same words has another one.
                same = len(wanted.plain) >= at.FEW_WORDS and held == wanted.plain
            if rivals and same:
                return yes(f"it says {rivals[0]}, not {value}")
    return no("nothing in it excludes the sentence")


def _rival(one: Value, other: Value) -> bool:
    """Whether two values that differ could not both stand in one place of a sentence."""
    if any(one.date) or any(other.date):
        return any(one.date) and any(other.date)
    return one.unit == other.unit


def helps_answer(request: records.HelpsAnswer) -> Verdict:
    """It holds a quarter of the question's words; where the question names something, or a name of it."""
    topic, said = read_sentence(request.question), read_sentence(request.sentence)
    if refuses_in_words(request.sentence) or len(said.stems) < at.FEW_WORDS:
        return no("it declines, or says too little to help")
    held = share(topic.stems, said.stems)
    if not topic.stems or held >= at.HELPS:
        return yes(f"{held:.0%} of the question's words")
    if any(has_name(name, said) for name in topic.names):
        return yes("it speaks of what the question names")
    return no(f"only {held:.0%} of the question's words")


def list_claims(request: records.ListClaims) -> Verdict:
    """The sentence itself: it takes a language model to split it."""
    return Verdict(" ".join(request.sentence.split()))


def guess_question(request: records.GuessQuestion) -> Verdict:
    """A sentence of the response, by the number of the attempt: no question, but what one would ask for."""
    said = sentences(request.response) or [""]
    attempt = int(request.attempt) if request.attempt.isdecimal() else 1
    return Verdict(said[(attempt - 1) % len(said)].rstrip(".!"))


def lines_of_documents(request: records.DraftNuggets) -> Verdict:
    """The list so far, and each sentence of the documents that speaks to the question and is not in it."""
    found = {" ".join(line.split()): None for line in request.nuggets}
    for source in request.documents:
        for sentence in sentences(source.text):
            one = " ".join(sentence.split())
            if (
                len(one) <= at.LONG_NUGGET
                and helps_answer(records.HelpsAnswer(one, request.question)).yes
            ):
                found.setdefault(one)
    return Verdict("\n".join(found))


def nugget_importance(request: records.NuggetImportance) -> Verdict:
    """Vital where it holds half of the question's words."""
    topic, said = read_sentence(request.question), read_sentence(request.nugget)
    held = share(topic.stems, said.stems)
    word = "vital" if held >= at.VITAL else "okay"
    return Verdict(word, f"{held:.0%} of the question's words")
