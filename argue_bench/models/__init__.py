"""Models that read and write text: chat models of providers, and models on disk.

Chat models, from the request to the text of its reply:
    transport   the interface that chat models and local ones share: ChatRequest in, Completion out
    chat        sends a request, retries, stops; reserves budget before every call
    faults      errors of a call, and whether it is retried; limits of a reply's size
    reply       the text of a reply: JSON parsed, thoughts removed, tokens and cost
    providers, tables, budget   addresses and keys; accepted parameters and prices; the limit in dollars

Models on disk (torch and transformers, the extra ``neural``, imported when a model is named):
    folder, loading   find and check a model's folder; weights, tokenizer, batches
    causal            the transport of ``local:DIR``
    pairs             the interface of models of two texts: entailment, spans (question answering)
"""
