"""The learners, behind one small interface.

Each method has `fit(X, y)`, `predict(X)`, `chances(X)` and `rules()`. X is a data frame, y the classes as
strings. `chances` has a column for each of `classes`. `rules()` is a list of (literals, outcome): what is
counted is what the report shows, so a count cannot differ from the model that a reader sees. A rule without
literals is an "else" (or a constant that is added). A model that has no rules says None.

Libraries are imported where they are used: one that is missing or broken fails only its own methods.
Each is used with its defaults and a fixed seed, except where a comment says otherwise.
"""

import collections
import contextlib
import hashlib
import json
import math
import pathlib
import tempfile
import time

import numpy as np
import pandas as pd

from literals import MISSING, Encoder, Flag, Outside, Range, bit, plain, tidy

SEED = 0


class Minrule:
    """Gets the table as it is."""

    def __init__(self, seconds, **parameters):
        from minrule import DecisionSetClassifier

        self.model = DecisionSetClassifier(time_limit=seconds, n_jobs=1, **parameters)
        self.seconds_before = 0

    def fit(self, X, y, numbers):
        with self.folds_once(X, y):
            self.model.fit(X, y)
        self.classes = self.model.classes_
        self.detail, self.alpha = self.model.status_, self.model.alpha_

    def predict(self, X):
        return self.model.predict(X)

    def chances(self, X):
        return self.model.predict_proba(X)

    def rules(self):
        rules = [([self.literal(c) for c in rule.conditions], str(rule.class_)) for rule in self.model.rules_]
        # Its own counts and ours must agree; if not, the row says so instead of giving a number.
        literals = sum(len(conditions) for conditions, _ in rules)
        ours = (len(rules), literals, len(rules) + literals)
        theirs = (self.model.n_rules_, self.model.n_literals_, self.model.size_)
        if ours != theirs:
            raise ValueError(f"rules, literals, size are {ours} by rules_, but {theirs} by the attributes")
        otherwise = self.model.otherwise_
        return rules if otherwise is None else rules + [([], str(otherwise))]

    @contextlib.contextmanager
    def folds_once(self, X, y):
        """Ways to choose differ only in what they make of the folds: what these came to is kept for the next one, together
        with the seconds that it took, which count for both."""
        from minrule import _core, _folds

        built = pathlib.Path(_core.__file__).stat().st_mtime_ns
        known_by = f"{built} {self.model.time_limit} {X.to_csv()}{y.to_csv()}"
        do, name = _folds.scores_of, hashlib.sha256(known_by.encode()).hexdigest()
        kept = pathlib.Path(tempfile.gettempdir()) / f"minrule-folds-{name}.json"

        def scores_of(*arguments):
            if not kept.exists():
                start = time.process_time()
                scores = do(*arguments)
                kept.write_text(json.dumps([scores, time.process_time() - start]))
                return scores
            scores, self.seconds_before = json.loads(kept.read_text())
            return scores

        _folds.scores_of = scores_of
        yield
        _folds.scores_of = do

    @staticmethod
    def literal(condition):
        column, op, value = condition.feature, condition.op, condition.value
        if op.endswith("missing"):
            return Flag(column, MISSING, op == "is missing")
        if op in ("=", "!="):
            return Flag(column, f"{value:g}" if isinstance(value, float) else str(value), op == "=")
        kind = Outside if op.startswith("not") else Range
        if isinstance(value, (list, tuple)):
            above, upto = (-math.inf if value[0] is None else value[0]), (math.inf if value[1] is None else value[1])
            return kind(column, above, upto)
        # Whether the end itself is meant matters neither to the count nor to which way the number is bounded.
        return kind(column, -math.inf, value) if "<" in op else kind(column, value, math.inf)


