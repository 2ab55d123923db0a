"""scikit-learn's own checks, every one of them: none may be skipped."""

import pytest
from minrule import Binariser, DecisionSetClassifier, DecisionSetClassifierCV
from sklearn.utils.estimator_checks import check_estimator

ESTIMATORS = [
    DecisionSetClassifier(),
    DecisionSetClassifier(objective="rules", uncovered="nearest", n_jobs=2),
    DecisionSetClassifier(alpha=0.01),
    DecisionSetClassifier(alpha="2rows", otherwise="none", objective="rules", uncovered="nearest", n_jobs=2),
    DecisionSetClassifier(alpha=0.01, order="rarest"),
    Binariser(),
    Binariser(sparse_output=True),
]
# A row that is there twice can be in two folds, and one that counts twice cannot: what scikit-learn's own
# estimators with folds fail, too, and are known to.
FOLDED = [
    DecisionSetClassifier(alpha="auto", choose="best"),
    DecisionSetClassifierCV(cv=2, alphas=[0.1, "1row"]),
    DecisionSetClassifierCV(cv=2, alphas=[0.1, "1row"], order="rarest"),
]
EXPECTED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "folds are made of rows"
    for kind in ("dense", "sparse")
}


@pytest.mark.filterwarnings("ignore::minrule.DataWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_every_check_passes(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail="raise")
    assert len(results) > 40
    assert {result["status"] for result in results} == {"passed"}


@pytest.mark.filterwarnings("ignore::minrule.DataWarning", "ignore:The least populated class")
@pytest.mark.parametrize("estimator", FOLDED, ids=str)
def test_every_check_passes_that_folds_can_pass(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail="raise", expected_failed_checks=EXPECTED)
    assert len(results) > 40
    for result in results:
        assert result["status"] == "passed" or result["check_name"] in EXPECTED
