"""Whatever stands in a table is text, on a page and in a picture too."""

from __future__ import annotations

from html.parser import HTMLParser

import pandas as pd
import pytest
from minrule import DecisionSetClassifier, DecisionSetClassifierCV

#: A column, two values and two labels that would be markup or a formula if they could.
TEXTS = [
    ("<script>pwned()</script>", "<img src=x onerror=pwned()>", "</td></table>", "<b>yes</b>", "&lt;no&gt;"),
    ('" onload="pwned()', "' onload='pwned()", "&amp;", '"><svg onload=pwned()>', "'"),
    ("$\\pwned{", "}$", "$x$", "$\\frac{1}{", "$"),
]


class Page(HTMLParser):
    """The elements and the text of a page, without its style sheet."""

    def __init__(self, page: str):
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.cells: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag in ("td", "th"):
            self.cells.append("")
        self.in_cell = tag in ("td", "th", "i", "b")

    def handle_data(self, data):
        if self.cells and self.in_cell:
            self.cells[-1] += data


def fitted(texts, **options):
    name, value, other, yes, no = texts
    X = pd.DataFrame({name: [value, other, value, other]})
    return DecisionSetClassifier(**options).fit(X, pd.Series([yes, no, yes, no], name=f"class {name}"))


@pytest.mark.parametrize("texts", TEXTS)
def test_a_notebook_shows_texts_as_they_are(texts):
    model = fitted(texts)
    page = Page(model._repr_html_())
    assert page.elements == {"style", "div", "p", "table", "tr", "th", "td"}
    assert page.attributes == {"class"}
    rows = [page.cells[i : i + 4] for i in range(0, len(page.cells), 4)]
    assert rows[0] == ["if", f"then {model.target_}", "rows", "size"]
    assert [row[:2] for row in rows[1:]] == [[rule.conditions[0].text, rule.class_] for rule in model.rules_]


@pytest.mark.parametrize("texts", TEXTS)
def test_a_notebook_shows_a_class_without_rules_as_it_is(texts):
    model = fitted(texts, alpha="0.1rows", otherwise=texts[3])
    page = Page(model._repr_html_())
    assert page.elements == {"style", "div", "p", "table", "tr", "th", "td", "i"}
    assert page.attributes == {"class"}
    assert page.cells[6:8] == [model.rules_[0].conditions[0].text, texts[4]]
    assert page.cells[-2:] == ["otherwise", texts[3]]


@pytest.mark.parametrize("texts", TEXTS)
def test_a_notebook_draws_no_text_of_the_table(texts):
    name, value, other, yes, no = texts
    X = pd.DataFrame({name: [value, other] * 10})
    y = pd.Series([yes, no] * 9 + [no, yes], name=f"class {name}")
    for scoring in ("accuracy", "neg_log_loss"):
        model = DecisionSetClassifierCV(cv=2, scoring=scoring, alphas=["0.1rows", 1]).fit(X, y)
        model.expected_score_ = (0.5, 0.1)
        page = Page(model._repr_html_())
        drawn = {"svg", "title", "path", "polygon", "polyline", "circle", "text"}
        assert page.elements - drawn == {"style", "div", "p", "table", "tr", "th", "td", "i"}
        assert "svg" in page.elements and not {of for of in page.attributes if of.startswith("on")}


@pytest.mark.parametrize("texts", TEXTS)
def test_a_picture_shows_texts_as_they_are(texts):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    model = fitted(texts)
    ax = model.plot_coverage()
    # A formula that cannot be set ends the drawing.
    ax.figure.canvas.draw()
    words = [rule.conditions[0].text for rule in model.rules_]
    assert [drawn(label) for label in ax.get_yticklabels()] == words
    legend = [f"{model.target_} = {label}" for label in model.classes_]
    assert [drawn(label) for label in ax.get_legend().get_texts()] == legend
    pyplot.close(ax.figure)


def drawn(label) -> str:
    """What a label comes to, which must be no formula."""
    from matplotlib.cbook import is_math_text

    assert not is_math_text(label.get_text())
    return label.get_text().replace(r"\$", "$")