class Numeric:
    """Learners that need numbers: each table is encoded by its training rows."""

    def fit(self, X, y, numbers):
        self.encoder = Encoder(numbers).fit(X)
        self.classes = np.unique(y)
        self.learn(self.encoder.transform(X), y.to_numpy())

    def predict(self, X):
        return self.say(self.encoder.transform(X))

    def chances(self, X):
        return self.weigh(self.encoder.transform(X))


class Tree(Numeric):
    """A tree of scikit-learn, or one that can be turned into it. One leaf is one rule."""

    def __init__(self, seconds=None):
        from sklearn.tree import DecisionTreeClassifier

        self.model = DecisionTreeClassifier(random_state=SEED)

    def learn(self, X, y):
        self.model.fit(X.to_numpy(), y)

    def say(self, X):
        return self.model.predict(X.to_numpy())

    def weigh(self, X):
        return self.model.predict_proba(X.to_numpy())

    def node(self, place):
        """A leaf's class, or a test (column, threshold) with those below it: not above, above."""
        tree = self.sklearn_tree()
        if tree.children_left[place] < 0:
            return self.classes[int(np.argmax(tree.value[place][0]))], None
        return (tree.feature[place], tree.threshold[place]), (tree.children_left[place], tree.children_right[place])

    def sklearn_tree(self):
        return self.model.tree_

    def rules(self, root=0):
        def walk(place):
            test, below = self.node(place)
            if below is None:
                return [([], str(test))]
            no, yes = walk(below[0]), walk(below[1])
            # Two leaves of one class are one rule: the test between them decides nothing.
            if no == yes and len(no) == 1:
                return no
            return [([self.encoder.test(*test, above)] + path, outcome)
                    for above, side in enumerate((no, yes)) for path, outcome in side]

        return [(tidy(path), outcome) for path, outcome in walk(root)]


class TunedTree(Tree):
    """Pruned by cost complexity; how much is chosen by 5-fold cross-validation within the training rows."""

    CANDIDATES = 20

    def learn(self, X, y):
        from sklearn.model_selection import GridSearchCV, StratifiedKFold

        X = X.to_numpy()
        alphas = self.model.cost_complexity_pruning_path(X, y).ccp_alphas.clip(min=0)
        alphas = np.unique(np.quantile(alphas, np.linspace(0, 1, self.CANDIDATES)))
        folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
        # Largest first: of equally good ones, the search keeps the first, which is the smallest tree.
        search = GridSearchCV(self.model, {"ccp_alpha": alphas[::-1]}, cv=folds, error_score="raise")
        self.model = search.fit(X, y).best_estimator_


class OptimalTree(Tree):
    """The tree with the least (share of errors + 0.01 * leaves), proven, if time allows.

    0.01 instead of the library's 0.05, with which a leaf must repair five of a hundred rows.
    """

    def __init__(self, seconds):
        from imodels import FastSmallTreeClassifier

        self.model = FastSmallTreeClassifier(regularization=0.01, time_limit=seconds)

    @classmethod
    def warm_up(cls):
        """Its search is compiled when first used: that is no part of the time to fit."""
        cls(1).model.fit(np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 2), np.array([0, 1, 1, 0] * 2))

    def learn(self, X, y):
        super().learn(X, y)
        self.detail = "optimal" if self.model.optimal_ else "time_limit"

    def sklearn_tree(self):
        return self.model.estimator_.tree_


