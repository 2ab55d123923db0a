"""Amounts of memory."""

from __future__ import annotations

import re

_UNITS = {"kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def bytes_of(limit: int | str | None) -> int | None:
    """A memory limit in bytes: a number, or a text such as "8GB"."""
    if limit is None:
        return None
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*([0-9.]+)\s*([a-z]+)\s*", limit.lower())
        if not match or match[2] not in _UNITS:
            raise ValueError(f"memory_limit must be bytes, or a text such as '8GB'; it is {limit!r}")
        limit = int(float(match[1]) * _UNITS[match[2]])
    if limit <= 0:
        raise ValueError(f"memory_limit must be more than zero; it is {limit}")
    return int(limit)
