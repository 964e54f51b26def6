"""Writes fixtures/ops/triangle-indices.json: the shapes of `tril_indices` and `triu_indices` for few and for very many rows
and columns, or PyTorch's refusal.

Usage (with PyTorch): python3 triangle_indices.py OUT.json
"""
import json
import sys

import torch

ROWS = (0, 1, 3, 5, 2**31, 2**40, 2**62, 2**63 - 1)
COLUMNS = (0, 1, 4, 5, 2**40)
OFFSETS = (-6, -2, 0, 1, 4, 9, 2**40, -(2**40), 2**62, -(2**62))


def shape(name, *arguments):
    try:
        with torch._subclasses.FakeTensorMode():
            return list(getattr(torch.ops.aten, name).default(*arguments).shape)
    except Exception as error:
        return f"{type(error).__name__}: {error}".split("\n")[0]


def main(path):
    lines = [
        json.dumps([name, str(row), str(column), str(offset), shape(name, row, column, offset)])
        for name in ("tril_indices", "triu_indices") for row in ROWS for column in COLUMNS for offset in OFFSETS
    ]
    with open(path, "w") as out: out.write("[\n" + ",\n".join(lines) + "\n]\n")


main(*sys.argv[1:])
