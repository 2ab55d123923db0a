"""scikit-learn's own checks, every one of them: none may be skipped."""

import pytest
from minrule import Binariser, DecisionSetClassifier
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


@pytest.mark.filterwarnings("ignore::minrule.DataWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_every_check_passes(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail="raise")
    assert len(results) > 40
    assert {result["status"] for result in results} == {"passed"}