class Streed(Tree):
    """The tree of at most so many levels with the fewest errors; how many tests it has is chosen by the
    library's own cross-validation, which by default it is not.

    Four levels, not the library's three, unless there are many columns: tuning would not end. It gets no time
    limit, since the library ends the whole process when it reaches one while tuning.
    """

    MANY, CUTS = 40, 5

    def __init__(self, seconds=None):
        from pystreed import STreeDClassifier

        self.model = STreeDClassifier(hyper_tune=True, n_thresholds=self.CUTS, random_seed=SEED)

    def learn(self, X, y):
        codes = np.searchsorted(self.classes, y)
        columns = sum(1 if X[name].isin([0, 1]).all() else self.CUTS for name in X)
        self.model.set_params(max_depth=3 if columns > self.MANY else 4).fit(X, codes)
        self.detail = "optimal" if self.model.fit_result.is_optimal() else "time_limit"
        # It cuts numbers by itself, and says where in the names of its columns.
        names = [name.split(" <= ") for name in self.model.binarizer_.transform(X.head(2)).columns]
        self.tests = [(int(name[0][1:]), float(name[1]) if name[1:] else None) for name in names]
        leaves = self.leaves(X)
        self.shares = {leaf: np.bincount(codes[leaves == leaf], minlength=len(self.classes)) / (leaves == leaf).sum()
                       for leaf in set(leaves)}

    def say(self, X):
        return self.classes[self.model.predict(X)]

    def weigh(self, X):
        even = np.full(len(self.classes), 1 / len(self.classes))
        return np.array([self.shares.get(leaf, even) for leaf in self.leaves(X)])

    def leaves(self, X):
        """For each row the way to its leaf."""
        bits = self.model.binarizer_.transform(X).to_numpy()

        def way(row):
            node, path = self.model.tree_, ""
            while not node.is_leaf_node():
                yes = row[node.feature]
                node, path = (node.right_child if yes else node.left_child), path + str(int(yes))
            return path

        return np.array([way(row) for row in bits])

    def node(self, node):
        if node.is_leaf_node():
            return self.classes[node.label], None
        column, threshold = self.tests[node.feature]
        # Its features say "is 1" or "is at most".
        below = (node.left_child, node.right_child)
        return (column, threshold), below if threshold is None else below[::-1]

    def rules(self):
        return super().rules(self.model.tree_)


class Figs(Numeric):
    """A sum of small trees: each leaf adds a number to each class, and the largest sum wins."""

    def __init__(self, seconds=None):
        from imodels import FIGSClassifier

        self.model = FIGSClassifier(random_state=SEED)

    def learn(self, X, y):
        self.model.fit(X.to_numpy(), np.searchsorted(self.classes, y))

    def say(self, X):
        return self.classes[self.model.predict(X.to_numpy()).astype(int)]

    def weigh(self, X):
        return self.model.predict_proba(X.to_numpy())

    def rules(self):
        rules = []

        def walk(node, path):
            if node.left is None:
                votes = [f"{v:+.2f} to {c}" for c, v in zip(self.classes, np.ravel(node.value)) if abs(v) >= 0.005]
                rules.append((tidy(path), "add " + (", ".join(votes) or "nothing")))
                return
            for above, below in enumerate((node.left, node.right)):
                walk(below, path + [self.encoder.test(node.feature, node.threshold, above)])

        for root in self.model.trees_:
            walk(root, [])
        return rules


class OneVersusRest(Numeric):
    """For learners of two classes: with more, one model for each class against the others.

    With two classes there is one model, of the rarer class, as is usual for rule learners.
    """

    def learn(self, X, y):
        counts = collections.Counter(y)
        # By frequency, then by name, so that the order of the rows does not matter.
        by_frequency = sorted(counts, key=lambda c: (counts[c], c))
        self.default = by_frequency[-1]
        self.parts = by_frequency[:1] if len(by_frequency) == 2 else sorted(by_frequency)
        self.models = [self.fit_one(X, (y == c).astype(int)) for c in self.parts]

    def other(self, part):
        return self.default if len(self.parts) == 1 else f"not {part}"


