"""The classifier that chooses its alpha by any folds and any score."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from . import _core
from . import _parameters as parameters
from ._classifier import DecisionSetClassifier


class DecisionSetClassifierCV(DecisionSetClassifier):
    """A ``DecisionSetClassifier`` that chooses its ``alpha`` with any folds and any score.

    ``DecisionSetClassifier(alpha="auto")`` makes the same choice as the command line. This one is for
    folds and scores of your own, in the manner of ``LassoCV``.

    Parameters
    ----------
    alphas : list of float or str, default=None
        The alphas to try; ``None`` tries twenty from 20 % down to 0.1 % of the rows, but not below half
        a row.
    cv : int, splitter or iterable, default=None
        The folds, as everywhere in scikit-learn; ``None`` is five.
    scoring : str or callable, default=None
        A score of scikit-learn; ``None`` is accuracy.
    choose : {"one-se", "best"}, default=None
        The largest alpha whose score is within one standard error of the best, which ``None`` stands
        for, or the one of the best score.

    Other parameters are those of ``DecisionSetClassifier`` that go with ``alpha``. Folds are spread by
    joblib, over ``n_jobs`` workers.

    Attributes
    ----------
    alpha_ : float
        The alpha chosen.
    cv_results_ : dict of arrays
        For each alpha tried: ``alpha``, ``mean_test_score``, ``std_test_score``, ``split0_test_score``
        and so on, and ``mean_size``.
    expected_score_ : tuple of float
        The score to expect on new rows and its standard error: of each fold at the alpha that the
        others choose.

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
        cover=None,
        time_limit=None,
        memory_limit=None,
        n_jobs=None,
        numeric="intervals",
        intervals=4,
        cut=None,
        negations=True,
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
            cover=cover,
            time_limit=time_limit,
            memory_limit=memory_limit,
            n_jobs=n_jobs,
            numeric=numeric,
            intervals=intervals,
            cut=cut,
            negations=negations,
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

    def _choice(self) -> tuple:
        return self.scoring, parameters.way(self.choose), None, None

    def _choose_alpha(
        self, X: Any, y: np.ndarray, sample_weight: Any, problem: _core.Problem, options: dict, start: float
    ) -> tuple[Any, str | None]:
        splits = list(check_cv(self.cv, y, classifier=True).split(np.zeros(len(y)), y))
        alphas = list(_core.default_alphas(len(y), len(splits)) if self.alphas is None else self.alphas)
        if not alphas:
            raise parameters.refuse("alphas", "None or a list of alphas", self.alphas)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        rows = len(y) if weights is None else float(weights.sum())
        alphas.sort(key=lambda alpha: -parameters.share(alpha, rows))
        estimator = self._plain()
        scorer = check_scoring(estimator, scoring=self.scoring)
        jobs = parameters.jobs(self.n_jobs)
        left = self._time_left(start)
        rounds = math.ceil(len(splits) / effective_n_jobs(jobs))
        estimator.set_params(n_jobs=1, time_limit=None if left is None else max(left / 2 / rounds, 0.001))
        with Parallel(n_jobs=jobs, verbose=max(0, 10 * int(self.verbose))) as parallel:
            folds = parallel(
                delayed(_score_fold)(estimator, X, y, weights, train, test, alphas, scorer)
                for train, test in splits
            )
        scores = np.array([scores for scores, _ in folds])
        self.cv_results_ = {
            "alpha": np.array([parameters.share(alpha, rows) for alpha in alphas]),
            "mean_test_score": scores.mean(axis=0),
            "std_test_score": scores.std(axis=0),
            "mean_size": np.mean([sizes for _, sizes in folds], axis=0),
        }
        self.cv_results_ |= {f"split{i}_test_score": of_fold for i, of_fold in enumerate(scores)}
        choose = parameters.way(self.choose)
        others = (np.delete(scores, fold, axis=0).tolist() for fold in range(len(scores)))
        places = [_core.chosen_place(of_others, choose) for of_others in others]
        unseen = scores[np.arange(len(scores)), places]
        error = unseen.std(ddof=1) / math.sqrt(len(unseen)) if len(unseen) > 1 else math.nan
        self.expected_score_ = (float(unseen.mean()), float(error))
        return alphas[_core.chosen_place(scores.tolist(), choose)], None

    def _plain(self) -> DecisionSetClassifier:
        """The classifier of a fold."""
        plain = DecisionSetClassifier()
        own, known = self.get_params(), plain.get_params()
        shared = {name: value for name, value in own.items() if name in known}
        # What is written and shown is about the whole.
        alone = {"scoring": None, "choose": None, "proof": None, "resume": None, "trace": None, "verbose": 0}
        return plain.set_params(**{**shared, **alone})

    @classmethod
    def from_json(cls, source: str | os.PathLike) -> DecisionSetClassifier:
        """Reads what ``to_json`` wrote, as a ``DecisionSetClassifier``: the folds are not on file."""
        return DecisionSetClassifier.from_json(source)


def _score_fold(
    estimator: DecisionSetClassifier,
    X: Any,
    y: np.ndarray,
    weights: np.ndarray | None,
    train: np.ndarray,
    test: np.ndarray,
    alphas: list[Any],
    scorer: Any,
) -> tuple[list[float], list[int]]:
    """The score of each alpha on the rows of a fold, and the size of its set."""
    own = None if weights is None else weights[train]
    rows = len(train) if own is None else float(own.sum())
    shares = [parameters.share(alpha, rows) for alpha in alphas]
    smallest = alphas[int(np.argmin(shares))]
    curve = clone(estimator)._curve(_safe_indexing(X, train), y[train], own, smallest, bounded=True)
    points = [curve.at(share) for share in shares]
    X_test, y_test = _safe_indexing(X, test), y[test]
    # Neighbours often have the same set.
    scores: dict[int, float] = {}
    for point in points:
        if id(point) not in scores:
            scores[id(point)] = scorer(point.model, X_test, y_test)
    return [scores[id(point)] for point in points], [point.size for point in points]
