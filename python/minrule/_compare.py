"""Methods over many tables, here or on a cluster."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from . import _core
from ._parameters import bytes_of

#: More than there is.
_ALL_MEMORY = 2**63 - 1


def compare(
    tables: str | os.PathLike | Iterable[str | os.PathLike],
    methods: Iterable[str] | dict[str, str] | None = None,
    *,
    output: str | os.PathLike,
    time_limit: float = 60.0,
    memory_limit: int | str = "4GB",
    client: Any = None,
    retries: int = 3,
    verbose: int = 0,
) -> list[dict[str, str]]:
    """Runs methods over tables and writes what `minrule compare` writes: ``results.csv``, one row a
    run, a page ``index.html`` and its figures.

    To resume a comparison that was stopped, call this again: runs that ``results.csv`` already has are
    not repeated.

    Parameters
    ----------
    tables : a folder of CSV and CSV.gz files, a text file (.txt) that lists them, a table, or a list of such
    methods : names, or names and options of ``minrule learn``; all that are known by name if ``None``
    output : the folder to write to
    time_limit, memory_limit : for each run (on a worker, the memory of its whole process)
    client : a ``dask.distributed.Client``; without one, the runs are made here, one after another.
        Workers must see the tables under the same paths. A worker that dies loses only its own
        run, which is sent to another.
    retries : how often such a run is sent again before its row says that it failed
    verbose : 1 prints a line for each run

    Returns
    -------
    The rows, each a dict of texts.
    """
    known = dict(_core.compare_methods())
    if methods is None:
        methods = known
    elif not isinstance(methods, dict):
        unknown = [name for name in methods if name not in known]
        if unknown:
            raise ValueError(f"methods has {unknown[0]!r}; known by name are {', '.join(known)}")
        methods = {name: known[name] for name in methods}
    places = [tables] if isinstance(tables, (str, os.PathLike)) else list(tables)
    limits = (float(time_limit), bytes_of(memory_limit) or _ALL_MEMORY)
    comparison = _core.Comparison(output, places, list(methods.items()), *limits)
    jobs = comparison.jobs_left()
    done = len(comparison) - len(jobs)
    for text in _here(jobs) if client is None else _on_cluster(jobs, client, retries):
        comparison.add(text)
        done += 1
        if verbose:
            row = json.loads(text)
            print(f"{done}/{len(comparison)} {row['file']} {row['configuration']}: {row['status']}")
    comparison.write_page()
    return json.loads(comparison.rows())


def _here(jobs: list[_core.Job]) -> Iterator[str]:
    for job in jobs:
        yield job.run()


def _on_cluster(jobs: list[_core.Job], client: Any, retries: int) -> Iterator[str]:
    """The rows as they come. Dask moves the runs of a lost worker to others; one that has lost
    several is given back to us, and sent again."""
    from dask.distributed import as_completed

    sent = {client.submit(_core.Job.run, job, pure=False): (job, 0) for job in jobs}
    finished = as_completed(list(sent))
    for future in finished:
        job, tries = sent.pop(future)
        if future.status == "finished":
            yield future.result()
        elif tries < retries:
            again = client.submit(_core.Job.run, job, pure=False)
            sent[again] = (job, tries + 1)
            finished.add(again)
        else:
            yield job.lost(str(future.exception()))
