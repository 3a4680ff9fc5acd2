"""Which full stops end no sentence? Words that carry a full stop of their own, by language.

Forms are exact, capitals included: "Mar." is a month, "mar." is not. Every set goes without the
last full stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """What is known of one language.

    ``titles`` never end a sentence: a name or the rest of a phrase follows. ``numbered`` do not
    where a number follows. ``words`` are both an abbreviation and a word ("No."): they end one
    except before a number. ``others`` end one only where ``starters`` follow, words that
    seldom stand inside a name. ``after_initial`` are the starters that are never part of a name.
    ``kinds`` are nouns that a single letter classifies: "vitamin C." may end a sentence.
    """

    titles: frozenset[str]
    numbered: frozenset[str]
    words: frozenset[str]
    others: frozenset[str]
    starters: frozenset[str]
    after_initial: frozenset[str]
    kinds: frozenset[str]

    def __or__(self, other: Abbreviations) -> Abbreviations:
        return Abbreviations(
            *(getattr(self, name) | getattr(other, name) for name in self.__slots__)
        )


_ENGLISH_STARTERS = _words(
    "The An He She It They We You This That These Those There Here His Her Its Their Our My Your "
    "In On At By For From With Without Within During Despite After Before Since Until When While "
    "Where Why How What Who Which As If Although Though Because However But And Or So Yet Nor "
    "Then Thus Hence Therefore Moreover Furthermore Additionally Also Later Today Both Some Many "
    "Most Several All Each Every Another Other Overall According Finally Nevertheless Meanwhile "
    "Instead Similarly Unlike Under Over Between Among Through Not Yes No Once Only Even"
)
ENGLISH = Abbreviations(
    titles=_words(
        "Mr Mrs Ms Mx Dr Drs Prof Messrs Mmes Rev Hon Gov Gen Col Maj Capt Cpt Lt Sgt Cpl Pvt Adm "
        "Cmdr Sen Rep Reps Sens Pres Supt Insp Fr e.g i.e E.g I.e E.G I.E eg ie viz "
        "cf Cf al vs v.s approx incl excl resp esp Msgr Mgr Amb Atty Asst Assoc"
    ),
    numbered=_words(
        "No Nos no nos p pp P PP vol Vol vols Vols ch Ch chap Chap fig Fig figs Figs sec Sec sect "
        "Sect eq Eq eqs Eqs art Art arts para Para paras par ex Ex app App tab Tab pt Pt Op op "
        "ca c r b d fl n nn ff l ll ver v Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec ext Tel "
        "est Est Res Rev § bk Bk"
    ),
    words=_words("No Nos no nos app est"),
    others=_words(
        "St Ste Mt Ft Inc Ltd Co Corp Bros LLC Cos Plc plc Jr Sr Esq etc Etc ed Ed eds Eds trans Univ Dept dept "
        "Ave Blvd Rd Sq Bldg Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu "
        "Thur Thurs Fri Sat Sun a.m p.m A.M P.M Ph.D M.D B.A M.A B.Sc M.Sc Ala Ariz Ark Calif Colo "
        "Conn Del Fla Ga Ida Ill Ind Kan Kans Ky La Md Mass Mich Minn Miss Mo Mont Neb Nebr Nev "
        "Okla Ore Pa Penn Tenn Tex Va Vt Wash Wis Wyo Ont Que Intl intl Natl natl Govt govt min "
        "max avg ibid Ibid misc sq ft yd lb lbs oz mi hr hrs sec secs mins km Nat Int Proc Sci "
        "Acad Phys Chem Biol Med Engl J.D LL.B LL.M"
    ),
    starters=_ENGLISH_STARTERS,
    after_initial=_ENGLISH_STARTERS - _words("An On My Yes"),
    kinds=_words(
        "vitamin vitamins grade class group type plan hepatitis category option exhibit section "
        "appendix block team phase point step schedule series Vitamin Hepatitis Plan Group Type "
        "Class Grade Category Option Appendix Section Team"
    ),
)

_FRENCH_SENTENCE_WORDS = _words(
    "Il Elle Ils Elles On Nous Vous Je J Tu Ce C Cela Ceci Cette Ces Celui Celle Ceux En Dans Pour "
    "Par Sur Sous Avec Sans Selon Après Avant Depuis Lors Lorsque Pendant Malgré Quand Comme Si "
    "Ainsi Donc Or Car Enfin Puis Ensuite Toutefois Cependant Mais Et Où Qui Que Quel Quelle "
    "Aujourd Néanmoins Pourtant Par Alors Notamment Plus Plusieurs Tous Toutes Chaque Certains "
    "Certaines Son Sa Ses Leur Leurs Notre Votre Mon Ma Mes Parmi Entre Vers Dès Jusqu Bien Aussi "
    "Non Oui Autrefois Finalement Actuellement Contrairement Au Aux À"
)
FRENCH = Abbreviations(
    titles=_words(
        "M MM Mr Mme Mmes Mlle Mlles Dr Drs Pr Prof Mgr Mgrs Me St Ste Sts Stes Gal Cne Cdt Col "
        "Lt Sgt cf Cf p.ex ex c.-à-d c.à.d env al vs v.s S.A.S S.M S.E bd Bd boul av apr dép"
    ),
    numbered=_words(
        "No no Nos nos n p pp P t T vol Vol vols chap Chap ch fig Fig art Art arts al alin sect "
        "Sect éd Éd f fo ff l ll pl Pl col par § v s ss janv févr fév avr juil juill sept oct nov "
        "déc env tél Tél ann"
    ),
    words=_words("nos Nos no ex ann par al s v"),
    others=_words(
        "etc Etc J.-C J.C apr av janv févr fév avr juil juill sept oct nov déc Cie cie Ltée Inc "
        "Ltd S.A S.A.R.L éd Éd coll Coll dir trad dép hab min max R.F U.S A.P ibid Ibid op.cit "
        "h.t T.T.C H.T a.m p.m"
    ),
    starters=_FRENCH_SENTENCE_WORDS | _words("Le La Les L Un Une Des Du De D"),
    after_initial=_FRENCH_SENTENCE_WORDS,
    kinds=_words(
        "vitamine vitamines hépatite classe groupe type plan catégorie option annexe section point "
        "étape série Vitamine Hépatite Groupe Type Plan Annexe Catégorie"
    ),
)


@cache
def abbreviations(rules: str) -> Abbreviations:
    """Those of "en" or "fr"; for "xx" both together."""
    return {"en": ENGLISH, "fr": FRENCH}.get(rules) or ENGLISH | FRENCH
