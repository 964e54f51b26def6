"""Fills in the guards of fixtures/dynamic-shapes/size-pairs.json.gz: calls with two tensors of one dynamic size, in Python
and in TypeScript, with the guards that PyTorch's export records for the Python one. To add a call, add an entry without
guards.

Usage (with PyTorch): python3 size_pairs.py SIZE-PAIRS.json.gz
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


def guards(expression):
    call = eval(f"lambda x, y: {expression}")

    class Model(nn.Module):
        def forward(self, x, y):
            return call(x, y)

    n = Dim("n")
    shapes = {"x": {0: n}, "y": {0: n}}
    return export(Model(), (torch.randn(4, 3), torch.randn(4, 3)), dynamic_shapes=shapes)._guards_code


def main(path):
    entries = json.load(gzip.open(path))
    for entry in entries:
        entry["guards"] = guards(entry["python"])
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(("[\n" + ",\n".join("  " + json.dumps(entry) for entry in entries) + "\n]\n").encode())


main(*sys.argv[1:])