class Scored(OneVersusRest):
    """Learners that give a probability: above 1/2 with two classes, the highest one with more."""

    def fit_one(self, X, y):
        return self.make().fit(X.to_numpy(), y)

    def scores(self, X):
        return np.array([model.predict_proba(X.to_numpy())[:, 1] for model in self.models])

    def say(self, X):
        scores = self.scores(X)
        if len(self.parts) == 1:
            return np.where(scores[0] > 0.5, self.parts[0], self.default)
        return np.array(self.parts)[scores.argmax(axis=0)]

    def weigh(self, X):
        scores = self.scores(X)
        if len(self.parts) == 1:
            places = [[self.parts[0], self.default].index(c) for c in self.classes]
            return np.array([scores[0], 1 - scores[0]])[places].T
        return scores.T / scores.sum(axis=0).clip(min=1e-9)[:, None]


class RuleList(Scored):
    """if ... else if ... else: each rule has one condition."""

    def __init__(self, seconds=None):
        from imodels import GreedyRuleListClassifier

        self.make = GreedyRuleListClassifier

    def rules(self):
        rules = []
        for part, model in zip(self.parts, self.models):
            def outcome(p):
                return f"{part if p > 0.5 else self.other(part)} (chance of {part}: {p:.2f})"

            *steps, last = model.rules_
            for step in steps:
                test = self.encoder.test(step["index_col"], step["cutoff"], not step["flip"])
                rules.append(([test], outcome(step["val_right"])))
            rules.append(([], outcome(last["val"])))
        return rules


class RuleFit(Scored):
    """A weighted sum of rules and of single columns (L1-regularised logistic regression)."""

    def __init__(self, seconds=None):
        from imodels import RuleFitClassifier

        self.make = lambda: RuleFitClassifier(random_state=SEED)

    def rules(self):
        rules = []
        for part, model in zip(self.parts, self.models):
            def outcome(weight):
                return f"add {weight:+.2f} to {part}"

            rules.append(([], outcome(float(np.ravel(model.intercept)[0]))))
            for place, (_, weight) in enumerate(zip(self.encoder.parts, model.coef)):
                if weight != 0:
                    rules.append(([self.term(place)], outcome(weight)))
            for rule in model.rules_without_feature_names_:
                tests = [self.encoder.test(int(feature[2:]), float(value), operator[0] == ">")
                         # A rule that says only "X_0 == X_0" is a constant.
                         for (feature, operator), value in rule.agg_dict.items() if operator != "=="]
                rules.append((tidy(tests), outcome(rule.args[0])))
        return rules

    def term(self, place):
        """A column with a weight: of a number, the more the more."""
        column, value = self.encoder.parts[place]
        return Range(column, 0, math.inf) if value is None else self.encoder.test(place, 0, True)


class Covering(OneVersusRest):
    """Rules for a class, the rest is "else".

    With more than two classes, of those whose rules cover a row the one wins whose rules are right most
    often on the training rows they cover; a row that no rule covers gets the most frequent class. The
    chances are those of the classes among the training rows of the same verdict.
    """

    def learn(self, X, y):
        super().learn(X, y)
        said = self.say(X)
        # Laplace's correction, as below.
        self.shares = {c: np.array([((y == other) & (said == c)).sum() + 1 for other in self.classes])
                       for c in self.classes}

    def trust(self, covered, y):
        """Laplace's correction: one right answer alone is worth less than many."""
        return (y[covered].sum() + 1) / (covered.sum() + 2)

    def say(self, X):
        trust = np.array([np.where(self.covered(model, X), model.trust, -1) for model in self.models])
        best = np.array(self.parts)[trust.argmax(axis=0)]
        return np.where(trust.max(axis=0) < 0, self.default, best)

    def weigh(self, X):
        return np.array([self.shares[c] / self.shares[c].sum() for c in self.say(X)])

    def rules(self):
        rules = [(tidy(self.words(rule)), part) for part, model in zip(self.parts, self.models)
                 for rule in self.rules_of(model)]
        return rules + [([], self.default)]


