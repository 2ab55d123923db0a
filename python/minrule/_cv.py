"""The classifier that chooses its alpha by any folds and any score."""

from __future__ import annotations

import copy
import math
import os
import time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from . import _core, _folds
from . import _parameters as parameters
from ._classifier import DecisionSetClassifier
from ._curve import Tried

#: Means in another order of adding differ in their last digits.
_NEARLY = 1e-9


class DecisionSetClassifierCV(DecisionSetClassifier):
    """A ``DecisionSetClassifier`` that chooses its ``alpha`` with any folds and any score.

    ``DecisionSetClassifier(alpha="auto")`` makes the same choice as the command line. This one is for
    folds and scores of your own, in the manner of ``LassoCV``.

    Parameters
    ----------
    alphas : list of float or str, default=None
        The alphas to try; ``None`` tries twenty from 20 % down to 0.1 % of the rows, but not below
        half a row, with several classes a fifth.
    cv : int, splitter or iterable, default=None
        The folds, as everywhere in scikit-learn; ``None`` is five.
    scoring : str or callable, default=None
        A score of scikit-learn; ``None`` is accuracy.
    choose : {"one-se", "best"}, default=None
        The largest alpha whose score is behind the best one by at most one standard error of the
        difference, fold by fold, which ``None`` stands for, or the one of the best score.

    Other parameters are those of ``DecisionSetClassifier`` that go with any alpha. ``order`` is as with
    ``alpha="auto"``: with several classes, ``None`` tries no order and the rarest class first. Folds are
    spread by joblib, over ``n_jobs`` threads, or over the processes or machines of a
    ``joblib.parallel_config``.

    Attributes
    ----------
    alpha_ : float
        The alpha chosen.
    cv_results_ : dict of arrays
        For each alpha and order tried: ``alpha``, ``order``, ``mean_test_score``, ``std_test_score``,
        ``split0_test_score`` and so on, and ``mean_size``.
    expected_score_ : tuple of float
        The score to expect on new rows and its standard error: of each fold at the alpha that the
        others choose, and in the order that they do.

    All else is as of ``DecisionSetClassifier``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from minrule import DecisionSetClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = DecisionSetClassifierCV(alphas=[0.1, 0.03, 0.01], scoring="balanced_accuracy").fit(X, y)
    >>> model.alpha_ in (0.1, 0.03, 0.01), model.size_ < 10
    (True, True)
    """

    def __init__(
        self,
        *,
        alphas=None,
        cv=None,
        scoring=None,
        choose=None,
        objective="size",
        otherwise=None,
        order=None,
        cover=None,
        time_limit=None,
        memory_limit=None,
        n_jobs=None,
        numeric="thresholds",
        cuts=None,
        intervals=None,
        cut=None,
        negations=True,
        max_values=100,
        missing="value",
        missing_values=None,
        categorical=None,
        numeric_columns=None,
        decimal=".",
        ignore=None,
        uncovered="default",
        conflict=None,
        undecided=None,
        class_weight=None,
        proof=None,
        resume=None,
        trace=None,
        random_state=None,
        verbose=0,
    ):
        super().__init__(
            alpha="auto",
            scoring=scoring,
            choose=choose,
            objective=objective,
            otherwise=otherwise,
            order=order,
            cover=cover,
            time_limit=time_limit,
            memory_limit=memory_limit,
            n_jobs=n_jobs,
            numeric=numeric,
            cuts=cuts,
            intervals=intervals,
            cut=cut,
            negations=negations,
            max_values=max_values,
            missing=missing,
            missing_values=missing_values,
            categorical=categorical,
            numeric_columns=numeric_columns,
            decimal=decimal,
            ignore=ignore,
            uncovered=uncovered,
            conflict=conflict,
            undecided=undecided,
            class_weight=class_weight,
            proof=proof,
            resume=resume,
            trace=trace,
            random_state=random_state,
            verbose=verbose,
        )
        self.alphas = alphas
        self.cv = cv

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> DecisionSetClassifierCV:
        """Chooses alpha, and finds the set that is best at it.

        Parameters
        ----------
        X, y : as for ``DecisionSetClassifier``
        sample_weight : array of shape (n_samples,), default=None
            What each row counts for, in learning and in scores.
        groups : array of shape (n_samples,), default=None
            Which rows belong together, for splitters that keep them so, such as ``GroupKFold``.
        """
        return self._fit(X, y, sample_weight, groups=groups)

    def _choice(self) -> tuple:
        return self.scoring, parameters.way(self.choose), None, None

    def _choose_alpha(
        self,
        X: Any,
        y: np.ndarray,
        sample_weight: Any,
        problem: _core.Problem,
        options: dict,
        start: float,
        groups: Any = None,
    ) -> tuple[dict, str | None]:
        splits = list(check_cv(self.cv, y, classifier=True).split(np.zeros(len(y)), y, groups))
        alphas, shares = self._alphas(problem, len(splits))
        # The same orders as with alpha="auto".
        candidates = _core.Folds(problem, options, self._policy(), 2, 1).candidates()
        names = list(dict.fromkeys(order for _, order in candidates))
        orders = [self.order if name == "given" else name for name in names]
        estimator = self._at_one_alpha().set_params(n_jobs=1, verbose=0)
        scorer = check_scoring(estimator, scoring=self.scoring)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        interruption = _folds.Interruption()
        of_all = (estimator, X, y, weights, alphas, orders, scorer, interruption)
        tasks = ((*of_all, train, test) for train, test in splits)
        try:
            folds = _folds.spread(
                _score_fold, tasks, self._jobs(), "folds", self.verbose, self._half_of_time(start)
            )
        except KeyboardInterrupt:
            interruption.heard = True
            raise
        scores = np.array([scores for scores, _ in folds])
        self.cv_results_ = {
            "alpha": np.array(shares * len(orders)),
            "order": np.repeat(names, len(alphas)),
            "mean_test_score": scores.mean(axis=0),
            "std_test_score": scores.std(axis=0),
            "mean_size": np.mean([sizes for _, sizes in folds], axis=0),
        }
        self.cv_results_ |= {f"split{i}_test_score": of_fold for i, of_fold in enumerate(scores)}
        choose = parameters.way(self.choose)
        self.expected_score_ = _expected(scores, len(orders), choose)
        order, place = divmod(_best(scores, len(orders), choose), len(alphas))
        found = {"alpha": alphas[place]}
        return found if names[order] == "given" else {**found, "order": [names[order]]}, None

    def _alphas(self, problem: _core.Problem, folds: int) -> tuple[list[Any], list[float]]:
        """The alphas to try, the largest first, and the shares of the rows that they are."""
        alphas = self.alphas
        if alphas is None:
            alphas = _core.default_alphas(problem.table_rows, len(self.classes_), folds)
        if isinstance(alphas, str) or not np.iterable(alphas) or not list(alphas):
            raise parameters.refuse("alphas", "None or a list of alphas", self.alphas)
        rows = self._weight(problem.rows)
        by_share = [(parameters.share("alphas", alpha, rows), alpha) for alpha in alphas]
        by_share.sort(key=lambda pair: -pair[0])
        return [alpha for _, alpha in by_share], [share for share, _ in by_share]

    def _at_one_alpha(self) -> DecisionSetClassifier:
        known = DecisionSetClassifier().get_params()
        shared = {name: value for name, value in self.get_params().items() if name in known}
        alone = dict.fromkeys(["scoring", "choose", "proof", "resume", "trace"])
        return clone(DecisionSetClassifier(**{**shared, **alone}))

    def _tried(self) -> Tried | None:
        results = getattr(self, "cv_results_", None)
        if results is None:
            return None
        splits = sum(name.startswith("split") for name in results)
        errors = results["std_test_score"] / math.sqrt(max(splits - 1, 1))
        of_order = results["order"] == results["order"][0 if self.order_ is None else -1]
        columns = (results["mean_size"], results["mean_test_score"], errors)
        place = self._place_chosen(results["alpha"][of_order])
        return Tried(self._score_name(), place, *(column[of_order].tolist() for column in columns))

    def _score_name(self) -> str:
        if self.scoring is None:
            return "accuracy"
        return self.scoring.replace("_", " ") if isinstance(self.scoring, str) else "score"

    @classmethod
    def from_json(cls, source: str | os.PathLike) -> DecisionSetClassifier:
        """Reads what ``to_json`` wrote, as a ``DecisionSetClassifier``: the folds are not on file."""
        return DecisionSetClassifier.from_json(source)


