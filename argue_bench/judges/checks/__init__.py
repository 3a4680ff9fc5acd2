"""Measurements of judges: agreement with labels, order effects, prompt injection, cost.

agreement  with people's labels, by kind
floors     what agrees without any judge
forms      one request a call and many
fit        the lexical judge's thresholds, by labels of one's own
orders     of documents, and of requests in a call
card       all sets of labels, time, price and planted instructions on one card
"""
