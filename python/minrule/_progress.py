"""How far a fit has come, for people who wait."""

from __future__ import annotations

import sys


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
