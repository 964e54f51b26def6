"""Fills in fixtures/capture/call-texts.json.gz: functions in Python and in TypeScript, with the text of PyTorch's export of
the Python one before and after lowering and its results, or PyTorch's refusal.

`inputs` are shapes by name, with the dtype in front of those that are not float32. Elements count up from below 0: -2, -1,
0, ...; complex ones have them and 1; those of "bool" alternate; those of "f32r" are a third of them, "i64r" are them modulo 3. To add
a function, add an entry without `wanted`.

Usage (with PyTorch): python3 call_texts.py CALL-TEXTS.json.gz
"""
import gzip
import json
import logging
import sys
import warnings

import torch
import torch.distributions as D  # noqa: F401
import torch.nn.functional as F  # noqa: F401
from torch import nn
from torch.export import export
from torch.func import vmap  # noqa: F401

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")
DTYPES = {"i64": torch.int64, "i32": torch.int32, "bool": torch.bool, "c64": torch.complex64, "c128": torch.complex128,
          "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}


def value(sizes):
    if not isinstance(sizes, list): return sizes
    kind, shape = (sizes[0], sizes[1:]) if sizes and isinstance(sizes[0], str) else ("f32", sizes)
    count = 1
    for size in shape: count *= size
    steps = torch.arange(count).sub(2).reshape(shape)
    if kind == "f32": return steps.float()
    if kind == "f32r": return steps.float().div(3)
    if kind == "i64r": return steps.add(2).remainder(3)
    if kind == "bool": return steps.remainder(2).eq(0)
    if kind in ("c64", "c128"): return steps.to(DTYPES[kind]) + 1j
    return steps.to(DTYPES[kind])


def model(entry):
    python, names = entry["python"], ", ".join(entry["inputs"])
    body = python if "return " in python else f"return {python}"
    lines = "\n        ".join(body.split("\n"))
    scope = {"torch": torch, "F": F, "nn": nn, "D": D, "vmap": vmap}
    exec(f"class Model(nn.Module):\n    def forward(self, {names}):\n        {lines}", scope)
    return scope["Model"]()


def lines_of(program):
    return "\n".join(line for line in str(program).split("\n") if line.strip() and not line.strip().startswith("#"))


def numbers(result):
    if result.is_complex(): result = torch.view_as_real(result.resolve_conj())
    return [round(number, 5) for number in result.double().flatten().tolist()[:40]]


def finite(number):
    return number if abs(number) < float("inf") else str(number).replace("inf", "Infinity").replace("nan", "NaN")


def wanted(entry):
    # A view as an example has the sizes of its base among the ranges of the lowered program.
    inputs = tuple(given.clone() if isinstance(given := value(sizes), torch.Tensor) else given for sizes in entry["inputs"].values())
    try:
        program = export(model(entry), inputs)
    except Exception as error:
        return {"error": type(error).__name__, "refused": str(error).split("\n")[0]}
    text = lines_of(program)
    torch.manual_seed(5)
    results = torch.utils._pytree.tree_leaves(program.module()(*inputs))
    outputs = [[finite(number) for number in numbers(result)] for result in results]
    return {"text": text, "lowered": lines_of(program.run_decompositions()), "outputs": outputs}


def main(path):
    entries = json.load(gzip.open(path))
    for entry in entries: entry["wanted"] = wanted(entry)
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(("[\n" + ",\n".join("  " + json.dumps(entry) for entry in entries) + "\n]\n").encode())


main(*sys.argv[1:])
