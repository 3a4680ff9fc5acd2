"""Words that are taken for the same: irregular forms, and what news in two languages has in common.

A short list made by hand. It is no thesaurus: what is not here is compared by its first letters.
"""

from __future__ import annotations

KINDRED = tuple(
    frozenset(group.split())
    for group in """\
die dies died dying dead death deaths killed kill kills lives toll fatalities fatality perished \
  mort morts deces tue tues victimes peri
cost costs price spend spends spent spending paid pay expense budget bill cout coute couts \
  couter prix depense depenses depensier
begin began begun begins start starts started launch launched commence debut debute lance lancee \
  lancement
end ended ends finish finished complete completed completion acheve achevee termine fini
win wins won winner winners victory winning gagne gagnee remporte remportee vainqueur victoire \
  emporte
open opened opens opening inaugurated ouvert ouverte ouvre ouverture inaugure inauguree
build built builds building builder builders construct constructed construit construite \
  constructeur batir bati
lead led leads leader leaders leading head headed chief dirige dirigee mene menee chef
rise rose risen rises hausse augmente
fall fell fallen falls baisse diminue chute
find found finds trouve trouvee retrouve
hold held holds tenu tient
give gave given gives donne donnee
take took taken takes pris prise
know knew known knows connu connue sait
see saw seen sees vu vue
leave left leaves leaving evacuated evacuate evacuation evacue evacues quitter quitte
go went gone goes
come came comes
sink sank sunk sinking coule naufrage
draw drew drawn draws plans plan planned designed design designer dessine dessinee concu concue \
  architecte architect
run ran runs
sell sold sells sale vendu vendue vente
buy bought buys acquired acquire acquisition purchase purchased takeover rachat rachete acquis
choose chose chosen elect elected election vote votes voted elu elue voix scrutin ballot ballots \
  poll
people persons inhabitants residents personnes habitants gens
high height highest hauteur haut haute crest crested peak peaked crue
long length longueur
large size big taille grand grande
old age aged ans
shut closed close closes closing closure ferme fermee fermeture
name named names called nom nomme appele appelee baptise
why reason reasons cause caused causes because due raison raisons
injured hurt wounded injuries blesse blesses
missing lost disparu disparus perdu
homes houses dwellings households logements maisons foyers
firm company companies business entreprise societe
court tribunal judge judges juge cour
sentence sentenced condemned convicted verdict ruling ruled jugement condamne peine
fund funded funding funds finance financed money financement finances argent
doctor physicians doctors medecin medecins
patients patient participants volunteers
drug medicine treatment remedy medicament traitement
captain skipper commander capitaine
coach trainer manager entraineur
match matches game games final finals finale finales rencontre rencontres
goal goals but buts scored score marque
spectators attendance crowd spectateurs affluence public audience
visitors visiteurs visited attended
ferry boat ship vessel bac bateau navire
flood floods flooding inondation inondations crue
bridge crossing pont ouvrage
river stream riviere fleuve
town city village ville
mayor maire
school schools ecole ecoles
road route highway rue
railway rail line train trains ligne chemin
stations station stops call gare gares
farm farms farmers ferme fermes
year years annee annees
day days jour jours
month months mois
rain rainfall pluie precipitations
wall walls mur murs digue digues
sick ill illness nausea malade malades nausees
dizzy dizziness vertige vertiges
children child enfants enfant
woman women femme femmes
man men homme hommes
responsible charge maintained maintain maintains maintenance upkeep entretient entretien looks \
  looked
majority margin ahead lead majorite avance ecart
second runner deuxieme seconde
appoint appointed named nomme nommee designe
resign resigned stepped demission
announce announced announcement annonce annoncee
last lasted lasts duration dure duree
carry carried contain contained
damage damaged damages degats endommage
team crew squad equipe equipage
reach reached atteint atteindre
oldest eldest
biggest largest greatest main principal
fine fined amende
state national etat
half moitie
quarter quarters quart quarts
government gouvernement
award awarded prize prix
wife husband spouse married
birth born nee ne naissance
employ employed employees staff workers jobs salaries emplois
""".strip().splitlines()
)
