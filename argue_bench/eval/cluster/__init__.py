"""Distributes one run over many processes or machines: a driver hands out work, workers of a Dask
cluster do it.

    connecting  a cluster from what the user names: processes here, an address, a client, SLURM
    fleet       the workers, what is under way on each, and what becomes of it when one is lost
    cases       free judges: workers count whole cases and return finished lines of the run file
    requests    judges that cost money or load a model: workers answer batches of requests
    tasks       what runs in a worker

The driver alone writes the run file and the store, in the order of the cases, so that its bytes are those
of one process whatever the workers do. Workers need neither a shared file system nor any secret but a
judge's key, which each reads from its own environment.
"""
