"""The classifier."""

from __future__ import annotations

import copy
import json
import os
import time
import warnings
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy.sparse import csr_matrix
from sklearn.base import ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import column_or_1d, compute_sample_weight
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core, _display, _folds, _labels
from . import _parameters as parameters
from ._base import TableEstimator, frame_columns
from ._columns import is_frame, row_count
from ._curve import Curve, CurvePoint, Tried, plot_curve, tried_of
from ._progress import Count, Progress
from ._rules import Change, Condition, Counterfactual, Explanation, OutOfReach, Rule
from ._warnings import DataWarning

#: Weights with more decimals than these are counted in millionths of their mean.
_DECIMALS = 6
_UNITS_OF_MEAN = 1_000_000

#: Seconds that reading may take beyond the limit: without a table there is nothing to give at all.
_LONGER = 0.4

#: Models of earlier versions test all values of a column.
_ALL_VALUES = 2**63 - 1

#: Folds by which alpha is chosen.
_FOLDS = 5

#: What follows from a model; see ``_set_model``.
_OF_MODEL = {"_rules", "status_", "lower_bound_", "gap_", "size_", "n_rules_", "n_literals_"}
_OF_MODEL |= {"n_rules_enumerated_", "class_count_", "_label_places", "_used", "_sparse", "cost_"}
_OF_MODEL |= {"price_", "errors_", "rows_wrong_", "otherwise_", "order_", "alpha_", "expected_"}

#: What an earlier ``fit`` may have left.
_OF_CHOICE = ["cv_results_", "expected_score_", "budget_", "curve_"]

#: What a sparse set says in rows, or other sets not at all.
_IN_ROWS = ["price", "errors", "rows_wrong"]


