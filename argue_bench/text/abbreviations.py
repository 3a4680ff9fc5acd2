"""Words before whose last full stop `sentencex` cuts, and should not: one fixed table, forms exact.

Every word is written without its last full stop.
"""

from __future__ import annotations

_ALWAYS = {
    "*": "M MM Mr Mrs Ms Mx Dr Drs Prof Rev Hon Gov Gen Col Maj Capt Lt Sgt Sen Rep Fr cf Cf vs al approx e.g i.e "
    "E.g I.e eg ie viz incl excl resp esp",
    "fr": "Mme Mmes Mlle Mlles Pr Mgr Me St Ste Sts Stes p.ex ex c.-à-d c.à.d env av apr bd boul dép art chap éd",
    "de": "z.B d.h u.a o.ä i.d.R z.T u.U v.a s.o s.u bzw ca vgl Vgl evtl ggf inkl exkl sog bspw Nr Abs Bd Bde Hr Frl "
    "Ing Dipl Mag St geb gest Jh Jhd Mio Mrd Kap Hrsg hrsg Std Tel zzgl lt max min",
    "es": "Sr Sra Srta Sres Dra Ud Uds Vd Vds D Dña Lic Ing Arq pág págs núm ej p.ej aprox EE a.C d.C",
    "it": "Sig Sig.ra Dott Dott.ssa Ing Avv pag pagg es ecc p.es",
    "pt": "Sr Sra Srs Dra Eng pág págs ex",
    "nl": "dhr mevr drs ir bijv bv ca nr blz o.a d.w.z m.a.w",
}
ALWAYS = {language: frozenset(words.split()) for language, words in _ALWAYS.items()}
"""By language, and "*" in all: a name or the rest of a phrase follows."""
BEFORE_NUMBERS = frozenset(
    [
        *[
            "No",
            "Nos",
            "no",
            "nos",
            "n",
            "p",
            "P",
            "pp",
            "vol",
            "Vol",
            "ch",
            "chap",
            "Fig",
            "fig",
            "Figs",
            "sec",
        ],
        *[
            "Sec",
            "art",
            "Art",
            "Nr",
            "nr",
            "núm",
            "ca",
            "c",
            "b",
            "d",
            "est",
            "janv",
            "févr",
            "avr",
            "juil",
            "sept",
        ],
        *[
            "oct",
            "nov",
            "déc",
            "Jan",
            "Feb",
            "Mar",
            "Apr",
            "Jun",
            "Jul",
            "Aug",
            "Sep",
            "Sept",
            "Oct",
            "Nov",
            "Dec",
        ],
    ]
)
"""They carry their full stop where a number follows."""
ORDINALS = frozenset(
    ("de", "da", "nb", "nn", "no", "is", "fi", "et", "lv", "cs", "sk", "sl", "hr", "pl", "hu", "tr")
)
"""Languages that write ordinals as numbers with a full stop."""
STARTERS = frozenset(
    [
        "Der",
        "Die",
        "Das",
        "Er",
        "Sie",
        "Es",
        "Wir",
        "Ich",
        "Ein",
        "Eine",
        "Dann",
        "Danach",
        "Aber",
        "Und",
        "Doch",
    ]
)
"""Words that begin a sentence behind a number all the same."""
