"""The report viewer: every report of a run, sentence by sentence and nugget by nugget.

verdicts   the verdicts, from the store             topics   one report as plain data
passages   the passage that a citation points to    pages    plain data to pages
labels     a sample of judge requests for a person to answer
"""
