"""Folds, points and classes that joblib spreads, within a time limit and until Ctrl-C."""

from __future__ import annotations

import math
import multiprocessing
import time
from collections.abc import Iterable
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from . import _core
from ._progress import Count

#: Seconds for which results are waited for when time is up.
_GRACE = 0.3


def works_here(jobs: int | None) -> bool:
    """Whether joblib would do the work in this process, where Rust's own threads do it better."""
    backend, _ = get_active_backend(prefer="threads")
    return effective_n_jobs(jobs) == 1 or getattr(backend, "supports_sharedmem", False)


class Interruption:
    """Whether somebody wants no more. Threads share it; processes have a copy, and are ended by joblib."""

    def __init__(self) -> None:
        self.heard = False

    def __call__(self, *_: Any) -> None:
        if self.heard:
            raise KeyboardInterrupt


class _Counted(Parallel):
    """joblib's, which tells a bar how much is done, besides what was done before."""

    def __init__(self, count: Count, before: int, **options: Any):
        super().__init__(**options)
        self._count, self._before = count, before

    def print_progress(self) -> None:
        self._count(self._before + self.n_completed_tasks)


def spread(
    work: Any, tasks: Iterable[tuple], jobs: int | None, what: str, verbose: int, seconds: float | None
) -> list:
    """What ``work`` gives for each of these tasks, wherever joblib sends it. It is also told when it must be
    over: all of them together in so many seconds."""
    tasks = list(tasks)
    with Count(what, len(tasks), verbose) as count:
        return _spread(work, tasks, jobs, count, 0, seconds)


def _spread(
    work: Any, tasks: list[tuple], jobs: int | None, count: Count, before: int, seconds: float | None
) -> list:
    workers = effective_n_jobs(jobs)
    ends = _ends(len(tasks), workers, seconds)
    # Only workers that are elsewhere can be late.
    patience = None if seconds is None or works_here(jobs) else max(seconds, 0.0) + _GRACE
    how = {"n_jobs": jobs, "prefer": "threads", "batch_size": 1, "timeout": patience}
    try:
        with _Counted(count, before, **how) as parallel:
            return parallel(delayed(work)(*task, end) for task, end in zip(tasks, ends))
    except multiprocessing.TimeoutError:
        # Workers that had to be started first took longer than there was time: what can be had at once, then.
        return [work(*task, time.time()) for task in tasks]


def _ends(tasks: int, workers: int, seconds: float | None) -> list[float | None]:
    """When each task must be over, by the clock on the wall: a worker that had to be started first begins
    late, and must not end late."""
    if seconds is None:
        return [None] * tasks
    rounds, now = math.ceil(tasks / workers), time.time()
    return [now + seconds * (task // workers + 1) / rounds for task in range(tasks)]


def seconds_to(end: float | None) -> float | None:
    """The time that is left for a task."""
    return None if end is None else max(end - time.time(), 0.0)


def scores_of(
    folds: _core.Folds, scoring: str | None, jobs: int | None, verbose: int, seconds: float | None
) -> list[str]:
    """What all folds came to: on threads of this process, or each wherever joblib sends it. To choose by a
    score, alphas far below the best one of the first repeat are not tried again."""
    parts = folds.parts()
    first = [part for part in parts if part[0] == 0]
    with Count("folds", len(parts), verbose) as count:
        if works_here(jobs):
            return folds.run(scoring, seconds, count)

        def of(
            some: list[tuple[int, int]], before: int, alphas: int | None, seconds: float | None
        ) -> list[str]:
            tasks = [(folds, *part, alphas) for part in some]
            return _spread(_do_part, tasks, jobs, count, before, seconds)

        if scoring is None or first == parts:
            return of(parts, 0, None, seconds)
        end = None if seconds is None else time.time() + seconds
        scores = of(first, 0, None, None if seconds is None else seconds * len(first) / len(parts))
        again = folds.worth_repeating(scores, scoring)
        return scores + of(parts[len(first) :], len(first), again, seconds_to(end))


def _do_part(folds: _core.Folds, repeat: int, fold: int, alphas: int | None, end: float | None) -> str:
    return folds.part(repeat, fold, alphas, seconds_to(end))
