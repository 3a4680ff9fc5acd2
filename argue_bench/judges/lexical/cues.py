"""Turns of phrase that say something about what is said: outdated, unknown, declined.

Each is searched in a sentence's folded words with single blanks between.
"""

from __future__ import annotations

import re

# Said before a figure that no longer holds, or after it.
OLD_BEFORE = re.compile(
    r"\b(?:not|instead of|rather than|(?:down|up|rose|raised|fell|corrected|revised|changed|lowered)"
    r"(?: \w+)? from|replac\w+|earlier|previous(?:ly)?|first (?:given|put|reported|announced|counted|"
    r"stated|said)(?: \w+){0,2}|(?:earlier|first|early|previous|old) (?:reports?|accounts?|figures?|"
    r"estimates?|counts?|bulletins?|versions?) (?:gave|put|said|spoke|had|named|was|were)(?: \w+)?|initially(?: \w+){0,2}|originally(?: \w+){0,2}|former(?:ly)?|"
    r"et non|au lieu d|plutot qu|passe d|annonce d abord|initialement(?: \w+){0,2})"
    r"(?: (?:of|the|a|an|by|at|as|to|about|be|than|de|e|le|la|les|des|une?|figure|value|reading|"
    r"estimate|count|chiffre|valeur)){0,4} ?$"
)

OLD_AFTER = re.compile(
    r"^(?: (?!not\b|but\b|et non\b|mais\b)\w+){0,6}? (?:"
    r"(?:is|was|were|has been|have been|are) (?:now )?(?:withdrawn|wrong|mistaken|superseded|corrected"
    r"|replaced|too high|too low|out of date)"
    r"|had (?:first |at first |initially )?been (?:given|announced|reported|printed|published|stated"
    r"|named|counted|estimated)"
    r"|avait (?:d abord )?ete (?:donne|annonce|imprime|publie|indique|estime)"
    r"|a ete (?:corrige|retire|remplace)|etait (?:errone|trop))"
    r"|^(?: (?!not\b|but\b|et non\b|mais\b)\w+){0,2}? (?:as |that was |which was )?(?:first|initially"
    r"|originally|previously|earlier) (?:given|announced|reported|printed|published|stated|named"
    r"|counted)|^(?: \w+)?,? ?(?:comme )?(?:annonce|indique|publie) d abord"
)

