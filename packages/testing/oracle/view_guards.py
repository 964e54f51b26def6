"""Fills in fixtures/dynamic-shapes/view-guards.json.gz: calls on a tensor `x` with dynamic sizes, in Python and in TypeScript,
with what PyTorch's export makes of the Python one.

`dims` are the dynamic dimensions. With `as` "guards" (the default), an entry has the guards of Dim.AUTO; with "text" the
nodes of the program where guards are deferred; with "message" the conditions and fixes of the refusal of named dims. To
add a call, add an entry without `wanted`.

Usage (with PyTorch): python3 view_guards.py VIEW-GUARDS.json.gz
"""
import gzip
import json
import logging
import sys
import warnings

import torch
from torch import nn
from torch.export import Dim, export

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")


def wanted(python, shape, dims, kind):
    call = eval(f"lambda x: {python}")

    class Model(nn.Module):
        def forward(self, x):
            return call(x)

    auto = {"x": {dim: Dim.AUTO for dim in dims}}
    inputs = (torch.randn(shape),)
    if kind == "guards":
        return export(Model(), inputs, dynamic_shapes=auto)._guards_code
    if kind == "text":
        program = export(Model(), inputs, dynamic_shapes=auto, prefer_deferred_runtime_asserts_over_guards=True)
        lines = str(program).split("Graph signature")[0].split("\n")
        return [line.strip() for line in lines if " = torch.ops" in line or ": \"Sym" in line]
    try:
        export(Model(), inputs, dynamic_shapes={"x": {dim: Dim(f"n{dim}") for dim in dims}})
    except torch._dynamo.exc.UserError as error:
        lines = [line.strip() for line in str(error).split("\n")]
        return [line for line in lines if line.startswith("- ") or "Dim(" in line or line.startswith("n")]
    raise AssertionError(f"{python}: PyTorch exports it")


def main(path):
    entries = json.load(gzip.open(path))
    for entry in entries:
        entry["wanted"] = wanted(entry["python"], entry["shape"], entry.get("dims", [0]), entry.get("as", "guards"))
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(("[\n" + ",\n".join("  " + json.dumps(entry) for entry in entries) + "\n]\n").encode())


main(*sys.argv[1:])