class Ripper(Covering):
    """RIPPER or IREP. They know categories, so they get them as they are."""

    def __init__(self, name):
        import wittgenstein

        self.make = getattr(wittgenstein, name)

    def fit(self, X, y, numbers):
        self.encoder = Encoder(numbers).fit(X)
        self.names, self.classes = list(X.columns), np.unique(y)
        self.learn(self.frame(X), y.to_numpy())

    def predict(self, X):
        return self.say(self.frame(X))

    def chances(self, X):
        return self.weigh(self.frame(X))

    def frame(self, X):
        """The library has its own ideas about some column names."""
        return plain(X, self.encoder).set_axis([f"c{i}" for i in range(X.shape[1])], axis=1)

    def fit_one(self, X, y):
        model = self.make(random_state=SEED)
        model.fit(X, y=pd.Series(y, name="class"), pos_class=1)
        model.trust = self.trust(self.covered(model, X), y)
        return model

    def covered(self, model, X):
        return np.array(model.predict(X), dtype=bool)

    def rules_of(self, model):
        return model.ruleset_.rules

    def words(self, rule):
        return [self.literal(self.names[int(c.feature[1:])], c.val) for c in rule.conds]

    def literal(self, column, value):
        if column not in self.encoder.numbers:
            return bit(column, value) if not isinstance(value, str) or value in "01" else Flag(column, value, True)
        if not isinstance(value, str):  # a number of few values
            return Range(column, value, value)
        if value[0] in "<>":
            bound = float(value[1:])
            return Range(column, -math.inf, bound) if value[0] == "<" else Range(column, bound, math.inf)
        return Range(column, *map(float, value.split(" - ")))


class Brcg(Covering):
    """Boolean rules by column generation, as AIX360 has it: by beam search. It gets every column of 0 and 1
    with its opposite, and numbers cut at deciles with both sides, as the library's own binariser would."""

    CUTS = 9

    def __init__(self, seconds):
        self.seconds = seconds

    def learn(self, X, y):
        self.columns = []
        for place, name in enumerate(X):
            flag = X[name].isin([0, 1]).all()
            deciles = np.quantile(X[name], np.linspace(0, 1, self.CUTS + 2)[1:-1])
            cuts = [0.5] if flag else np.unique(deciles)
            self.columns += [(place, cut, above) for cut in cuts for above in (True, False)]
        super().learn(X, y)

    def bits(self, X):
        table = X.to_numpy()
        bits = {(f"c{place}", ">" if above else "<=", cut): ((table[:, place] > cut) == above).astype(int)
                for place, cut, above in self.columns}
        return pd.DataFrame(bits)

    def fit_one(self, X, y):
        from aix360.algorithms.rbm import BooleanRuleCG

        seconds = self.seconds / (1 if len(self.classes) == 2 else len(self.classes))
        model = BooleanRuleCG(timeMax=seconds, silent=True)
        bits = self.bits(X)
        model.fit(bits, y)
        model.trust = self.trust(self.covered(model, X), y)
        return model

    def covered(self, model, X):
        return np.array(model.predict(self.bits(X)), dtype=bool)

    def rules_of(self, model):
        return model.z.to_numpy()[:, model.w > 0.5].T

    def words(self, rule):
        return [self.encoder.test(*test) for test, chosen in zip(self.columns, rule) if chosen]


class Majority(Numeric):
    """The most frequent class, whatever the row: what a method is worth beyond that."""

    def __init__(self, seconds=None):
        from sklearn.dummy import DummyClassifier

        self.model = DummyClassifier(strategy="prior")

    def learn(self, X, y):
        self.model.fit(X, y)

    def say(self, X):
        return self.model.predict(X)

    def weigh(self, X):
        return self.model.predict_proba(X)

    def rules(self):
        return [([], str(self.classes[self.model.class_prior_.argmax()]))]


