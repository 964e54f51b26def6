"""Fills in fixtures/capture/scan-lanes.json.gz: generic scans, whose functions run on batches, and loops that carry integers, in
Python and in TypeScript, with the text of PyTorch's export of the Python one after run_decompositions().

`inputs` are shapes by name; all elements are 1. To add one, add an entry without `lowered`.

Usage (with PyTorch): python3 scan_lanes.py SCAN-LANES.json.gz
"""
import gzip
import json
import logging
import sys
import warnings

import torch
import torch.nn.functional as F  # noqa: F401
from torch import nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.while_loop import while_loop
from torch.export import export

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")


def lowered(entry):
    names = ", ".join(entry["inputs"])
    scope = {"torch": torch, "F": F, "nn": nn, "associative_scan": associative_scan, "while_loop": while_loop}
    body = entry["python"] if "return " in entry["python"] else f"return {entry['python']}"
    lines = "\n        ".join(body.split("\n"))
    exec(f"class Model(nn.Module):\n    def forward(self, {names}):\n        {lines}", scope)
    inputs = tuple(torch.ones(sizes) for sizes in entry["inputs"].values())
    text = str(export(scope["Model"](), inputs).run_decompositions())
    return "\n".join(line for line in text.split("\n") if line.strip() and not line.strip().startswith("#"))


def main(path):
    entries = json.load(gzip.open(path))
    for entry in entries:
        entry["lowered"] = lowered(entry)
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(("[\n" + ",\n".join("  " + json.dumps(entry) for entry in entries) + "\n]\n").encode())


main(*sys.argv[1:])
