"""Why is a score what it is? Every report of a run, sentence by sentence, nugget by nugget.

verdicts   what the judges said, out of the store       topics   one report as plain data
passages   where a document says it                     pages    plain data to pages
labels     a sample of asks for a person to answer
"""
