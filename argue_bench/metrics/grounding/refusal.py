"""Does an answer refuse, answer, do both, or neither? English and French, by wording and behaviour.

By wording: a sentence refuses where the assistant or its sources are said not to know, hold or allow
the answer. A phrase wants such a subject, so "solar panels do not provide power at night" is none.
By behaviour: an answer that refuses and says nothing else of substance is a refusal; one that refuses
and then says something is hedged, whatever word joins the two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from argue_bench.records import Answer
from argue_bench.text.typed import fold_text

_SOURCES = (
    r"(?:the |these |those |this |my |your |any of the |none of the |provided |given |supplied |available "
    r"|retrieved |above |cited )*"
    r"(?:contexts?|documents?|passages?|sources?|excerpts?|texts?|articles?|materials?|evidence|references)"
    r"(?: (?:provided|given|supplied|available|above|at hand|that i (?:have|was given)|i (?:have|was given)))*"
)
_SOURCES_FR = (
    r"(?:les? |ces? |cet(?:te)? |mes |aucun(?:e)?(?: des)? |un )?"
    r"(?:contextes?|documents?|passages?|sources?|extraits?|textes?|articles?|references?)"
    r"(?: (?:fourni|donne|disponible|cite|consulte|presente)e?s?)*"
)
_INFORMATION = (
    r"(?:information|informations|detail|details|mention|evidence|data|answer|indication)"
)
_NO = r"(?:do not|does not|did not|don't|doesn't|didn't|never)"
_CANNOT = r"(?:cannot|can not|can't|could not|couldn't|am unable to|are unable to|was unable to|unable to|am not able to|not able to)"
_ANYTHING = r"[^.!?\n]{0,120}?"

_ENGLISH = (
    rf"\b(?:i|we)(?: am sorry,? but i)? ?{_CANNOT} (?:\w+ ){{0,2}}(?:answer|respond|say|tell|determine|provide|give|find|locate|confirm|establish|help)\b",
    r"^(?:sorry,? |unfortunately,? )*(?:i|we) (?:do not|don't) (?:know|have (?:enough|the|any|sufficient))\b",
    r"\b(?:i|we) (?:found|find|see|saw|have) no\b" + _ANYTHING + _INFORMATION,
    r"\b(?:i|we) (?:did not|didn't|do not|don't) (?:find|see)\b"
    + _ANYTHING
    + rf"(?:{_INFORMATION}|{_SOURCES})",
    rf"\b{_SOURCES} {_NO} (?:\w+ ){{0,2}}(?:allow|permit|contain|mention|provide|include|say|state|specify|give|answer|indicate|reveal|tell|report|address|cover|discuss)\b",
    rf"\b(?:none|neither|nothing) (?:of|in) {_SOURCES}",
    rf"\bno {_SOURCES} (?:\w+ )?(?:mentions?|says?|states?|gives?|contains?|provides?|answers?|specif(?:y|ies))\b",
    rf"\bnot (?:be )?(?:mentioned|stated|specified|given|found|answered|provided|contained|available|included|covered|addressed|reported|determined) (?:anywhere )?(?:in|by|from|within) {_SOURCES}",
    rf"\bthere(?: is|'s| are| was) (?:no|not enough|not any|insufficient)\b{_ANYTHING}{_INFORMATION}",
    rf"\bthere (?:isn't|is not|aren't|are not) (?:enough|any|sufficient)\b{_ANYTHING}{_INFORMATION}",
    rf"\b(?:not enough|insufficient|missing|lack of) {_INFORMATION}\b",
    r"\b(?:the |this |your )?(?:question|it) (?:is (?:unanswerable|not answerable)|(?:cannot|can not|can't|could not) be (?:answered|determined|established))\b",
    r"\b(?:(?:this|that|the|such) (?:information|answer|detail)|(?:this|that|such) figure)s?(?: requested| you ask for)? (?:is|are|was|were) (?:not (?:available|provided|given|mentioned|stated|included|known)|unavailable|missing)\b",
    r"^(?:unanswerable|no answer|not answerable|n/?a|unknown|not enough information|no information|(?:it is )?not possible to (?:answer|say|determine)\b.*)\W*$",
    r"\bit is (?:not possible|impossible) to (?:answer|say|determine|tell|establish)\b",
    r"\b(?:i|we) (?:must |have to )?(?:decline|refuse) to answer\b",
)
_FRENCH = (
    r"\b(?:je|nous|on) ne (?:peux|puis|peut|pouvons|pourrais|saurais|suis|sommes)\b"
    + _ANYTHING
    + r"(?:repondre|fournir|donner|dire|determiner|preciser|aider|indiquer|confirmer)",
    r"\b(?:je|nous) ne (?:sais|savons|dispose|disposons|trouve|trouvons|connais|connaissons)\b"
    + _ANYTHING
    + r"\b(?:pas|aucune?|rien)\b",
    r"\b(?:je n'ai|nous n'avons) (?:pas|trouve|aucune?)\b"
    + _ANYTHING
    + r"(?:information|reponse|element|mention|trouve|donnee|precision)",
    r"\b(?:pas|incapable|impossible)\b(?: en mesure)?(?: d[e'] ?)?(?:en mesure )?(?:de |d')?(?:repondre|determiner|dire|savoir)\b",
    rf"\b{_SOURCES_FR} (?:ne|n'en|n')\s?(?:me |nous )?(?:permet\w*|contien\w*|mentionn\w*|fourni\w*|indiqu\w*|precis\w*|donn\w*|di[st]\w*|repond\w*|evoqu\w*|abord\w*)\b{_ANYTHING}\b(?:pas|aucune?|rien|ni|pas)\b",
    rf"\baucune? (?:des |de ces )?(?:{_SOURCES_FR}|information|mention|reponse|donnee|indication)s?\b[^.!?\n]{{0,60}}?\b(?:ne |n')(?:\w+)",
    r"\b(?:cette|cet|ce|la|l'|les|ces) ?(?:information|informations|reponse|donnee|donnees|precision|detail|details)\b[^.!?\n]{0,60}?(?:n'est|ne sont|n'etait|n'apparait|ne figure|n'y figure)\b[^.!?\n]{0,20}?\bpas\b",
    r"\b(?:cela|ceci|ca|elle|il|ce|celle-ci|celui-ci) (?:n'est|ne figure|n'apparait|n'y est)\b[^.!?\n]{0,20}?pas\b[^.!?\n]{0,60}?"
    + rf"(?:dans|par) {_SOURCES_FR}",
    rf"\b(?:n'est|ne figure|n'apparait|ne sont) pas (?:mentionne|indique|precise|donne|fourni|specifie|disponible|trouve)?\w*[^.!?\n]{{0,20}}?(?:dans|par) {_SOURCES_FR}",
    r"\b(?:il n'y a|il n'existe) (?:pas|aucune?)\b"
    + _ANYTHING
    + r"(?:information|reponse|mention|element|donnee|indication)",
    r"\binformations? (?:insuffisante|manquante|absente|indisponible|non disponible)s?\b",
    r"^(?:sans reponse|pas de reponse|inconnue?|reponse inconnue|information indisponible|on l'ignore|je l'ignore|nous l'ignorons)\W*$",
    r"\b(?:j'ignore|nous ignorons|je l'ignore)\b",
    r"\b(?:la |cette )?question (?:est sans reponse|reste sans reponse|ne peut (?:pas )?(?:etre repondue|recevoir de reponse))\b",
)
_PATTERNS = tuple(re.compile(pattern) for pattern in (*_ENGLISH, *_FRENCH))

_COURTESY = re.compile(
    r"^(?:sorry|i apologi[sz]e|i am sorry|unfortunately|please\b.*+|let me know\b.*+|if you (?:have|can|could|provide|share)\b.*+"
    r"|feel free\b.*+|you (?:may|might|could|should) (?:want to |wish to )?(?:consult|check|contact|search|try)\b.*+"
    r"|desole.*+|malheureusement|veuillez\b.*+|n'hesitez pas\b.*+|si vous (?:avez|pouvez|souhaitez)\b.*+|merci\b.*+)\W*+$"
)
"""Possessive: what follows a run never begins inside it, so hostile runs are read once."""
_FEWEST_WORDS = 3


class Conduct(StrEnum):
    """What an answer does."""

    ANSWERS = "answers"
    REFUSES = "refuses"
    HEDGES = "hedges"
    """It refuses and answers all the same."""
    EMPTY = "empty"

    @property
    def refuses(self) -> bool:
        return self is Conduct.REFUSES


def refuses_in_words(sentence: str) -> bool:
    """Whether a sentence says that the question can't be answered from what was given.

    >>> refuses_in_words("I can’t answer."), refuses_in_words("Wood does not contain iron.")
    (True, False)
    """
    text = fold_text(sentence).strip()
    return any(pattern.search(text) for pattern in _PATTERNS)


def conduct(answer: Answer) -> Conduct:
    """What the answer as a whole does, by what is left when refusals and courtesies are taken away."""
    sentences = [sentence.text for sentence in answer.sentences if sentence.text.strip()]
    if not sentences:
        return Conduct.EMPTY
    refusals = [sentence for sentence in sentences if refuses_in_words(sentence)]
    if not refusals:
        return Conduct.ANSWERS
    return Conduct.HEDGES if _substance(sentences, refusals) else Conduct.REFUSES


def _substance(sentences: Sequence[str], refusals: Sequence[str]) -> bool:
    refused = set(refusals)
    rest = [s for s in sentences if s not in refused and not _COURTESY.match(fold_text(s).strip())]
    return any(len(sentence.split()) >= _FEWEST_WORDS for sentence in rest)
