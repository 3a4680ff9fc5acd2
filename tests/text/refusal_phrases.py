"""Sentences that refuse and sentences that do not, labelled by hand, English, French, German and Spanish."""

from __future__ import annotations

REFUSES = """
The handbook does not say when the canteen opens.
That isn't covered in our policies.
Our knowledge base does not mention a bicycle allowance.
I cannot answer this question.
I can’t answer.
I'm sorry, but I cannot answer this question.
I am unable to answer this question based on the provided context.
I don't know.
We do not have enough information to answer.
I don't have any information about that.
I could not find any mention of the date in the passages.
I found no information on the cost of the bridge.
The provided documents do not allow me to answer this question.
The context does not allow to answer.
The documents do not permit an answer.
The provided context does not mention it.
None of the documents say who designed it.
Nothing in the sources says how the fire began.
No document states the final cost.
It is not mentioned in the provided documents.
This is not stated anywhere in the text.
The answer is not given in the passages.
There is no information about the toll in the context.
There is not enough information in the documents to answer.
There's no evidence in the excerpts about this.
Not enough information.
Insufficient information to answer the question.
The question cannot be answered from the given documents.
This question is unanswerable.
This information is not available.
Unanswerable
No answer.
It is not possible to answer.
It is impossible to say from these documents.
I must decline to answer.
The sources never specify the amount.
The retrieved articles do not provide any figure.
The passages given do not say whether he resigned.
The date is not mentioned.
Final answer: Not mentioned.
**Short answer:** Unknown.
Answer – no information available.
Based on the documents: Cannot be determined.
In short, not available in the provided documents.
Conclusion: Unfortunately, not mentioned.
❌ Not mentioned.
Réponse finale : Information non trouvée dans les documents.
**Réponse :** Aucune information disponible.
Pas d'information disponible.
Aucune information sur ce point dans les documents.
La date n'est pas mentionnée.
Kurze Antwort: nicht bekannt.
Respuesta: sin información.
Je ne peux pas répondre à cette question.
Je ne suis pas en mesure de répondre.
Je ne sais pas.
Je n’ai pas trouvé la réponse dans les documents.
Je n'ai pas assez d'informations pour répondre.
Nous ne disposons pas d'informations suffisantes.
Les documents fournis ne permettent pas de répondre à cette question.
Le contexte ne contient pas la réponse.
Aucun document ne mentionne la date.
Aucune information n'est donnée sur le coût.
Cela ne figure pas dans le contexte.
Cette information n’est pas disponible.
La réponse n'apparaît pas dans les passages.
Ce n'est pas précisé dans les documents.
Il n'y a pas d'information sur ce point dans le texte.
Il est impossible de répondre à partir de ces extraits.
J'ignore qui a dessiné le pont.
Pas de réponse.
Les sources ne disent rien sur les causes.
The answer is not in the provided context.
No relevant information was found in the provided documents.
The provided context is insufficient to answer the question.
The passages are silent on this point.
Not answerable from the given documents.
Cannot be determined from the documents.
It is unclear from the documents who designed the bridge.
The text gives no date for the opening.
The sources make no mention of the designer.
The context provided lacks information on the price.
Sorry, no relevant documents were found.
No answer found.
Not specified.
No information available.
That detail does not appear in any of the documents.
The excerpts leave this question unanswered.
Les documents ne le précisent pas.
Les extraits sont muets sur ce point.
Le contexte fourni est insuffisant pour répondre.
La réponse ne se trouve pas dans les documents.
Rien dans les documents n'indique qui a conçu le pont.
Il n'est pas possible de répondre à partir du contexte.
Non précisé.
Aucune réponse trouvée.
Ich weiß es nicht.
Die Dokumente enthalten keine Informationen darüber.
Das geht aus den Dokumenten nicht hervor.
Diese Frage kann anhand der Dokumente nicht beantwortet werden.
Dazu liegen keine Informationen vor.
Im Kontext wird das Datum nicht erwähnt.
Keine Angabe.
No lo sé.
Los documentos no contienen información sobre esto.
No se puede responder a esta pregunta con los documentos proporcionados.
La respuesta no se encuentra en los documentos.
No encontré información al respecto.
Información insuficiente.
""".strip().splitlines()

DOES_NOT_REFUSE = """
WiFi: not available.
- **Hours:** Not specified
Answer: The bridge opened in 1931.
Aucun document.
The fee is not stated in euros but in francs.
The bridge opened in 1931.
Solar panels do not provide power at night.
Wood does not contain iron.
The treaty does not allow members to export weapons.
The company could not provide refunds after 30 days.
Engineers were unable to reach the wreck before dawn.
He did not answer the judge's question.
She refused to answer reporters.
The minister declined to answer questions about the budget.
The court found no evidence of fraud.
There is no bridge over the river at Quenholt.
There are no known side effects.
The patient was not given the drug.
The figures were not available until May.
The vaccine is not available in France.
The cause of the fire is unknown.
Nobody knows who painted it.
The town does not mention its founder on the plaque.
The law does not permit minors to vote.
The documents were signed in Vienna.
The context of the war explains the delay.
Passengers cannot board without a ticket.
You cannot answer a letter that never came.
The evidence was destroyed in 1944.
Missing people were found the next day.
The council did not find a buyer.
The ship never reached port.
The survey does not cover islands.
They do not know each other.
It is not possible to cross the pass in winter.
The rules say that nothing may be removed.
There was not enough rain that year.
Insufficient funding ended the project.
The museum has no mention of him on its walls because he asked for none.
Le pont a ouvert en 1931.
Ce vaccin n'est pas disponible en France.
La loi ne permet pas aux mineurs de voter.
Le ministre n'a pas répondu aux journalistes.
Les panneaux solaires ne fournissent pas de courant la nuit.
Le train ne figure pas parmi les plus rapides.
La ville ne compte pas de gare.
Il n'y a pas de pont à Quenholt.
Aucun passager n'a été blessé.
Aucune victime n'est à déplorer.
Les documents ont été signés à Vienne.
Le contexte de la guerre explique le retard.
Les sources de la rivière sont au nord.
Elle ne pouvait pas marcher.
Nous ne savons pas nager, disent les enfants.
Le musée n'est pas ouvert le lundi.
Les secours n'ont pas trouvé de survivants.
The evidence was insufficient to convict him.
The document gives no protection to tenants.
The right is not in the text of the treaty.
The letter makes no mention of his wife.
No records were broken that day.
Le film muet est sorti en 1925.
Le budget est insuffisant pour réparer le pont.
Der Minister wollte die Frage nicht beantworten.
Das Dokument ist nicht unterschrieben.
Der Vertrag enthält keine Klausel über Verspätungen.
El ministro no quiso responder a la pregunta.
Las fuentes del río no están en Francia.
No hay puente sobre el río.
""".strip().splitlines()
