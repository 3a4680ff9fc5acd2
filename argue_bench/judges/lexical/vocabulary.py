"""Words with a role: stop words, titles, generic parts of names, negations, opposites.

English and French, folded: lower case and no accents, as all texts are when they are compared.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_EN = _words(
    """
    a about above after again all also although am an and any are around as at be because been
    before being below between both but by can could did do does doing down during each either
    even ever for from further had has have having he her here hers him his how however i if
    in into is it its itself just later me more most mr mrs ms my near no nor not now of off
    on once one only or other our out over own per same several shall she should since so some
    still such than that the their them then there these they this those through thus to too
    under until up upon us very was we were what when where which while who whom whose why
    will with within without would yet you your according reported says said say states stated
    """
)

STOP_FR = _words(
    """
    a afin ai ainsi alors apres as au aucun aucune aussi autre autres aux avait avant avec
    avoir c car ce ceci cela celle celles celui ces cet cette ceux chaque comme contre d dans
    de depuis des deux donc dont du elle elles en encore entre est et etaient etait ete etre
    eu eux fait fut furent hors il ils j je jusqu jusque l la le les leur leurs lors lorsque
    lui m ma mais me meme mes mon n ne ni non nos notre nous on ont ou par parce pas pendant
    peu plus pour puis puisqu puisque qu quand que quel quelle quelles quels qui quoi s sa
    sans se selon sera ses si soit son sont sous sur t ta te tes toi ton tous tout toute
    toutes tres tu un une vers voici voila vos votre vous y etant ayant environ
    """
)

STOP = STOP_EN | STOP_FR

TELLS_EN = _words(
    """
    the of and was were is in by with that for it from had has not which
    """
)

TELLS_FR = _words(
    """
    le la les des du et est une dans par que qui pour au aux sur pas ont il
    """
)

TITLES = _words(
    """
    mr mrs ms miss dr prof professor sir dame lady lord m mme mlle monsieur madame docteur
    maitre me judge captain president minister mayor
    """
)

GENERIC = _words(
    """
    river bridge board office court council party ministry street road north south east west
    northern southern eastern western city town county province state university company group
    hospital institute department service services committee commission agency association
    club trust society foundation authority government the of and de la le les du des et d l
    riviere pont bureau cour conseil parti ministere rue route nord sud est ouest ville region
    universite societe groupe hopital institut comite agence union fondation autorite
    federation cup coupe final finale lake lac mount mont saint st port monday tuesday
    wednesday thursday friday saturday sunday lundi mardi mercredi jeudi vendredi samedi
    dimanche report rapport
    """
)

NEGATIONS = _words(
    """
    not no never none nobody nothing neither nor cannot without failed fails unable refused
    denied n't jamais aucun aucune rien sans ni personne pas nul nulle
    """
)

ANTONYMS = {
    word: other
    for one, two in (
        ("rose", "fell"),
        ("rise", "fall"),
        ("increased", "decreased"),
        ("increase", "decrease"),
        ("accepted", "rejected"),
        ("won", "lost"),
        ("highest", "lowest"),
        ("largest", "smallest"),
        ("longest", "shortest"),
        ("approved", "rejected"),
        ("guilty", "innocent"),
        ("above", "below"),
        ("upper", "lower"),
        ("alive", "dead"),
        ("success", "failure"),
        ("augmente", "diminue"),
        ("hausse", "baisse"),
        ("accepte", "rejete"),
        ("gagne", "perdu"),
    )
    for word, other in ((one, two), (two, one))
}

OPENERS = _words(
    """
    altogether officially according nobody no yes sorry please today yesterday however
    therefore there then after before during since although while when where why how who what
    which if locals some many most several few each every
    """
)
"""Words that begin a sentence with a capital and are no name."""
WEEKDAYS = _words("monday tuesday wednesday thursday friday saturday sunday")
