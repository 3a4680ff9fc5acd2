"""Models that read and write text: those on disk, and what a chat client shares with them.

``transport`` says what it is to complete a prompt. The others load published weights through torch and
transformers, the extra ``neural``; nothing heavy is imported before a model is named.
"""