UNKNOWN = re.compile(
    r"""\b(?:
    unknown|undisclosed|unclear|unspecified|undetermined|unestablished|unresolved|unanswered
    |(?:not|never|n\ t)\ (?:\w+\ ){0,3}(?:known|clear|established|determined|disclosed|published
      |stated|specified|mentioned|recorded|estimated|given|revealed|said|told|found|identified
      |confirmed|explained|addressed|indicated|answered|made\ public|documented|released|counted
      |available|described|named)\b
    |(?:documents?|sources?|reports?|articles?|texts?|passages?|archives?|records|papers|files?
      |statements?|officials|authorities|authors|board|office|it|they)\ (?:\w+\ ){0,3}
      not\ (?:\w+\ ){0,2}(?:say|state|tell|mention|give|provide|indicate|explain|specify|describe
      |name|reveal|address|establish|include|contain|cover|go\ into)\b
    |cannot\ (?:\w+\ ){0,2}(?:known|said|determined|answered?|established|tell|say|find|named?
      |given|confirm\w*|conclude\w*)
    |can\ (?:therefore\ )?not\ (?:\w+\ ){0,2}(?:tell|say|find|name|answer|give|determine|confirm)
    |no\ (?:\w+\ ){0,2}(?:information|data|figures?|evidence|record|records|mention|answer|details?
      |account|estimate|explanation|reason|cause|conclusions?|source|sources|indication|document
      |documents|number|numbers|statistics|report|reports|result|results|date|name)
      (?:\ \w+){0,5}?\ (?:is|are|was|were|has|have|had|exists?|on|about|of|for|can|could|in|as|that)\b
    |no\ (?:data|information|figures?|evidence|answer|mention|conclusions?)\b
    |(?:nobody|no\ one|none\ of\ the\ \w+|neither\ \w+(?:\ nor\ \w+)?)\ (?:\w+\ ){0,3}(?:know\w*|say\w*
      |said|state\w*|estimat\w*|mention\w*|count\w*|explain\w*|record\w*|give\w*|gave|establish\w*
      |publish\w*|reveal\w*|asked|measured|found)
    |(?:remains?|remained|still|is|are)\ (?:\w+\ )?(?:open|a\ mystery|anyone\ s\ guess|uncertain)
    |(?:silent|nothing)\ (?:on|about|is\ known|is\ said|was\ said)|could\ not\ be\ \w+
    |draws?\ no\ conclusion|lacks?\ (?:any\ )?(?:information|data)|withheld|kept\ (?:secret|back)
    |inconnue?s?|indetermine\w*
    |(?:on|nul|personne|l\ on)\ (?:n\ |ne\ )?(?:\w+\ )?(?:ignore\w*|sait\ pas|sait)|ignore\w*
    |(?:ne|n)\ (?:\w+\ ){1,4}?(?:pas|jamais|aucun\w*|rien|ni|nulle)\ (?:\w+\ ){0,3}?(?:connu\w*|precis\w*
      |etabli\w*|communiqu\w*|publi\w*|indiqu\w*|mention\w*|dit|dire|divulgu\w*|recens\w*|compt\w*
      |information\w*|chiffre\w*|donnee\w*|estim\w*|determin\w*|repondre|trouv\w*|explication\w*
      |revel\w*|renseign\w*|reponse|evalu\w*|source|rendu\w*|cause)
    |(?:ne|n)\ (?:\w+\ )?(?:dit|disent|precise\w*|mention\w*|indique\w*|donne\w*|contien\w*
      |figure\w*|connai\w*|sait|dispose\w*|fourni\w*)(?:\ \w+){0,2}?\ (?:pas|rien|aucun\w*|nulle)
    |(?:aucune?|pas\ d\ |sans)\ ?(?:information|donnee|chiffre|reponse|mention|precision|source
      |document|indication|trace|estimation|explication|bilan)\w*
    |reste(?:nt)?\ (?:\w+\ )?(?:inconnu\w*|incertain\w*|a\ etablir|sans\ reponse|ouverte?)
    )""",
    re.VERBOSE,
)

DECLINES = re.compile(
    r"""\b(?:
    i\ (?:\w+\ ){0,2}(?:can\ ?not|can\ t|could\ not|couldn\ t|won\ t|do\ not|don\ t|am\ (?:not\ able|unable
      |sorry|afraid)|was\ (?:not\ able|unable)|(?:would\ )?rather\ not|have\ no|decline|refuse)
    |(?:sorry|apolog\w+|unable\ to|not\ able\ to|unanswerable|not\ enough|insufficient)
    |as\ an\ ai|(?:can\ ?not|can\ t|could\ not)\ be\ (?:answered|given|determined|said)
    |no\ answer|(?:question|it|this)\ (?:can\ ?not|can\ t)\ be\ answered
    |(?:documents?|sources?|context|passages?|texts?|articles?|information|excerpts?|they|it)\ (?:\w+\ ){0,2}
      (?:do|does|did)\ not\ (?:\w+\ ){0,3}(?:answer|allow|contain|provide|cover|address|establish)
    |je\ (?:\w+\ ){0,3}(?:ne\ (?:peux|sais|puis|dispose|suis|trouve|connais|pourrai\w*)|regrette|refuse
      |prefere\ ne|n\ ai\ (?:pas|aucun\w*|trouve))|desole\w*|impossible\ de|aucune\ reponse|pas\ assez
    |il\ (?:\w+\ ){0,2}impossible|sans\ reponse
    |(?:documents?|sources?|contexte|textes?|passages?|informations?|elements?|ils|elles)\ (?:\w+\ ){0,2}
      (?:ne|n)\ permet\w*\ pas
    )\b""",
    re.VERBOSE,
)

META = re.compile(
    r"^(?:in (?:summary|conclusion|short|brief|this report)|to (?:summari[sz]e|conclude)|overall"
    r"|this (?:report|answer|summary|section|response)|the following|below|here (?:is|are)"
    r"|as (?:noted|mentioned|described|shown) (?:above|earlier)|see |note that|let (?:me|us)"
    r"|i |we |en (?:resume|conclusion|bref)|pour (?:conclure|resumer)|ce (?:rapport|resume)"
    r"|voici|ci (?:dessous|dessus)|je |nous |les documents? |the (?:documents?|sources?) (?:are|do))"
)
