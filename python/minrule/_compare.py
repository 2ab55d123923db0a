"""Methods over many tables, here or on a cluster."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from . import _core
from ._parameters import bytes_of

#: What tells one run from another.
_KEY = ("file", "configuration", "options", "time_limit", "memory_limit", "version")

Job = tuple  # file, path, name, options, time_limit, memory_limit


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

    A comparison that was stopped is gone on with: a run whose row is there is not repeated.

    Parameters
    ----------
    tables : a folder of CSV and CSV.gz files, a text file that lists them, or paths
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
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    limits = (float(time_limit), bytes_of(memory_limit) or 0)
    jobs: list[Job] = [
        (file, str(path), name, options, *limits)
        for file, path in _tables(tables)
        for name, options in methods.items()
    ]
    results = _Results(folder / "results.csv")
    open_jobs = [job for job in jobs if _key(_row_before(job)) not in results.rows]
    done = len(jobs) - len(open_jobs)
    for row in _here(open_jobs) if client is None else _on_cluster(open_jobs, client, retries):
        results.add(row)
        done += 1
        if verbose:
            print(f"{done}/{len(jobs)} {row['file']} {row['configuration']}: {row['status']}")
    rows = [results.rows[_key(_row_before(job))] for job in jobs]
    page, figures = _core.compare_page(json.dumps(rows), list(methods))
    for name, text in [("index.html", page), *figures]:
        (folder / name).write_text(text, encoding="utf-8")
    return rows


def _here(jobs: list[Job]) -> Iterator[dict[str, str]]:
    for job in jobs:
        yield _run(job)


def _on_cluster(jobs: list[Job], client: Any, retries: int) -> Iterator[dict[str, str]]:
    """The rows as they come. Dask moves the runs of a lost worker to others; one that has lost
    several is given back to us, and sent again."""
    from dask.distributed import as_completed

    sent = {client.submit(_run, job, pure=False): (job, 0) for job in jobs}
    finished = as_completed(list(sent))
    for future in finished:
        job, tries = sent.pop(future)
        if future.status == "finished":
            yield future.result()
        elif tries < retries:
            again = client.submit(_run, job, pure=False)
            sent[again] = (job, tries + 1)
            finished.add(again)
        else:
            yield {**_row_before(job), "status": f"failed: {future.exception()}".splitlines()[0]}


def _run(job: Job) -> dict[str, str]:
    return json.loads(_core.compare_run(*job))


def _row_before(job: Job) -> dict[str, str]:
    file, _, *rest = job
    return json.loads(_core.compare_row(file, *rest))


def _key(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[field] for field in _KEY)


def _tables(tables: Any) -> list[tuple[str, Path]]:
    if not isinstance(tables, (str, os.PathLike)):
        found = [(str(path), Path(path)) for path in tables]
    elif Path(tables).is_dir():
        paths = (path for end in ("csv", "csv.gz") for path in Path(tables).rglob(f"*.{end}"))
        found = [(str(path.relative_to(tables)), path) for path in sorted(paths)]
    elif Path(tables).suffix == ".txt":
        lines = (line.strip() for line in Path(tables).read_text(encoding="utf-8").splitlines())
        found = [(line, Path(tables).parent / line) for line in lines if line and line[0] != "#"]
    else:
        found = [(str(tables), Path(tables))]
    if not found:
        raise ValueError(f"there are no tables in {tables}")
    return [(name, path.resolve()) for name, path in found]


class _Results:
    """Rows on file; each new one is there at once."""

    def __init__(self, path: Path):
        self.path = path
        self.rows: dict[tuple[str, ...], dict[str, str]] = {}
        if path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    self.rows[_key(row)] = row

    def add(self, row: dict[str, str]) -> None:
        new = not self.path.exists()
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(row)
        self.rows[_key(row)] = row