def _score_fold(
    estimator: DecisionSetClassifier,
    X: Any,
    y: np.ndarray,
    weights: np.ndarray | None,
    alphas: list[Any],
    orders: list[Any],
    scorer: Any,
    interruption: _folds.Interruption,
    train: np.ndarray,
    test: np.ndarray,
    end: float | None,
) -> tuple[list[float], list[int]]:
    """The score of each alpha on the rows of a fold, and the size of its set, in one order after another."""
    of_train, of_test = (None if weights is None else weights[rows] for rows in (train, test))
    models: list[DecisionSetClassifier] = []
    for turn, order in enumerate(orders):
        left = _folds.seconds_to(end)
        seconds = None if left is None else max(left / (len(orders) - turn), 0.001)
        of_order = clone(estimator).set_params(order=order, time_limit=seconds)
        learn = _on_a_curve if order in (None, "none") else _in_order
        training = _safe_indexing(X, train), y[train], of_train
        models += learn(of_order, training, alphas, interruption)
    rows = _safe_indexing(X, test), y[test]
    weighed = {} if of_test is None else {"sample_weight": of_test}
    # Neighbours often have the same set.
    scores: dict[int, float] = {}
    for model in models:
        if id(model) not in scores:
            scores[id(model)] = scorer(model, *rows, **weighed)
    return [scores[id(model)] for model in models], [model.size_ for model in models]