class Ebm:
    """A sum of curves, one for each column and for some pairs: accurate, and drawn rather than read.

    Fewer bags than the library's 14, fewer rounds than its 50,000 and fewer pairs than three times the columns:
    else some runs would not end in time. Pairs are for two classes only, as they were in the library for long.
    """

    BAGS, PAIRS, ROUNDS = 4, 10, 1000

    def __init__(self, seconds=None):
        from interpret.glassbox import ExplainableBoostingClassifier

        self.make = lambda **p: ExplainableBoostingClassifier(
            outer_bags=self.BAGS, max_rounds=self.ROUNDS, n_jobs=1, random_state=SEED, **p)

    def fit(self, X, y, numbers):
        self.model = self.make(interactions=self.PAIRS if y.nunique() == 2 else 0).fit(X, y.to_numpy())
        self.classes = self.model.classes_

    def predict(self, X):
        return self.model.predict(X)

    def chances(self, X):
        return self.model.predict_proba(X)

    def rules(self):
        return None


# `stops`: whether it can stop by itself, with the best it has, when its seconds are over.
Entry = collections.namedtuple("Entry", "make package what counted stops", defaults=[False])


def minrule(what, counted="the same", **parameters):
    return Entry(lambda seconds: Minrule(seconds, **parameters), "minrule", what, counted, True)


# `make(seconds)`: those that can stop get that many seconds.
METHODS = {
    "minrule-auto": minrule(
        "`alpha=\"auto\"`: the best trade of errors against size; what size costs is chosen by inner"
        " cross-validation, the most that is no more than one standard error behind the best", "its rules", alpha="auto"),
    "minrule-auto-best": minrule(
        "the same with `choose=\"best\"`: what size costs has the best score", alpha="auto", choose="best"),
    "minrule-3%": minrule("`alpha=\"3%\"`: a literal or rule must save 3 % of the rows", alpha="3%"),
    "minrule-1%": minrule("`alpha=\"1%\"`", alpha="1%"),
    "minrule-0.3%": minrule("`alpha=\"0.3%\"`", alpha="0.3%"),
    "minrule-perfect": minrule("without `alpha`: the smallest decision set that agrees with every training row"),
    "tree-full": Entry(
        Tree, "scikit-learn", "DecisionTreeClassifier, fully grown",
        "a leaf is a rule, the tests on its path are its literals; two leaves of one class below the same test"
        " are merged"),
    "tree-tuned": Entry(
        TunedTree, "scikit-learn", "DecisionTreeClassifier, pruned; ccp_alpha by inner cross-validation",
        "the same"),
    "tree-optimal": Entry(
        OptimalTree, "imodels", "FastSmallTreeClassifier: least errors + 0.01 a leaf, proven if time allows",
        "the same", True),
    "tree-streed": Entry(
        Streed, "pystreed", "STreeDClassifier: fewest errors within so many levels; the number of tests by its own"
        " cross-validation", "the same"),
    "ripper": Entry(lambda seconds: Ripper("RIPPER"), "wittgenstein", "RIPPER", "its rules"),
    "irep": Entry(lambda seconds: Ripper("IREP"), "wittgenstein", "IREP", "its rules"),
    "brcg": Entry(Brcg, "aix360", "BooleanRuleCG: column generation with beam search", "its rules", True),
    "rule-list": Entry(
        RuleList, "imodels", "GreedyRuleListClassifier: if, else if, ..., else",
        "its rules, of one literal each; that a rule also needs all earlier ones to fail is not counted"),
    "figs": Entry(
        Figs, "imodels", "FIGSClassifier: a sum of trees",
        "a leaf of each tree is a rule, the tests on its path are its literals"),
    "rulefit": Entry(
        RuleFit, "imodels", "RuleFitClassifier: a weighted sum of rules",
        "rules whose weight is not 0; single columns with a weight, as rules of one literal"),
    "ebm": Entry(
        Ebm, "interpret-core", "ExplainableBoostingClassifier: a sum of curves, as a ceiling", "it has none"),
    "majority": Entry(
        Majority, "scikit-learn", "DummyClassifier: the most frequent class for every row, as a floor", "it has none"),
}