class DecisionSetClassifier(ClassifierMixin, TableEstimator):
    """The provably smallest set of if-then rules that agrees with the training data.

    A decision set is an unordered set of rules that describes every class explicitly. The rules
    agree with every training row, except rows that contradict equal ones of another class: those
    are settled by majority. ``status_`` says what was proven.

    With ``alpha``, rules may be wrong where that saves size, and the set is the best trade of errors
    against size: a sparse set. One class may then do without rules (``otherwise``), and classes may have
    an order, in which a rule holds unless a rule of an earlier class fires (``order``).

    Columns of text are tested for their values, and so are columns of at most two different numbers;
    columns of more numbers are compared with thresholds (``cuts``), put where they tell the classes apart
    beside all other columns. Missing values are a value of their own. Blanks around text do not count, and
    the texts ``?``, ``NA`` and ``nan`` are missing values, as they are in a file.

    Parameters
    ----------
    objective : {"size", "rules", "literals", "rules-then-literals"}, default="size"
        What "smallest" means. ``size`` counts the literals and one for each rule.
    alpha : float, str or "auto", default=None
        What each literal and each rule (with another ``objective``, each of what it counts) must be worth
        in rows that would be wrong without it: a share of the rows (``0.005`` or ``"0.5%"``) or rows
        (``"2rows"``, ``"1/3rows"``), by their weight. Of numbers, nine decimals count. ``"auto"`` chooses it
        by cross-validation, so that the rules are right on new rows. ``None`` finds rules that are never
        wrong.
    scoring : {"accuracy", "balanced-accuracy", "log-loss"}, default=None
        With ``alpha="auto"``: what is best on rows not seen; ``None`` is ``"accuracy"``.
    choose : {"one-se", "best"}, default=None
        With ``alpha="auto"``: the largest alpha, and so the smallest set, whose score is behind the best one
        by at most one standard error of the difference, fold by fold, which ``None`` stands for, or the one
        of the best score.
    folds : int, default=None
        With ``alpha="auto"``: the number of folds; ``None`` is 5, or as many as there are rows.
    repeats : int, default=None
        With ``alpha="auto"``: how often to cross-validate, each time with other folds; ``None`` is once for
        1,000 rows and more, twice from 500 rows, and three times below.
    max_size, max_rules : int, default=None
        Instead of ``alpha``: the set with the fewest errors on the curve of best trades that has at most this
        size, or so many rules.
    max_errors : int, float or str, default=None
        Instead of ``alpha``: the smallest set on the curve with at most so many errors: rows (``12``) or a
        share of them (``0.05`` or ``"5%"``), by their weight.
    down_to : float or str, default=None
        With these: the alpha down to which the curve is followed; ``None`` is one row.
    otherwise : {"auto", "none"} or a label, default=None
        With ``alpha``: the class without rules, to which rows belong that no rule covers. ``"auto"``, which
        ``None`` stands for, chooses the one that costs most to describe; ``"none"`` gives rules to every
        class. A label that is itself called ``"auto"`` or ``"none"`` cannot be named. In an ``order``,
        ``"auto"`` is the last class.
    order : {"none", "rarest", "frequent"} or list of labels, default=None
        With ``alpha``: learns the classes in this order, each from the rows that no rule of an earlier class
        covers, so that a rule holds unless a rule of an earlier class fires: the rarest class first, the most
        frequent one first, or as listed. A list names every label once, or all but the one without rules.
        Each class's rules are proven best given those before it. ``None`` is ``"none"``; with
        ``alpha="auto"`` and several classes it is ``"none"`` or ``"rarest"``, whichever is better on rows not
        seen.
    method : {"lazy", "enumerate", "mds2", "mds2-star", "opt"}, default="lazy"
        How the smallest set is found: by generating only the rules that can matter, or by
        enumerating all rules first. The others are earlier SAT models, for comparison: each has one
        objective, ``"rules"``, ``"rules-then-literals"`` and ``"size"``.
    rules : {"maxsat", "search"}, default=None
        With ``method="enumerate"``: where rules come from; ``None`` is ``"maxsat"``.
    cover : {"branch", "ilp", "maxsat"}, default=None
        What chooses the smallest cover; ``None`` is ``"branch"``.
    break_symmetry : bool, default=None
        With ``method="enumerate"``: whether each rule must cover an example that no earlier one
        covers for no more; ``None`` is ``True``.
    opt_model : {"separate", "joint"}, default=None
        With ``method="opt"``: one model for each class, or one for all; ``None`` is ``"separate"``.
    opt_search : {"sat", "maxsat"}, default=None
        With ``method="opt"``: what finds the fewest nodes; ``None`` is ``"sat"``.
    prefer_disjoint : bool, default=False
        Among equally small sets, prefer one whose rules of different classes overlap less.
    time_limit : float or str, default=None
        Seconds, or a text such as ``"30s"``, ``"5m"``, ``"2h"`` or ``"250ms"``, after which ``fit`` ends
        with the best set found and a lower bound. Reading the data counts: if there was no time for
        rules, ``fit`` raises ``TimeoutError``.
    memory_limit : int or str, default=None
        Bytes, or a text such as ``"8GB"``: the same when the process holds so much.
    resume : path, default=None
        A file in which ``fit`` keeps what is known, every second or so. A later ``fit`` of the same data
        and question goes on from there; the file is checked before it is believed.
    proof : path, default=None
        A folder into which ``fit`` writes a certificate of each bound, for ``check_proof`` and
        ``minrule check --proof``.
    trace : path, default=None
        A file to which ``fit`` writes the history of costs and bounds, as JSON.
    n_jobs : int, default=None
        Threads that share the work: ``None`` is one, -1 all. Within a
        ``joblib.parallel_config`` of several processes or machines, the classes are spread over them.
    numeric : {"thresholds", "intervals"}, default="thresholds"
        How columns of many numbers are used.
    cuts : int or "all", default=None
        The most thresholds of such a column; ``None`` is 4. With ``"all"`` there is one wherever it can
        matter, so that a proof holds for any other threshold as well.
    intervals : int, default=None
        With ``numeric="intervals"``, their number; ``None`` is 4.
    cut : {"frequency", "width"}, default=None
        With ``numeric="intervals"``, where they are cut; ``None`` is ``"frequency"``.
    negations : bool, default=True
        Whether rules may say "is not".
    max_values : int, default=100
        The most values of a column of names that rules may test; of more, the most frequent.
    missing : {"value", "drop-rows", "error"}, default="value"
        What ``fit`` does about missing values.
    missing_values : list of str or numbers, default=None
        What else stands for a missing value, such as ``["n/a", -999]``, besides empty text, ``?``, ``NA``
        and ``nan``. In a column of numbers a number stands for every way to write it.
    categorical : list of str, default=None
        Columns whose values are names, even if they look like numbers.
    numeric_columns : list of str, default=None
        Columns of numbers: what is no number there counts as missing.
    decimal : {".", ","}, default="."
        The mark before decimals in text.
    ignore : list of str, default=None
        Columns that rules must not use.
    uncovered : {"default", "abstain", "nearest"}, default="default"
        What ``predict`` says of rows that no rule covers: the most frequent class (with ``alpha``, the
        class without rules, if there is one), nothing (``undecided``), or what the rules with the fewest
        unmet conditions say.
    conflict : {"majority", "size", "precision", "order", "abstain"}, default=None
        What it says of rows that rules of several classes cover: the class whose rules cover the
        most training rows, that of the rule with the most conditions, that of the rule that is right
        most often, or nothing. ``None`` is ``"precision"`` with ``alpha``, else ``"majority"``. With an
        ``order`` the earlier class always wins: it is ``"order"``, and nothing else goes.
    undecided : object, default=None
        What ``predict`` says where it says nothing: ``None``, or a label of your own, such as -1 or
        ``"?"``, of the type of the others if metrics are to take it.
    class_weight : dict or "balanced", default=None
        What the rows of each class count for where they are counted: in the vote between rows that
        contradict each other, in where numbers are cut, in the support of rules, and so in
        ``predict_proba``. Rules agree with every row that wins its vote, whatever it weighs; with ``alpha``
        there is no vote, and an error costs what its row counts for.
    random_state : int, RandomState or None, default=None
        The order in which examples are looked at: of equally small sets, another may be found. With
        ``None`` it is fixed. The order of the rows matters only where a vote is tied: the label that
        appears first wins.
    verbose : int, default=0
        1 shows a progress bar (with tqdm, if it is installed).

    Attributes
    ----------
    rules_ : list of Rule
        The rules. Those of a sparse set have ``wrong`` and ``precision``.
    status_ : str
        ``"optimal"`` if no smaller set (with ``alpha``: no better trade of errors against size) over the
        same conditions exists (with ``order``: for any class, given those before it); else why that is
        not proven: ``"time_limit"``, ``"memory_limit"``, ``"interrupted"`` or ``"solver_failure"``.
    proof_ : str
        What was proven, and over which conditions, in words.
    cost_ : int, tuple or float
        What the set costs, in the unit of the objective; of a sparse set, what size and errors cost
        together, in rows by their weight.
    lower_bound_ : int, tuple or float
        What every decision set costs at least; with ``order``, what each class's rules cost at least given
        those before it, together.
    gap_ : float
        How much of the cost that leaves open, from 0 (proven) to 1; of a sparse set, in rows.
    alpha_ : float or None
        The alpha, given or chosen, as a share of the rows.
    expected_ : dict or None
        With ``alpha="auto"``: what to expect on new rows, as ``accuracy``, its standard error ``se``,
        ``balanced_accuracy``, ``log_loss``, ``how`` that was found out, and what was ``chosen``: ``alpha``
        and, if that was left to the folds, ``order``.
    cv_results_ : dict of lists
        With ``alpha="auto"``: for each ``alpha`` and ``order`` tried, in how many ``repeats``,
        ``mean_accuracy`` and ``se_accuracy``, likewise ``balanced_accuracy`` and ``log_loss``, and
        ``mean_size``. Only what was tried in all repeats is chosen.
    budget_ : dict
        With ``max_size``, ``max_rules`` or ``max_errors``: the errors and the size that every set within the
        budget has at least, on the curve or not, as ``least_errors`` and ``least_size``; ``None`` where that
        cannot be said.
    curve_ : Curve
        The curve that ``curve`` found last; ``fit`` forgets it.
    price_ : float or None
        What a unit of size costs in a sparse set, in rows. This and what follows is ``None`` of other sets.
    errors_ : int, float or None
        Errors as the objective counts them: each row that no rule of its class covers, and each row of
        another class for every rule that covers it; of all classes that have rules.
    rows_wrong_ : int, float or None
        Training rows that are predicted wrongly, with the ``uncovered`` and ``conflict`` of ``fit``.
    otherwise_ : object or None
        The label without rules, if there is one.
    order_ : list or None
        The labels in order, if they have one, up to the one without rules.
    size_, n_rules_, n_literals_ : int
        The size of the set.
    n_rules_enumerated_ : int
        Rules enumerated or generated on the way.
    classes_ : ndarray
        The labels.
    class_count_ : dict
        Training rows of each label, by their weight.
    feature_importances_ : ndarray
        For each column of X, its share of what the rules cover: the support of each rule, divided
        evenly among the columns that it tests, added up, and all of it scaled to a sum of 1 (zeros if
        no rule tests anything). It says how much the rules lean on a column, not how much worse they
        would be without it.
    conflicts_ : dict
        What settling contradictions cost; with ``alpha``, what a vote would have settled.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minrule import DecisionSetClassifier
    >>> iris = load_iris(as_frame=True)
    >>> model = DecisionSetClassifier().fit(iris.data, iris.target)
    >>> model.status_, model.n_rules_, model.size_
    ('optimal', 8, 27)
    >>> model.rules_[0].text
    'IF "petal length (cm)" <= 2 THEN target = 0'
    >>> model.predict(iris.data.head(2))
    array([0, 0])
    """

    def __init__(
        self,
        *,
        objective="size",
        alpha=None,
        scoring=None,
        choose=None,
        folds=None,
        repeats=None,
        max_size=None,
        max_rules=None,
        max_errors=None,
        down_to=None,
        otherwise=None,
        order=None,
        method="lazy",
        rules=None,
        cover=None,
        break_symmetry=None,
        opt_model=None,
        opt_search=None,
        prefer_disjoint=False,
        time_limit=None,
        memory_limit=None,
        resume=None,
        proof=None,
        trace=None,
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
        random_state=None,
        verbose=0,
    ):
        self.objective = objective
        self.alpha = alpha
        self.scoring = scoring
        self.choose = choose
        self.folds = folds
        self.repeats = repeats
        self.max_size = max_size
        self.max_rules = max_rules
        self.max_errors = max_errors
        self.down_to = down_to
        self.otherwise = otherwise
        self.order = order
        self.method = method
        self.rules = rules
        self.cover = cover
        self.break_symmetry = break_symmetry
        self.opt_model = opt_model
        self.opt_search = opt_search
        self.prefer_disjoint = prefer_disjoint
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.resume = resume
        self.proof = proof
        self.trace = trace
        self.n_jobs = n_jobs
        self.numeric = numeric
        self.cuts = cuts
        self.intervals = intervals
        self.cut = cut
        self.negations = negations
        self.max_values = max_values
        self.missing = missing
        self.missing_values = missing_values
        self.categorical = categorical
        self.numeric_columns = numeric_columns
        self.decimal = decimal
        self.ignore = ignore
        self.uncovered = uncovered
        self.conflict = conflict
        self.undecided = undecided
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    # ------------------------------------------------------------------ learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DecisionSetClassifier:
        """Finds the smallest decision set.

        Parameters
        ----------
        X : array, sparse matrix, or frame (pandas, polars, Arrow) of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Labels of any type.
        sample_weight : array of shape (n_samples,), default=None
            What each row counts for; a row that counts twice is the same as two rows.

        Ctrl-C ends it early: the best set found so far is kept, and ``status_`` is
        ``"interrupted"``. While the data are still being read or alpha is being chosen there is no set, and
        it raises ``KeyboardInterrupt``; a time limit that is reached in reading raises ``TimeoutError``.
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> Any:
        """Fits; ``how`` is for those who choose alpha in another way."""
        start = time.monotonic()
        for name in _OF_CHOICE:
            self.__dict__.pop(name, None)
        X, y, problem, options = self._begin(X, y, sample_weight, self._options(), start)
        for warning in problem.warnings():
            warnings.warn(warning, DataWarning, stacklevel=3)
        vectors, accuracy = self.conflicts_["vectors"], self.conflicts_["training_accuracy"]
        if vectors and options["alpha"] is None:
            warnings.warn(
                f"rows that agree on every feature but not on the class are settled by majority, here "
                f"{vectors} time{'s' * (vectors > 1)}: the rules agree with {_display.percent(accuracy)} of "
                "the rows",
                DataWarning,
                stacklevel=3,
            )
        expected, point = None, None
        if parameters.is_auto(self.alpha):
            chosen, expected = self._choose_alpha(X, y, sample_weight, problem, options, start, **how)
            options |= chosen
        elif self._budget() is not None:
            point = self._within_budget(problem, options, start)
        outcome = self._solve(problem, options, start, point)
        options["time_limit"] = self._time_left(start)
        if self.prefer_disjoint:
            outcome = problem.prefer_disjoint(outcome, options)
        for failure in outcome.failures:
            warnings.warn(failure, RuntimeWarning, stacklevel=3)
        self._set_model(problem.model(outcome, self._policy(), expected))
        self._training: tuple[_core.Problem, _core.Outcome] | None = (problem, outcome)
        problem.write(outcome, options)
        if self.status_ != "optimal":
            warnings.warn(_display.proof(self), ConvergenceWarning, stacklevel=3)
        return self

    def _begin(
        self, X: Any, y: Any, sample_weight: Any, options: dict, start: float
    ) -> tuple[Any, np.ndarray, _core.Problem, dict]:
        """X and y as they are used from here on, what is to be solved of them, and how."""
        _core.check_options(self._binarise(None), options, self._policy())
        target = getattr(y, "name", None)
        X = self._read(X, reset=True)
        y, self.classes_, codes = _labels.labels_of(y, X, self)
        self.target_ = target if isinstance(target, str) and target not in self._names() else "class"

        problem = self._problem(X, y, codes, sample_weight, start)
        left, took = self._time_left(start), time.monotonic() - start
        if left is not None and left < 0 and took > _LONGER:
            # A first set of such a table takes about as long again.
            raise _core.time_is_up(self.n_features_in_, self.n_features_in_)
        options["otherwise"] = _labels.otherwise(self.otherwise, self.classes_)
        options["order"] = _labels.order(parameters.order(self.order), self.classes_)
        options["row"] = self._weight_scale
        vectors, ties, dropped, accuracy = problem.conflicts
        self.conflicts_ = {
            "vectors": vectors,
            "ties": ties,
            "rows_dropped": self._weight(dropped),
            "training_accuracy": accuracy,
        }
        return X, y, problem, options

    def _choose_alpha(
        self, X: Any, y: np.ndarray, sample_weight: Any, problem: _core.Problem, options: dict, start: float
    ) -> tuple[dict, str | None]:
        """The alpha that is right on new rows, perhaps with an order of classes, and what to expect of it as
        JSON, in half of the time left."""
        scoring, choose, folds, repeats = self._choice()
        folds = folds or max(2, min(_FOLDS, problem.table_rows))
        parts = _core.Folds(problem, options, self._policy(), folds, repeats)
        scores = _folds.scores_of(parts, scoring, self._jobs(), self.verbose, self._half_of_time(start))
        chosen = json.loads(parts.choose(scores, scoring, choose))
        tried, came_to = parts.candidates(), chosen["by_candidate"]
        results: dict[str, Any] = {"alpha": [float(alpha) for alpha, _ in tried]}
        results["order"] = [order for _, order in tried]
        results["repeats"] = [of["repeats"] for of in came_to]
        for score in ("accuracy", "balanced_accuracy", "log_loss"):
            results[f"mean_{score}"] = [of[score]["mean"] for of in came_to]
            results[f"se_{score}"] = [of[score]["se"] for of in came_to]
        results["mean_size"] = [of["size"]["mean"] for of in came_to]
        self.cv_results_: dict[str, Any] = results
        alpha, order = tried[chosen["place"]]
        # Labels that somebody gave in order stay as they are.
        found = {"alpha": alpha} if order == "given" else {"alpha": alpha, "order": [order]}
        return found, json.dumps(chosen["expected"])

    def _choice(self) -> tuple:
        """How alpha is chosen."""
        return parameters.choice_of_alpha(self.alpha, self.scoring, self.choose, self.folds, self.repeats)

    def _budget(self) -> tuple | None:
        """What a set may have at most, if somebody said so."""
        return parameters.budget(self.alpha, self.max_size, self.max_rules, self.max_errors, self.down_to)

    def _within_budget(self, problem: _core.Problem, options: dict, start: float) -> tuple[_core.Curve, int]:
        """The best point of the curve within the budget, found in half of the time left."""
        size, rules, errors, down_to = self._budget() or ()
        if isinstance(errors, int):
            errors = str(int(errors * self._weight_scale))
        curve = self._follow(problem, options, self._half_of_time(start))
        said = curve.within(size, rules, errors)
        if said is None:
            points = (json.loads(curve.point(place)) for place in range(len(curve)))
            least = self._weight(min(point["errors"] for point in points))
            raise ValueError(
                f"no set down to alpha {down_to!r} is within the budget of max_size={self.max_size!r}, "
                f"max_rules={self.max_rules!r} and max_errors={self.max_errors!r}, the fewest errors being "
                f"{least:.10g}; allow more, or let down_to be smaller"
            )
        within = json.loads(said)
        least = within["least_errors"]
        least_errors = None if least is None else self._weight(least)
        self.budget_ = {"least_errors": least_errors, "least_size": within["least_size"]}
        return curve, within["place"]

    def _refuse_order(self) -> None:
        """Where classes have an order, what is best for one depends on those before it."""
        if self._order_texts() not in (None, ["none"]):
            raise parameters.refuse("order", "None or 'none' for a curve", self.order)

    def _follow(
        self, problem: _core.Problem, options: dict, seconds: float | None, watch: Any = None
    ) -> _core.Curve:
        """The curve down to the alpha of the options; within a fold, somebody else is told."""
        options = {**options, "time_limit": seconds}
        if watch is not None:
            return _core.Curve(problem, options, watch, bounded=True)
        with Count("prices solved", None, self.verbose) as count:
            return _core.Curve(problem, options, count)

    def _jobs(self) -> int | None:
        return parameters.jobs(self.n_jobs)

    def _problem(
        self, X: Any, y: np.ndarray, codes: np.ndarray, sample_weight: Any, start: float
    ) -> _core.Problem:
        names = self._names()
        ignore = parameters.columns("ignore", self.ignore, names)
        wanted = set(names).difference(ignore) if ignore else None
        texts = _labels.texts_of(self.classes_)
        order = _labels.in_order_of_appearance(codes, len(texts))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        weights = self._weights(X, y, sample_weight)

        def watch(done: int, columns: int) -> None:
            left = self._time_left(start)
            if left is not None and left < -_LONGER:
                raise _core.time_is_up(done, columns)

        return _core.Problem(
            self._columns(X, wanted, watch=watch),
            self.target_,
            [texts[i] for i in order],
            place[codes].astype(np.int64),
            weights,
            ignore,
            self._binarise(self._time_left(start), names),
        )

    def _binarise(self, seconds: float | None, names: list[str] | None = None) -> dict:
        """How these columns become features, in so much time."""
        return {
            "numeric": self.numeric,
            "cuts": self.cuts,
            "intervals": self.intervals,
            "cut": self.cut,
            "negations": self.negations,
            "max_values": self.max_values,
            "missing": self.missing,
            "missing_values": parameters.texts("missing_values", self.missing_values),
            "categorical": parameters.columns("categorical", self.categorical, names),
            "numeric_columns": parameters.columns("numeric_columns", self.numeric_columns, names),
            "decimal": self.decimal,
            "time_limit": seconds,
            "memory_limit": parameters.bytes_of(self.memory_limit),
        }

    def _policy(self) -> tuple:
        return self.uncovered, self.conflict

    def _weights(self, X: Any, y: np.ndarray, sample_weight: Any) -> np.ndarray | None:
        """What each row counts for, in whole numbers: its weight times ``_weight_scale``."""
        self._weight_scale: float = 1
        if sample_weight is None and self.class_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, np.empty((len(y), 0)), dtype=np.float64)
        if (weights < 0).any():
            raise ValueError("sample_weight has negative weights")
        if self.class_weight is not None:
            weights = weights * compute_sample_weight(self.class_weight, y)
        if not weights.any():
            raise ValueError("sample_weight is zero for every row")
        scales = [10**decimals for decimals in range(_DECIMALS + 1)]
        whole = (scale for scale in scales if _all_whole(weights * scale))
        self._weight_scale = next(whole, None) or float(_UNITS_OF_MEAN / weights[weights > 0].mean())
        counts = np.rint(weights * self._weight_scale).astype(np.uint64)
        # However light, a row that has a weight is there.
        return np.maximum(counts, (weights > 0).astype(np.uint64))

    def _weight(self, count: float) -> float:
        """What a count in the model stands for."""
        return count if self._weight_scale == 1 else count / self._weight_scale

    def _options(self) -> dict:
        """How rules are found; parameters that are none are refused."""
        parameters.class_weight(self.class_weight)
        self._choice()
        if self._budget() is not None:
            self._refuse_order()
        parameters.seconds_of(self.time_limit)
        parameters.whole("verbose", int(self.verbose) if isinstance(self.verbose, bool) else self.verbose)
        return {
            "objective": self.objective,
            "alpha": parameters.first_alpha(self.alpha, self._budget()),
            "otherwise": None if self.otherwise is None else str(self.otherwise),
            "order": self._order_texts(),
            "row": 1.0,
            "method": self.method,
            "rules": self.rules,
            "cover": self.cover,
            "break_symmetry": self.break_symmetry,
            "opt_model": self.opt_model,
            "opt_search": self.opt_search,
            "prefer_disjoint": parameters.truth("prefer_disjoint", self.prefer_disjoint),
            "seed": parameters.seed(self.random_state),
            "threads": effective_n_jobs(parameters.jobs(self.n_jobs)),
            "time_limit": None,
            "memory_limit": parameters.bytes_of(self.memory_limit),
            "resume": parameters.path("resume", self.resume),
            "proof": parameters.path("proof", self.proof),
            "trace": parameters.path("trace", self.trace),
        }

    def _order_texts(self) -> list[str] | None:
        """The order as it was asked for."""
        order = parameters.order(self.order)
        return None if order is None else [str(label) for label in order]

    def _time_left(self, start: float) -> float | None:
        limit = parameters.seconds_of(self.time_limit)
        return None if limit is None else start + limit - time.monotonic()

    def _half_of_time(self, start: float) -> float | None:
        """The other half is for learning."""
        left = self._time_left(start)
        return None if left is None else left / 2

    def _solve(
        self, problem: _core.Problem, options: dict, start: float, point: tuple[_core.Curve, int] | None
    ) -> _core.Outcome:
        """All classes on threads of this process, or each class where joblib sends it."""
        if point is not None:
            curve, place = point
            # Where the best set at the point's alpha is not known, it may be beyond the budget.
            proven = json.loads(curve.point(place))["status"] == "optimal"
            if curve.stopped_by == "interrupted" or not proven:
                return curve.outcome(place)
        # Where classes have an order, each is learned from the rows that those before it leave; what is kept
        # on file is about all classes; and of a point most is known.
        ordered = options["order"] not in (None, ["none"])
        together = self.opt_model == "joint" or ordered or self.resume is not None or self.proof is not None
        if _folds.works_here(self._jobs()) or together or point is not None:
            row = 1 if options["alpha"] is None else self._weight_scale
            progress = Progress(problem.labels(), row) if self.verbose else None
            try:
                return problem.learn({**options, "time_limit": self._time_left(start)}, progress, point)
            finally:
                if progress:
                    progress.close()
        task = problem.task()
        # Which class does without rules is known when all are solved.
        alone = {**options, "otherwise": "none", "threads": 1}
        tasks = ((task, position, alone) for position in task.classes(options))
        left = self._time_left(start)
        outcomes = _folds.spread(_solve_class, tasks, self._jobs(), "classes", self.verbose, left)
        return _core.Outcome.together(outcomes, task, options)

    # ------------------------------------------------------------------ the curve

    def curve(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        down_to: Any = parameters.DOWN_TO,
        cross_validate: int | None = None,
        repeats: int | None = None,
    ) -> Curve:
        """All best trades of errors against size: every set for which no other is better at some alpha.

        Parameters
        ----------
        X, y, sample_weight : as for ``fit``
        down_to : float or str, default="1row"
            The smallest alpha.
        cross_validate : int, default=None
            The number of folds by which to find out how right sets of each point's alpha are on rows not
            seen. Each fold has a curve of its own, which is read off at these alphas.
        repeats : int, default=None
            How often to do that, each time with other folds; ``None`` is once.

        Returns
        -------
        Curve
            A sequence of points, the smallest set first; each has ``alpha`` (one that leads to it),
            ``alpha_from``, ``alpha_to``, ``rules``, ``literals``, ``size``, ``errors``, ``status``, and
            ``model``, a classifier; with ``cross_validate`` also ``accuracy`` and its standard error
            ``accuracy_se``, likewise ``balanced_accuracy`` and ``log_loss``. It is kept as ``curve_``, which
            ``plot_curve`` draws.

        ``alpha`` is not used. With ``otherwise="auto"`` the class without rules may change along the curve:
        sets before and after a change are compared with others that leave out the same class. A time limit,
        of which folds have half, a memory limit or Ctrl-C ends it with what was found.
        """
        start = time.monotonic()
        folds, repeats = parameters.folds_of_curve(cross_validate, repeats)
        reader, problem, options = self._read_for_curve(X, y, sample_weight, down_to, start)
        seconds = reader._half_of_time(start) if folds else reader._time_left(start)
        found = reader._follow(problem, options, seconds)
        self.curve_ = reader._points(found, problem)
        if folds and found.stopped_by != "interrupted":
            parts = _core.Folds(problem, options, reader._policy(), folds, repeats, found)
            left = reader._time_left(start)
            scores = _folds.scores_of(parts, None, self._jobs(), self.verbose, left)
            self.curve_ = self.curve_.scored(
                json.loads(parts.choose(scores, "accuracy", "best"))["by_candidate"]
            )
        return self.curve_

    def _at_one_alpha(self) -> DecisionSetClassifier:
        """A classifier like this one that has an alpha, not fitted, and with nothing to write."""
        others = {"scoring", "choose", "folds", "repeats", "max_size", "max_rules", "max_errors", "down_to"}
        return clone(self).set_params(**dict.fromkeys(others | {"alpha", "proof", "resume", "trace"}))

    def _read_for_curve(
        self, X: Any, y: Any, sample_weight: Any, down_to: Any, start: float
    ) -> tuple[DecisionSetClassifier, _core.Problem, dict]:
        """Somebody who has read the data, what is to be solved, and how."""
        self._refuse_order()
        reader = self._at_one_alpha()
        options = {**reader._options(), "alpha": down_to}
        _, _, problem, options = reader._begin(X, y, sample_weight, options, start)
        return reader, problem, options

    def _points(self, curve: _core.Curve, problem: _core.Problem) -> Curve:
        """A curve with a classifier like this one for each point."""

        def point(place: int) -> CurvePoint:
            said = json.loads(curve.point(place))
            model, outcome = copy.copy(self), curve.outcome(place)
            said["alpha"] = model.alpha = self._alpha_said(said["alpha"])
            model._set_model(problem.model(outcome, model._policy()))
            model._training = (problem, outcome)
            said["errors"] = self._weight(said["errors"])
            return CurvePoint(**said, model=model)

        return Curve([point(place) for place in range(len(curve))])

    def _alpha_said(self, text: str) -> float | str:
        """An alpha of Rust's, whose rows are counted in parts, as people say it."""
        number = text.removesuffix("rows")
        if number == text:
            return float(text)
        if self._weight_scale == 1:
            return text
        return f"{self._weight(float(Fraction(number))):.9f}rows"

    def plot_curve(self, ax: Any = None) -> Any:
        """Draws, with matplotlib, the curve that was last found, size against errors; and, as far as that is
        known from the curve or from choosing alpha, what sets of each size come to on rows not seen, with a
        band of one standard error. Returns the axes."""
        curve = getattr(self, "curve_", None)
        tried = self._tried() if curve is None else tried_of(curve)
        if curve is None and tried is None:
            raise ValueError("there is no curve yet: call curve(X, y) first, or fit with alpha='auto'")
        return plot_curve(curve, tried, ax)

    def _tried(self) -> Tried | None:
        """What the alphas came to by which one was chosen, if one was."""
        results = getattr(self, "cv_results_", None)
        if results is None:
            return None
        # No order is tried first; where one is asked for, nothing else is tried.
        order = results["order"][0 if self.order_ is None else -1]
        places = [place for place, name in enumerate(results["order"]) if name == order]
        names = ("alpha", "mean_size", "mean_accuracy", "se_accuracy")
        alphas, *columns = ([results[name][place] for place in places] for name in names)
        return Tried("accuracy", self._place_chosen(alphas), *columns)

    def _place_chosen(self, alphas: Any) -> int | None:
        """The place of the alpha chosen, which weights may have rounded."""
        alpha = getattr(self, "alpha_", None)
        return None if alpha is None else int(np.argmin(np.abs(np.asarray(alphas) - alpha)))

    # ------------------------------------------------------------------ the model

    def _set_model(self, model: _core.Model) -> None:
        """Everything that follows from a model."""
        self._model = model
        self._rules: list[Rule] | None = None
        said = json.loads(model.summary())
        self.status_ = said["status"]
        self.proof_ = " ".join(filter(None, [model.proof(self._weight_scale), model.scope()]))
        text_to_class = dict(zip(_labels.texts_of(self.classes_), range(len(self.classes_))))
        #: For each label of the model, its position in ``classes_``.
        self._label_places = np.array([text_to_class[text] for text in model.labels()])
        counts = map(self._weight, said["class_rows"])
        self.class_count_ = dict(zip(self.classes_[self._label_places].tolist(), counts))
        self._sparse = said["sparse"]
        self.alpha_, self.expected_ = said["alpha"], said["expected"]
        self.cost_ = self._paid(said["cost"])
        self.lower_bound_ = self._paid(said["lower_bound"])
        self.gap_ = self._paid(said["gap"])
        weighed = (None if said[of] is None else self._weight(said[of]) for of in _IN_ROWS)
        self.price_, self.errors_, self.rows_wrong_ = weighed
        otherwise = said["otherwise"]
        self.otherwise_ = None if otherwise is None else self.classes_[self._label_places].tolist()[otherwise]
        labels = self.classes_.tolist()
        self.order_ = said["order"] and [labels[text_to_class[text]] for text in said["order"]]
        self.size_ = said["size"]
        self.n_rules_ = said["rules"]
        self.n_literals_ = said["literals"]
        self.n_rules_enumerated_ = said["rules_enumerated"]
        self._used = set(model.used_columns())

    def _paid(self, cost: Any) -> Any:
        """A cost of the model: that of a sparse set is in rows, which have weights."""
        if self._sparse:
            return self._weight(cost)
        return tuple(cost) if isinstance(cost, list) else cost

    @property
    def rules_(self) -> list[Rule]:
        # Made when first asked for: there may be very many, and a time limit to keep.
        if not hasattr(self, "_model"):
            raise AttributeError("rules_: this classifier is not fitted yet")
        if self._rules is None:
            self._rules = self._make_rules()
        return self._rules

    def _make_rules(self) -> list[Rule]:
        model = self._model
        labels = dict(zip(model.labels(), self.classes_[self._label_places].tolist()))
        decision_set = json.loads(model.to_json())["decision_set"]
        rules = [rule for of_class in decision_set["classes"] for rule in of_class["rules"]]
        return [
            Rule(
                conditions=tuple(
                    Condition(c["feature"], c["op"], _operand(c["value"]), text)
                    for c, text in zip(rule["if"], texts)
                ),
                class_=labels[rule["then"]],
                support=self._weight(rule["covers"]),
                text=sentence,
                _symbols=symbols,
                phrases=tuple(phrases),
                wrong=self._weight(rule["wrong"]) if self._sparse else None,
                precision=rule.get("precision"),
            )
            for rule, texts, phrases, sentence, symbols in zip(
                rules,
                model.conditions(),
                model.phrases(),
                model.sentences("words"),
                model.sentences("symbols"),
            )
        ]

    @property
    def feature_importances_(self) -> np.ndarray:
        check_is_fitted(self)
        if not hasattr(self, "n_features_in_"):
            raise AttributeError("this model was read from a file that does not say which columns X had")
        place = {name: i for i, name in enumerate(self._names())}
        shares = np.zeros(len(place))
        for rule in self.rules_:
            tested = {condition.feature for condition in rule.conditions}
            for name in tested:
                shares[place[name]] += rule.support / len(tested)
        return shares / (shares.sum() or 1)

    def _used_columns(self, X: Any) -> tuple[list[tuple[str, Any]], int]:
        check_is_fitted(self)
        if not hasattr(self, "n_features_in_"):
            return frame_columns(X, self._used), row_count(X)
        X = self._read(X, reset=False)
        return self._columns(X, self._used), row_count(X)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row.

        If ``uncovered`` or ``conflict`` is ``"abstain"``, ``undecided`` stands where the rules do not
        decide.
        """
        columns, rows = self._used_columns(X)
        codes = self._model.predict(columns, rows, self._policy())
        if "abstain" not in self._policy():
            return self.classes_[self._label_places[codes]]
        decided = codes >= 0
        labels = np.full(rows, self.undecided, dtype=self._undecided_dtype())
        labels[decided] = self.classes_[self._label_places[codes[decided]]]
        return labels

    def _undecided_dtype(self) -> Any:
        """The type of an array of labels and of ``undecided``."""
        if self.undecided is None:
            return object
        if self.undecided in self.classes_.tolist():
            raise parameters.refuse("undecided", "no label of y", self.undecided)
        # A label of another type must not change that of the others.
        both = np.array([self.undecided]).dtype, self.classes_.dtype
        alike = both[0].kind == both[1].kind and both[0].kind in "iufUS"
        return np.result_type(*both) if alike else object

    def predict_proba(self, X: Any) -> np.ndarray:
        """The share of each class among the training rows that the rules which fire cover (among
        all training rows, if none does); zero for rows that ``predict`` leaves undecided.

        With ``alpha``, the class that ``predict`` names has the precision of its best rule that fires, with
        one more row on either side, and the others share the rest by their training rows; where no rule
        fires, it is the share of each class among the training rows that no rule covers."""
        columns, rows = self._used_columns(X)
        shares = self._model.shares(columns, rows, self._policy())
        proba = np.zeros((rows, len(self.classes_)))
        proba[:, self._label_places] = shares
        return proba

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows whose class is predicted; rows left undecided are not."""
        columns, rows = self._used_columns(X)
        codes = self._model.predict(columns, rows, self._policy())
        right = (codes >= 0) & (self.classes_[self._label_places[codes]] == column_or_1d(y))
        return float(np.average(right, weights=sample_weight))

    def fired_rules(self, X: Any) -> csr_matrix:
        """Which rules fire on which rows: a sparse matrix of shape (n_samples, n_rules). With ``order``, a
        rule that fires holds only where none of an earlier class does."""
        columns, rows = self._used_columns(X)
        starts, numbers = self._model.fired(columns, rows)
        return csr_matrix((np.ones(len(numbers), dtype=bool), numbers, starts), shape=(rows, self.n_rules_))

    def explain(self, x: Any, fixed: Sequence[str] = ()) -> Explanation | list[Explanation]:
        """Why a row is what the model says, and what would make it something else.

        Parameters
        ----------
        x : a row, or several
            A frame or an array, a sequence of values, a dict, or a pandas Series. Of several rows, as
            a frame, a two-dimensional array or a list of rows, there is a list of explanations.
        fixed : names of columns
            Columns that nobody can change, such as an age: no advice is to change them.
        """
        columns, rows = self._used_columns(self._rows(x))
        names = [fixed] if isinstance(fixed, str) else [str(name) for name in fixed]
        said = json.loads(self._model.explain(columns, rows, self._policy(), names))
        explained = [self._explanation(of_row) for of_row in said]
        return explained[0] if rows == 1 else explained

    def _explanation(self, said: dict) -> Explanation:
        label = self.classes_[self._label_places].tolist()
        counterfactuals = tuple(
            Counterfactual(
                class_=label[other["label"]],
                changes=tuple(
                    Change(c["column"], c["from"], c["to"], tuple(c["conditions"])) for c in other["changes"]
                ),
                rule=None if other["rule"] is None else self.rules_[other["rule"]],
                fewest=other["fewest"],
            )
            for other in said["counterfactuals"]
        )
        return Explanation(
            class_=None if said["label"] is None else label[said["label"]],
            decided_by=said["decided_by"],
            rules=tuple(self.rules_[number] for number in said["rules"]),
            counterfactuals=counterfactuals,
            otherwise=said["decided_by"] == "uncovered"
            and self.uncovered == "default"
            and self.otherwise_ is not None,
            ordered=self.order_ is not None,
            out_of_reach=tuple(
                OutOfReach(label[other["label"]], other["proven"]) for other in said["out_of_reach"]
            ),
            advised_values_occur=said["advised_values_occur"],
        )

    def _rows(self, x: Any) -> Any:
        check_is_fitted(self)
        if is_frame(x) or getattr(x, "ndim", 1) == 2:
            return x
        if isinstance(x, (list, tuple)) and x and all(isinstance(row, (list, tuple)) for row in x):
            return np.array(x, dtype=object)
        if hasattr(x, "to_dict"):
            x = x.to_dict()
        if isinstance(x, dict):
            import pandas

            names = self._names() if hasattr(self, "n_features_in_") else list(x)
            lacking = self._used.difference(x)
            if lacking:
                raise ValueError(f"x has no value for {sorted(lacking)}, which rules test")
            return pandas.DataFrame({name: pandas.Series([x.get(name)], dtype=object) for name in names})
        row = np.empty((1, len(x)), dtype=object)
        row[0] = list(x)
        return row

    # ------------------------------------------------------------------ for people

    def rules_frame(self) -> Any:
        """The rules as a pandas DataFrame; with ``order``, it has the place of their class in it, from 1."""
        check_is_fitted(self)
        import pandas

        of_rules = {
            "rule": [" and ".join(rule.phrases) for rule in self.rules_],
            "class": [rule.class_ for rule in self.rules_],
            **({} if self.order_ is None else {"place": self._places_in_order()}),
            "support": [rule.support for rule in self.rules_],
        }
        if self._sparse:
            of_rules["wrong"] = [rule.wrong for rule in self.rules_]
            of_rules["precision"] = [rule.precision for rule in self.rules_]
        return pandas.DataFrame({**of_rules, "size": [rule.size for rule in self.rules_]})

    def _places_in_order(self) -> list[int]:
        """The place of each rule's class in the order, from 1."""
        return [self.order_.index(rule.class_) + 1 for rule in self.rules_]

    def export(self, to: str = "text", path: str | os.PathLike | None = None, style: str = "words") -> str:
        """The model in another form: ``text``, ``json``, ``python``, ``sql``, ``rust``, ``c``,
        ``pmml``, ``latex``, ``markdown`` or ``html``; also written to a file if a path is given.
        Conditions are said in ``words``, or in ``symbols``, one by one as they are counted."""
        check_is_fitted(self)
        text = self._model.export(to, self._policy(), style)
        if path is not None:
            _core.write_text(path, text)
        return text

    def report(self, path: str | os.PathLike, curve: Curve | None = None, style: str = "words") -> None:
        """Writes one page about the model and its training data, to look at in a browser. Conditions are
        said in ``words``, or in ``symbols``.

        With a curve of the same data, the page shows size against errors, and the rules of each of its sets.
        The training data are not pickled: after unpickling, ``fit`` again first.
        """
        check_is_fitted(self)
        if self._training is None:
            raise ValueError("the training data are not kept on file: report needs a model fitted here")
        problem, outcome = self._training
        points = [
            (
                of.model._with_policy(),
                str(of.alpha),
                of.alpha_from,
                of.alpha_to,
                of.status == "optimal",
                of.expected(),
            )
            for of in curve or []
        ]
        _core.write_text(path, problem.report(self._with_policy(), outcome, points, style))

    def check_proof(self, path: str | os.PathLike) -> str:
        """Checks the certificates that ``fit`` wrote to the folder ``proof``, by the training data and with
        code that shares nothing with the solvers. Returns what they prove, in words; raises ``ValueError``
        if the rules or the certificates do not hold.

        The training data are not pickled: after unpickling, use ``minrule check``, or ``fit`` again.
        """
        check_is_fitted(self)
        if self._training is None:
            raise ValueError("the training data are not kept on file: check_proof needs a model fitted here")
        problem, _ = self._training
        faults = problem.faults(self._with_policy(), path)
        if faults:
            raise ValueError(f"the proof is refused: {'; '.join(faults)}")
        return f"The proof holds. {self.proof_}"

    def plot_coverage(self, ax: Any = None) -> Any:
        """Draws which share of its class each rule covers, with matplotlib; returns the axes."""
        check_is_fitted(self)
        return _display.plot_coverage(self, ax)

    def _repr_html_inner(self) -> str:
        return _display.html(self) if hasattr(self, "rules_") else super()._repr_html_inner()

    @property
    def _repr_html_(self):
        return self._repr_html_inner

    def _repr_mimebundle_(self, **kwargs: Any) -> dict:
        return {"text/plain": repr(self), "text/html": self._repr_html_inner()}

    # ------------------------------------------------------------------ on file

    def _with_policy(self) -> _core.Model:
        """The model with the policy that is set now."""
        if self._training is None:
            return self._model.with_policy(self._policy())
        # How many rows a sparse set gets wrong depends on it, and is counted again.
        problem, outcome = self._training
        expected = None if self.expected_ is None else json.dumps(self.expected_)
        return problem.model(outcome, self._policy(), expected)

    def to_json(self, path: str | os.PathLike | None = None) -> str:
        """The model as JSON, which ``minrule predict`` and the other commands read too; also
        written to a file if a path is given."""
        check_is_fitted(self)
        data = json.loads(self._with_policy().to_json())
        data["python"] = {
            "labels": _labels.to_json(self.classes_),
            "status": self.status_,
            "weight_scale": self._weight_scale,
            "undecided": _plain(self.undecided),
            "alpha": _plain(self.alpha),
            "otherwise": None if self.otherwise is None else str(self.otherwise),
            "order": self._order_texts(),
            "n_features": getattr(self, "n_features_in_", None),
            "feature_names": list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None,
        }
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        if path is not None:
            _core.write_text(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | os.PathLike) -> DecisionSetClassifier:
        """Reads what ``to_json`` or ``minrule learn --model`` wrote: a path, or the text itself."""
        if isinstance(source, str) and source.lstrip().startswith("{"):
            text = source
        else:
            text = Path(source).read_text(encoding="utf-8")
        model = _core.Model.from_json(text)
        data = json.loads(text)
        saved = data.get("python", {})
        decision_set, provenance = data["decision_set"], data["provenance"]
        method = provenance["method"]
        enumerates = method == "enumerate"
        binarise, spelling = provenance["binarise"], provenance.get("spelling", {})
        by_intervals = binarise["numeric"] == "intervals"
        self = cls(
            objective=decision_set["objective"],
            alpha=saved.get("alpha") or decision_set.get("alpha"),
            method=method,
            rules=provenance["enumerate"]["rules"] if enumerates else None,
            break_symmetry=provenance["enumerate"]["break_symmetry"] if enumerates else None,
            cover=provenance["cover"] if method in ("lazy", "enumerate") else None,
            opt_model=provenance["opt"]["model"] if method == "opt" else None,
            opt_search=provenance["opt"]["search"] if method == "opt" else None,
            numeric=binarise["numeric"],
            # Models of earlier versions say otherwise how many thresholds there are.
            cuts=None if by_intervals else binarise.get("cuts", binarise["intervals"]),
            intervals=binarise["intervals"] if by_intervals else None,
            cut="width" if by_intervals and binarise["cut"] == "width" else None,
            negations=binarise["negations"],
            max_values=binarise.get("max_values", _ALL_VALUES),
            missing=provenance["missing"],
            missing_values=spelling.get("missing") or None,
            categorical=spelling.get("categorical") or None,
            numeric_columns=spelling.get("numeric") or None,
            decimal=spelling.get("decimal", "."),
            ignore=provenance["ignored"] or None,
            **data["policy"],
        )
        labels = saved.get("labels") or {"kind": "str", "classes": sorted(data["labels"])}
        self.classes_ = _labels.from_json(labels)
        self._weight_scale = saved.get("weight_scale", 1)
        self.undecided = saved.get("undecided")
        self.target_ = decision_set["target"]
        conflicts = decision_set["conflicts"]
        self.conflicts_ = {**conflicts, "rows_dropped": self._weight(conflicts["rows_dropped"])}
        if saved.get("n_features") is not None:
            self.n_features_in_ = saved["n_features"]
        if saved.get("feature_names") is not None:
            self.feature_names_in_ = np.array(saved["feature_names"], dtype=object)
        self._training = None
        self._set_model(model)
        if self._sparse:
            # A file of the command line does not say whether the class was chosen or asked for.
            asked = saved.get("otherwise", "none" if self.otherwise_ is None else "a label")
            self.otherwise = asked if asked in (None, "auto", "none") else self.otherwise_
            order = saved.get("order", decision_set.get("order"))
            self.order = _labels.order_from_json(order, self.classes_)
        return self

    def __getstate__(self) -> dict:
        state = super().__getstate__()
        if "_model" in state:
            # The training data stay here; what was learned from them travels as plain text, which any
            # way of saving objects can read. All else about the model follows from it.
            state = {name: value for name, value in state.items() if name not in _OF_MODEL}
            state = {**state, "_training": None, "_model": self._model.to_json()}
        return state

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        if isinstance(state.get("_model"), str):
            self._set_model(_core.Model.from_json(state["_model"]))


def _solve_class(task: _core.Task, position: int, options: dict, end: float | None) -> _core.Outcome:
    return task.learn({**options, "time_limit": _folds.seconds_to(end)}, [position])


def _all_whole(weights: np.ndarray) -> bool:
    # Relative: 0.1 + 0.2 is a weight of three tenths.
    return bool(np.allclose(weights, np.rint(weights), rtol=1e-12, atol=0) and weights.sum() < 2**53)


def _plain(value: Any) -> Any:
    """A value as JSON can say it, or nothing."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, (str, int, float)) else None


def _operand(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
