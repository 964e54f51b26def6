"""Fills in fixtures/dynamic-shapes/guarded-calls.json.gz: calls on tensors with dynamic sizes, in Python and in TypeScript,
with the text, the guards or the refusal of PyTorch's export of the Python one.

`inputs` are shapes by name, `i64` and `bool` in front of those that are not floats; all elements are 1. `dims` are the
dynamic dimensions by name. `kind` says how they are given: "auto" (the default), "dynamic", "one" (one named Dim for all),
"named" (one for each) or "deferred" (Dim.DYNAMIC, with guards deferred). To add a call, add an entry without `wanted`.

Usage (with PyTorch): python3 guarded_calls.py GUARDED-CALLS.json.gz
"""
import gzip
import json
import logging
import sys
import warnings

import torch
import torch.nn.functional as F  # noqa: F401
from torch import nn
from torch.export import Dim, export

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")
DTYPES = {"i64": torch.int64, "bool": torch.bool}


def tensor(sizes):
    dtype = DTYPES.get(sizes[0] if sizes else None)
    return torch.ones(sizes) if dtype is None else torch.ones(sizes[1:], dtype=dtype)


def model(python, names):
    body = python if "return " in python else f"return {python}"
    lines = "\n        ".join(body.split("\n"))
    scope = {"torch": torch, "F": F, "nn": nn}
    exec(f"class Model(nn.Module):\n    def forward(self, {', '.join(names)}):\n        {lines}", scope)
    return scope["Model"]()


def shapes(dims, names, kind):
    def dim(name, at):
        if kind == "auto": return Dim.AUTO
        if kind in ("dynamic", "deferred"): return Dim.DYNAMIC
        return Dim("n" if kind == "one" else f"{name}{at}")
    return {name: {at: dim(name, at) for at in dims.get(name, [])} for name in names}


def wanted(entry):
    names = list(entry["inputs"])
    kind = entry.get("kind", "auto")
    inputs = tuple(tensor(sizes) for sizes in entry["inputs"].values())
    given = shapes(entry["dims"], names, kind)
    try:
        program = export(model(entry["python"], names), inputs, dynamic_shapes=given,
                         prefer_deferred_runtime_asserts_over_guards=kind == "deferred")
    except (torch._dynamo.exc.UserError, ValueError) as error:
        # Sconce has no logs to refer to.
        lines = [line.strip().split(" For more information, run with TORCH_LOGS")[0] for line in str(error).split("\n")]
        return {"refused": [line for line in lines if line.startswith("- ")]}
    lines = [line for line in str(program).split("\n") if line.strip() and not line.strip().startswith("#")]
    return {"text": "\n".join(lines), "guards": program._guards_code}


def main(path):
    entries = json.load(gzip.open(path))
    for entry in entries:
        try:
            entry["wanted"] = wanted(entry)
        except Exception as error:
            raise AssertionError(f"{entry['python']}: {error}") from error
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(("[\n" + ",\n".join("  " + json.dumps(entry) for entry in entries) + "\n]\n").encode())


main(*sys.argv[1:])
