"""Rules on a page and in a picture."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from . import _chart

# Colours are those of the page, light or dark.
_STYLE = (
    "<style>.minrule table{border-collapse:collapse;color:inherit}"
    ".minrule td,.minrule th{text-align:left;padding:.2em .8em}"
    ".minrule td.n,.minrule th.n{text-align:right}.minrule p{margin:.4em .8em;max-width:60em}"
    ".minrule svg{display:block;margin:.4em .8em;max-width:100%}</style>"
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
    """What to expect of a model, its rules, and what other sizes would come to, for a notebook."""
    said = f"{model.n_rules_} rules, {model.n_literals_} literals, size {model.size_}."
    said = f"{said}{trade(model)}{order(model)} {proof(model)}"
    return (
        f"{_STYLE}<div class=minrule><p>{escape(expectation(model))}</p>{_table(model)}{_chart.svg(model)}"
        f"<p>{escape(said)}</p></div>"
    )


def expectation(model: Any) -> str:
    """What to expect on new rows, in a sentence."""
    if model.expected_ is not None:
        accuracy, error = percent(model.expected_["accuracy"]), percent(model.expected_["se"])
        return f"Expected on new rows: {accuracy} right, ± {error} ({model.expected_['how']})."
    if hasattr(model, "expected_score_"):
        score, error = model.expected_score_
        how = "each fold at the alpha that the others choose"
        return f"Expected on new rows: {model._score_name()} {score:.4g}, ± {error:.2g} ({how})."
    return "What to expect on new rows is not known: cross-validate, or let alpha='auto' choose."


def _table(model: Any) -> str:
    """The rules."""
    rows = "".join(
        f"<tr><td>{' <b>and</b> '.join(escape(phrase) for phrase in rule.phrases) or 'always'}</td>"
        f"<td>{escape(str(rule.class_))}</td>{_precision(rule)}"
        f"<td class=n>{rule.support:g}</td>{_errors(rule)}<td class=n>{rule.size}</td></tr>"
        for rule in model.rules_
    )
    if model.otherwise_ is not None:
        rows += f"<tr><td><i>otherwise</i></td><td>{escape(str(model.otherwise_))}</td></tr>"
    counted = "<th class=n>precision</th><th class=n>right</th><th class=n>wrong</th>"
    counted = counted if model._sparse else "<th class=n>rows</th>"
    head = f"<tr><th>if</th><th>then {escape(model.target_)}</th>{counted}<th class=n>size</th></tr>"
    return f"<table>{head}{rows}</table>"


def _precision(rule: Any) -> str:
    """The share of the rows covered that a rule of a sparse set is right about."""
    return "" if rule.precision is None else f"<td class=n>{percent(rule.precision)}</td>"


def _errors(rule: Any) -> str:
    """What a rule of a sparse set gets wrong."""
    if rule.wrong is None:
        return ""
    return f"<td class=n>{rule.wrong:g}</td>"


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
    names = [" and ".join(rule.phrases) or "always" for rule in rules]
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
