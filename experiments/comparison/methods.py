"""The learners, behind one small interface.

Each method has `fit(X, y)`, `predict(X)` and `rules()`. X is a data frame of 0/1 columns, y the classes
as strings. `rules()` is a list of (conditions, outcome) in words: what is counted is what the report
shows, so a count cannot differ from the model that a reader sees. A rule without conditions is an
"else" (or a constant that is added).

Libraries are imported where they are used: one that is missing or broken fails only its own methods.
Each is used with its defaults and a fixed seed, except where a comment says otherwise.
"""

import collections

import numpy as np

SEED = 0


def literal(column, value):
    return f"{column} = {int(value)}"


class Minrule:
    def __init__(self, objective, seconds):
        from minrule import DecisionSetClassifier

        self.model = DecisionSetClassifier(objective=objective, time_limit=seconds, n_jobs=1)

    def fit(self, X, y):
        self.model.fit(X, y)
        self.detail, self.lower_bound = self.model.status_, self.model.lower_bound_

    def predict(self, X):
        return self.model.predict(X)

    def rules(self):
        rules = [([str(c) for c in rule.conditions], str(rule.class_)) for rule in self.model.rules_]
        # Its own counts and ours must agree; if not, the row says so instead of giving a number.
        literals = sum(len(conditions) for conditions, _ in rules)
        ours = (len(rules), literals, len(rules) + literals)
        theirs = (self.model.n_rules_, self.model.n_literals_, self.model.size_)
        if ours != theirs:
            raise ValueError(f"rules, literals, size are {ours} by rules_, but {theirs} by the attributes")
        return rules


class Tree:
    """A tree of scikit-learn, or one that can be turned into it. One leaf is one rule."""

    def __init__(self, seconds=None):
        from sklearn.tree import DecisionTreeClassifier

        self.model = DecisionTreeClassifier(random_state=SEED)

    def fit(self, X, y):
        self.names, self.classes = list(X.columns), sorted(set(y))
        self.grow(X.to_numpy(), y.to_numpy())

    def grow(self, X, y):
        self.model.fit(X, y)

    def predict(self, X):
        return self.model.predict(X.to_numpy())

    def sklearn_tree(self):
        return self.model.tree_

    def rules(self):
        tree = self.sklearn_tree()

        # A column of 0 and 1 is tested at most once on a path: there are no redundant tests to merge.
        def walk(node):
            if tree.children_left[node] < 0:
                return [([], self.classes[int(np.argmax(tree.value[node][0]))])]
            no, yes = walk(tree.children_left[node]), walk(tree.children_right[node])
            # Two leaves of one class are one rule: the test between them decides nothing.
            if no == yes and len(no) == 1:
                return no
            name = self.names[tree.feature[node]]
            return ([([literal(name, 0)] + path, outcome) for path, outcome in no]
                    + [([literal(name, 1)] + path, outcome) for path, outcome in yes])

        return walk(0)


class TunedTree(Tree):
    """Pruned by cost complexity; how much is chosen by 5-fold cross-validation within the training rows."""

    CANDIDATES = 20

    def grow(self, X, y):
        from sklearn.model_selection import GridSearchCV, StratifiedKFold

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

    def grow(self, X, y):
        self.model.fit(X, y)
        self.detail = "optimal" if self.model.optimal_ else "time_limit"

    def sklearn_tree(self):
        return self.model.estimator_.tree_


class Figs:
    """A sum of small trees: each leaf adds a number to each class, and the largest sum wins."""

    def __init__(self, seconds=None):
        from imodels import FIGSClassifier

        self.model = FIGSClassifier(random_state=SEED)

    def fit(self, X, y):
        self.names, self.classes = list(X.columns), np.unique(y)
        self.model.fit(X.to_numpy(), np.searchsorted(self.classes, y))

    def predict(self, X):
        return self.classes[self.model.predict(X.to_numpy()).astype(int)]

    def rules(self):
        rules = []

        def walk(node, path):
            if node.left is None:
                votes = [f"{v:+.2f} to {c}" for c, v in zip(self.classes, np.ravel(node.value)) if abs(v) >= 0.005]
                rules.append((path, "add " + (", ".join(votes) or "nothing")))
                return
            name = self.names[node.feature]
            walk(node.left, path + [literal(name, 0)])
            walk(node.right, path + [literal(name, 1)])

        for root in self.model.trees_:
            walk(root, [])
        return rules


class OneVersusRest:
    """For learners of two classes: with more, one model for each class against the others.

    With two classes there is one model, of the rarer class, as is usual for rule learners.
    """

    def fit(self, X, y):
        self.names = list(X.columns)
        counts = collections.Counter(y)
        # By frequency, then by name, so that the order of the rows does not matter.
        self.classes = sorted(counts, key=lambda c: (counts[c], c))
        self.default = self.classes[-1]
        self.parts = self.classes[:1] if len(self.classes) == 2 else sorted(self.classes)
        self.models = [self.fit_one(X, (y == c).to_numpy().astype(int)) for c in self.parts]

    def other(self, part):
        return self.default if len(self.parts) == 1 else f"not {part}"


