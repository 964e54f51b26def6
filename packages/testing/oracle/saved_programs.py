"""Loads the programs that Sconce saves in PyTorch, and compares texts and numbers.

    SCONCE_SAVED_PROGRAMS=FOLDER npx vitest run --config .config/vitest.full.config.ts packages/conformance/src/saved
    py packages/testing/oracle/saved_programs.py FOLDER packages/testing/fixtures

For each program: `torch.export.load` takes the file, `str(ep)` is the text that Sconce prints for the same file, and
`ep.module()` gives the numbers of PyTorch's own program for its example inputs. Prints what differs, and a table for
`docs/concepts/archives.md`. What PyTorch cannot do with its own file does not count against Sconce's.
"""

import collections
import importlib
import json
import logging
import os
import sys
import warnings

import torch
import torch.utils._pytree as pytree

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "programs"))
# Custom operators and classes of the programs.
MODULES = ["seed_programs", "language_programs", "control_flow", "networks", "call_programs", "lowering_programs",
           "custom_operators", "corpus", "transformers.integrations.moe", "torchvision"]
for module in MODULES:
    try:
        importlib.import_module(module)
    except Exception as error:  # noqa: BLE001
        print(f"cannot import {module}: {error}")


def clone(tree):
    return pytree.tree_map(lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf, tree)


def run(program, inputs):
    """Results, and what the inputs hold afterwards."""
    torch.manual_seed(0)
    args, kwargs = clone(inputs)
    result = program.module()(*args, **kwargs)
    return pytree.tree_leaves(result) + pytree.tree_leaves((args, kwargs))


def differs(got, want):
    if isinstance(want, torch.Tensor):
        if got.shape != want.shape or got.dtype != want.dtype or got.device != want.device:
            return True
        if want.device.type == "meta":
            return False
        wide = torch.complex128
        return not torch.allclose(got.to(wide), want.to(wide), rtol=1e-4, atol=1e-5, equal_nan=True)
    if isinstance(want, float):
        return abs(got - want) > 1e-5
    return got != want


class Source:
    """PyTorch's own program: its inputs and results, or why there are none."""

    def __init__(self, path):
        self.problem, self.results = None, None
        try:
            program = torch.export.load(path)
            self.inputs = program.example_inputs
            self.results = run(program, self.inputs) if self.inputs is not None else None
        except BaseException as error:  # noqa: BLE001
            self.problem = f"{type(error).__name__}: {str(error)[:100]}"


def check(folder, name, source):
    """What is wrong with one program: a step and a text; None where all is well."""
    try:
        program = torch.export.load(os.path.join(folder, f"{name}.pt2"))
    except BaseException as error:  # noqa: BLE001
        return ("loaded", str(error)[:200])
    with open(os.path.join(folder, f"{name}.txt"), encoding="utf-8") as file:
        if str(program) != file.read():
            return ("text", "")
    if source.results is None:
        return None
    try:
        results = run(program, source.inputs)
    except BaseException as error:  # noqa: BLE001
        return ("run", f"{type(error).__name__}: {str(error)[:200]}")
    wrong = [i for i, (got, want) in enumerate(zip(results, source.results, strict=True)) if differs(got, want)]
    return ("numbers", f"results {wrong}") if wrong else None


def main(folder, fixtures):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        cases = json.load(file)
    table = collections.defaultdict(collections.Counter)
    sources = {}
    for case in cases:
        path = os.path.join(fixtures, case["source"])
        if path not in sources:
            sources = {path: Source(path)}
        source = sources[path]
        counts = table[case["kind"]]
        counts["saved"] += 1
        found = check(folder, case["name"], source)
        if found is None:
            counts["same"] += 1
            counts["run"] += source.results is not None
        elif source.problem is not None:
            counts["refused"] += 1
            print(f"{case['name']}: PyTorch cannot use its own program: {source.problem}")
        else:
            counts["differ"] += 1
            print(f"{case['name']}: {found[0]} {found[1]}")
    print("| programs | saved | loaded, same text | run, same numbers | PyTorch refuses its own | differ |")
    print("| --- | --- | --- | --- | --- | --- |")
    for kind, counts in table.items():
        columns = [counts[key] for key in ("saved", "same", "run", "refused", "differ")]
        print(f"| {kind} | {' | '.join(map(str, columns))} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
