"""The tutorial says what the program says, and a kernel can be interrupted."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
jupyter_client = pytest.importorskip("jupyter_client")
pytest.importorskip("ipykernel")

DOCS = Path(__file__).parents[2] / "docs"
TUTORIAL = DOCS / "tutorial.ipynb"

#: Seconds that a kernel may take to start or a page to run. Only a kernel that hangs takes so long.
PATIENCE = 120


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """The name of a kernel that is the interpreter of these tests, whatever else is installed."""
    spec = tmp_path / "kernels" / "under-test" / "kernel.json"
    spec.parent.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": argv, "display_name": "under test", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    # Nobody's own settings.
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    return "under-test"


# ---------------------------------------------------------------------- the tutorial


def said(cell) -> list[tuple[str, str]]:
    """What a cell printed and showed, without pictures."""
    outputs: list[tuple[str, str]] = []
    for output in cell.outputs:
        if output.output_type == "stream":
            if outputs and outputs[-1][0] == output.name:
                outputs[-1] = (output.name, outputs[-1][1] + output.text)
            else:
                outputs.append((output.name, output.text))
        elif output.output_type == "error":
            outputs.append(("error", output.evalue))
        else:
            outputs.append((output.output_type, output.data.get("text/plain", "")))
    return outputs


def test_the_tutorial_is_not_stale(kernel):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    stored = nbformat.read(TUTORIAL, as_version=4)
    nbformat.validate(stored)
    run = nbformat.read(TUTORIAL, as_version=4)
    client = nbclient.NotebookClient(
        run, timeout=PATIENCE, kernel_name=kernel, resources={"metadata": {"path": str(DOCS)}}
    )
    client.execute()
    for old, new in zip(stored.cells, run.cells):
        if old.cell_type == "code":
            assert said(new) == said(old), f"the page says something else after:\n{old.source}"


def test_the_tutorial_stores_outputs_that_everybody_gets():
    cells = nbformat.read(TUTORIAL, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    for kind, text in (output for cell in code for output in said(cell)):
        assert kind not in ("stderr", "error")
        for of_one_machine in (" at 0x", "/tmp/", "/home/", "site-packages"):
            assert of_one_machine not in text


# ---------------------------------------------------------------------- interruption

#: Random rows and random labels: the proof takes far longer than anybody waits. The first two rows
#: contradict each other; there is no other such pair.
FIT = """
import json
import numpy as np
from minrule import DecisionSetClassifier

random = np.random.RandomState(0)
X, y = random.randint(0, 2, (400, 40)), random.randint(0, 2, 400)
X[1], y[:2] = X[0], (0, 1)
print("fitting", flush=True)
model = DecisionSetClassifier().fit(X, y)
agrees = bool((model.predict(X[2:]) == y[2:]).all())
bound = bool(model.lower_bound_ < model.size_)
print(json.dumps({"status": model.status_, "agrees": agrees, "bound": bound}))
"""


class Kernel:
    """A kernel that runs cells while we look on."""

    def __init__(self, name: str):
        self.manager = jupyter_client.KernelManager(kernel_name=name)
        self.manager.start_kernel()
        self.client = self.manager.blocking_client()

    def __enter__(self) -> Kernel:
        self.client.start_channels()
        try:
            self.client.wait_for_ready(timeout=PATIENCE)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def messages(self, cell: str):
        """What the kernel publishes about a cell, until it is idle again."""
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") != cell:
                continue
            content = message["content"]
            if message["msg_type"] == "status" and content["execution_state"] == "idle":
                return
            yield message["msg_type"], content

    def printed(self, cell: str, until: str | None = None) -> str:
        """What a cell prints, up to a text or to its end; what it raises is raised."""
        text = ""
        for kind, content in self.messages(cell):
            if kind == "error":
                raise AssertionError("\n".join(content["traceback"]))
            if kind == "stream" and content["name"] == "stdout":
                text += content["text"]
                if until is not None and until in text:
                    return text
        return text

    def status(self, cell: str) -> str:
        """How a cell ended: ``ok`` or ``error``."""
        while True:
            reply = self.client.get_shell_msg(timeout=PATIENCE)
            if reply["parent_header"].get("msg_id") == cell:
                return reply["content"]["status"]


def test_a_kernel_that_is_interrupted_keeps_the_best_set(kernel):
    with Kernel(kernel) as running:
        cell = running.client.execute(FIT)
        assert "fitting" in running.printed(cell, until="fitting")
        time.sleep(1.5)
        running.manager.interrupt_kernel()
        result = json.loads(running.printed(cell))
        assert running.status(cell) == "ok"
        assert result == {"status": "interrupted", "agrees": True, "bound": True}

        # The kernel is as good as before, and so is the model.
        cell = running.client.execute("print(len(model.rules_) == model.n_rules_, sum(range(10)))")
        assert running.printed(cell) == "True 45\n"
        assert running.status(cell) == "ok"
        cell = running.client.execute("print(DecisionSetClassifier().fit([[0], [1]], [0, 1]).status_)")
        assert running.printed(cell) == "optimal\n"