class Scored(OneVersusRest):
    """Learners that give a probability: above 1/2 with two classes, the highest one with more."""

    def fit_one(self, X, y):
        return self.make().fit(X.to_numpy(), y)

    def predict(self, X):
        scores = np.array([model.predict_proba(X.to_numpy())[:, 1] for model in self.models])
        if len(self.parts) == 1:
            return np.where(scores[0] > 0.5, self.parts[0], self.default)
        return np.array(self.parts)[scores.argmax(axis=0)]


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
                test = literal(self.names[step["index_col"]], 0 if step["flip"] else 1)
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
            for name, weight in zip(self.names, model.coef):
                if weight != 0:
                    rules.append(([literal(name, 1)], outcome(weight)))
            for rule in model.rules_without_feature_names_:
                tests = [literal(self.names[int(feature[2:])], operator[0] == ">")
                         for feature, operator in rule.agg_dict]
                rules.append((tests, outcome(rule.args[0])))
        return rules


class Ripper(OneVersusRest):
    """RIPPER or IREP: rules for one class, the rest is "else".

    With more than two classes, of those whose rules cover a row the one wins whose rules are right most
    often on the training rows they cover; a row that no rule covers gets the most frequent class.
    """

    def __init__(self, name):
        import wittgenstein

        self.make = getattr(wittgenstein, name)

    def fit_one(self, X, y):
        import pandas

        model = self.make(random_state=SEED)
        model.fit(self.frame(X), y=pandas.Series(y, name="class"), pos_class=1)
        covered = self.covered(model, X)
        # Laplace's correction: one right answer alone is worth less than many.
        model.trust = (y[covered].sum() + 1) / (covered.sum() + 2)
        return model

    @staticmethod
    def frame(X):
        """The library has its own ideas about some column names, and it wants rows numbered from 0."""
        return X.set_axis([f"c{i}" for i in range(X.shape[1])], axis=1).reset_index(drop=True)

    def covered(self, model, X):
        return np.array(model.predict(self.frame(X)), dtype=bool)

    def predict(self, X):
        trust = np.array([np.where(self.covered(model, X), model.trust, -1) for model in self.models])
        best = np.array(self.parts)[trust.argmax(axis=0)]
        return np.where(trust.max(axis=0) < 0, self.default, best)

    def rules(self):
        rules = []
        for part, model in zip(self.parts, self.models):
            for rule in model.ruleset_.rules:
                rules.append(([literal(self.names[int(c.feature[1:])], c.val) for c in rule.conds], part))
        return rules + [([], self.default)]


Entry = collections.namedtuple("Entry", "make package what counted")

# `make(seconds)`: those that can stop by themselves, with the best they have, get that many seconds.
METHODS = {
    "minrule-size": Entry(
        lambda seconds: Minrule("size", seconds), "minrule",
        "the smallest decision set: literals plus one per rule",
        "its rules; the class of rows that no rule covers is not counted, since no training row needs it"),
    "minrule-rules": Entry(
        lambda seconds: Minrule("rules", seconds), "minrule",
        "the decision set with the fewest rules", "the same"),
    "tree-full": Entry(
        Tree, "scikit-learn", "DecisionTreeClassifier, fully grown",
        "a leaf is a rule, the tests on its path are its literals; two leaves of one class below the same test"
        " are merged"),
    "tree-tuned": Entry(
        TunedTree, "scikit-learn", "DecisionTreeClassifier, pruned; ccp_alpha by inner cross-validation",
        "the same"),
    "tree-optimal": Entry(
        OptimalTree, "imodels", "FastSmallTreeClassifier: least errors + 0.01 a leaf, proven if time allows",
        "the same"),
    "ripper": Entry(
        lambda seconds: Ripper("RIPPER"), "wittgenstein", "RIPPER",
        "its rules, and one rule without literals for \"else\""),
    "irep": Entry(
        lambda seconds: Ripper("IREP"), "wittgenstein", "IREP", "the same"),
    "rule-list": Entry(
        RuleList, "imodels", "GreedyRuleListClassifier: if, else if, ..., else",
        "its rules, of one literal each, and the \"else\" of each list; that a rule also needs all earlier"
        " ones to fail is not counted"),
    "figs": Entry(
        Figs, "imodels", "FIGSClassifier: a sum of trees",
        "a leaf of each tree is a rule, the tests on its path are its literals"),
    "rulefit": Entry(
        RuleFit, "imodels", "RuleFitClassifier: a weighted sum of rules",
        "rules whose weight is not 0; single columns with a weight, as rules of one literal; the constant,"
        " as a rule without literals"),
}
