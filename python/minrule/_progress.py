"""How far a fit has come, for people who wait."""

from __future__ import annotations

import sys
import time


class Progress:
    """A bar over the classes, with the best cost and the bound so far; lines without tqdm."""

    #: Seconds between two lines.
    PAUSE = 5.0

    def __init__(self, labels: list[str], row: float = 1):
        """With costs in rows, a row of weight 1 counts as ``row``."""
        self.labels = labels
        self.row = row
        self.last = 0.0
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self.bar = None
        else:
            self.bar = tqdm(total=len(labels), desc="classes proven", leave=False)

    def __call__(self, seconds: float, classes: list[tuple]) -> None:
        done = sum(stage == "done" for _, stage, *_ in classes)
        known = [(cost, bound) for *_, cost, bound in classes if cost is not None]
        best, bound = (sum(costs) / self.row for costs in (zip(*known) if known else ((), ())))
        rules = sum(rules for _, _, rules, _, _ in classes)
        words = f"best {best:.10g}, at least {bound:.10g}, {rules} rules generated"
        if self.bar is not None:
            self.bar.n = done
            self.bar.set_postfix_str(words)
        elif seconds - self.last >= self.PAUSE:
            self.last = seconds
            print(f"{seconds:4.0f} s  {done}/{len(classes)} classes  {words}", file=sys.stderr)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


class Count:
    """A bar that counts, if somebody wants to see it; lines without tqdm."""

    #: Seconds between two lines.
    PAUSE = 5.0

    def __init__(self, what: str, total: int | None, wanted: int):
        self.what = what
        self.total = total
        self.wanted = bool(wanted)
        self.bar = None
        self.start = self.last = time.monotonic()
        if self.wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                pass
            else:
                self.bar = tqdm(total=total, desc=what, leave=False)

    def __enter__(self) -> Count:
        return self

    def __call__(self, done: int) -> None:
        if self.bar is not None:
            self.bar.n = done
            self.bar.refresh()
        elif self.wanted and time.monotonic() - self.last >= self.PAUSE:
            self.last = time.monotonic()
            print(self._line(done, self.last - self.start), file=sys.stderr)

    def _line(self, done: int, seconds: float) -> str:
        """What is done after so much time, and what that says about the rest."""
        of = "" if self.total is None else f" of {self.total}"
        left = (
            "" if self.total is None or not done else f", {seconds / done * (self.total - done):.0f} s left"
        )
        return f"{seconds:4.0f} s  {done}{of} {self.what}{left}"

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()
