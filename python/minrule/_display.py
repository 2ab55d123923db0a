"""Rules on a page and in a picture."""

from __future__ import annotations

import math
from html import escape
from typing import Any

_STYLE = (
    "<style>.minrule{border-collapse:collapse}.minrule td,.minrule th{text-align:left;padding:.2em .8em}"
    ".minrule td.n{text-align:right}.minrule caption{caption-side:bottom;text-align:left;padding:.4em .8em}"
    "</style>"
)


_WHY = {
    "time_limit": "The time limit was reached. ",
    "memory_limit": "The memory limit was reached. ",
    "interrupted": "It was interrupted. ",
    "solver_failure": "A solver failed. ",
}


def proof(model: Any) -> str:
    """What was proven, and why not more."""
    return _WHY.get(model.status_, "") + model._model.proof(model._weight_scale)


def percent(share: float) -> str:
    """A share rounded down: only all is 100 %."""
    hundredths = min(math.floor(round(share * 10_000, 6)), 10_000 if share >= 1 else 9_999)
    return f"{hundredths / 100:.2f}%"


def html(model: Any) -> str:
    """The rules as a table for a notebook."""
    rows = "".join(
        f"<tr><td>{' <b>and</b> '.join(escape(str(c)) for c in rule.conditions) or 'always'}</td>"
        f"<td>{escape(str(rule.class_))}</td>"
        f"<td class=n>{rule.support:g}</td>{_errors(rule)}<td class=n>{rule.size}</td></tr>"
        for rule in model.rules_
    )
    if model.otherwise_ is not None:
        rows += f"<tr><td><i>otherwise</i></td><td>{escape(str(model.otherwise_))}</td></tr>"
    total = f"{model.n_rules_} rules, {model.n_literals_} literals, size {model.size_}."
    errors = "<th>wrong</th><th>precision</th>" if model._sparse else ""
    said = f"{total}{trade(model)}{escape(order(model))} {escape(proof(model))}"
    return (
        f"{_STYLE}<table class=minrule><caption>{said}</caption>"
        f"<tr><th>if</th><th>then {escape(model.target_)}</th><th>rows</th>{errors}<th>size</th></tr>"
        f"{rows}</table>"
    )


def _errors(rule: Any) -> str:
    """What a rule of a sparse set gets wrong."""
    if rule.wrong is None:
        return ""
    return f"<td class=n>{rule.wrong:g}</td><td class=n>{percent(rule.precision)}</td>"


def trade(model: Any) -> str:
    """What a sparse set costs and gets wrong, in sentences."""
    if not model._sparse:
        return ""
    each = {"rules": "rule", "literals": "literal"}.get(model.objective, "rule and literal")
    rows = sum(model.class_count_.values())
    return (
        f" Cost {model.cost_:.10g} rows: {model.price_:.10g} for each {each}, and {model.errors_:.10g}"
        f" errors. Predicted wrongly: {model.rows_wrong_:.10g} of {rows:.10g} training rows."
    )


def order(model: Any) -> str:
    """Which classes come first and what that means, in sentences."""
    if model.order_ is None:
        return ""
    first = ", then ".join(str(label) for label in model.order_ if label != model.otherwise_)
    last = "" if model.otherwise_ is None else f", otherwise {model.otherwise_}"
    return f" Order: {first}{last}. A rule holds unless a rule of an earlier class fires."


def plot_coverage(model: Any, ax: Any = None) -> Any:
    """A bar for each rule: the share of its class that it covers."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot_coverage needs matplotlib: pip install matplotlib") from error
    rules = model.rules_
    if ax is None:
        _, ax = pyplot.subplots(figsize=(8, 0.35 * len(rules) + 1.2))
    colours = {label: f"C{i % 10}" for i, label in enumerate(model.classes_.tolist())}
    names = [" and ".join(str(c) for c in rule.conditions) or "always" for rule in rules]
    shares = [rule.support / max(model.class_count_[rule.class_], 1) for rule in rules]
    places = range(len(rules))
    ax.barh(places, shares, color=[colours[rule.class_] for rule in rules])
    ax.set_yticks(places, [_plain(_short(name)) for name in names])
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of the rows of its class that a rule covers")
    shown = {rule.class_ for rule in rules}
    handles = [
        pyplot.Rectangle((0, 0), 1, 1, color=colour, label=_plain(f"{model.target_} = {label}"))
        for label, colour in colours.items()
        if label in shown
    ]
    ax.legend(handles=handles, loc="lower right")
    return ax


def _short(name: str, most: int = 70) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _plain(text: str) -> str:
    """A text that matplotlib takes for no formula."""
    return text.replace("$", r"\$")