def _on_a_curve(
    estimator: DecisionSetClassifier,
    training: tuple[Any, np.ndarray, np.ndarray | None],
    alphas: list[Any],
    interruption: _folds.Interruption,
) -> list[DecisionSetClassifier]:
    """The sets of these alphas on the curve of a fold's training rows, labels and weights."""
    start = time.monotonic()
    X, y, weights = training
    # Which is the smallest depends on the rows, if some are rows and some are shares.
    reader, problem, options = estimator._read_for_curve(X, y, weights, alphas[-1], start)
    rows = reader._weight(problem.rows)
    options["alpha"] = min(alphas, key=lambda alpha: parameters.share("alphas", alpha, rows))
    found = reader._follow(problem, options, reader._time_left(start), interruption)
    curve = reader._points(found, problem)
    return [curve.at(alpha).model for alpha in alphas]


def _in_order(
    estimator: DecisionSetClassifier,
    training: tuple[Any, np.ndarray, np.ndarray | None],
    alphas: list[Any],
    interruption: _folds.Interruption,
) -> list[DecisionSetClassifier]:
    """The same with classes in order."""
    start = time.monotonic()
    X, y, weights = training
    if not isinstance(estimator.order, str):
        # Labels that these rows do not have are in no place.
        known = set(y.tolist())
        estimator.order = [label for label in estimator.order if label in known]
    options = {**estimator._options(), "alpha": alphas[-1]}
    _, _, problem, options = estimator._begin(X, y, weights, options, start)
    models = []
    for turn, alpha in enumerate(alphas):
        left = estimator._time_left(start)
        options |= {"alpha": alpha, "time_limit": None if left is None else left / (len(alphas) - turn)}
        outcome = problem.learn(options, interruption, bounded=True)
        model = copy.copy(estimator)
        model.alpha = alpha
        model._set_model(problem.model(outcome, model._policy()))
        model._training = (problem, outcome)
        models.append(model)
    return models


def _best(scores: np.ndarray, orders: int, choose: str) -> int:
    """The place that these scores choose: in each order an alpha, and of these the better; of equals, the
    earlier."""
    of_order = np.split(scores, orders, axis=1)
    width = of_order[0].shape[1]
    places = [_core.chosen_place(part.tolist(), choose) + i * width for i, part in enumerate(of_order)]
    means = scores[:, places].mean(axis=0)
    best = 0
    for i in range(1, orders):
        best = i if means[i] > means[best] + _NEARLY else best
    return places[best]


def _expected(scores: np.ndarray, orders: int, choose: str) -> tuple[float, float]:
    """The score on new rows and its standard error: of each fold at the place that the others choose."""
    others = (np.delete(scores, fold, axis=0) for fold in range(len(scores)))
    places = [_best(of_others, orders, choose) for of_others in others]
    unseen = scores[np.arange(len(scores)), places]
    error = unseen.std(ddof=1) / math.sqrt(len(unseen)) if len(unseen) > 1 else math.nan
    return float(unseen.mean()), float(error)
