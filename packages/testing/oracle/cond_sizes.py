"""Records what PyTorch exports for `torch.cond` whose branches make tensors of dynamic integers.

    py packages/testing/oracle/cond_sizes.py packages/testing/fixtures

Writes `capture/cond-sizes.json.gz`: by the name of a model the text, the guards, and the text after lowering. The models in
TypeScript are in `packages/conformance/src/capture/cond-sizes.fixture.ts`. `rows` stands for a tensor whose first size is dynamic, too.
"""

import gzip
import json
import logging
import os
import sys
import warnings

import torch
from torch import cond, nn
from torch.export import Dim, export

from program_texts import comparable

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)


def call(yes, no, then="{}"):
    """A model that calls `cond` with these branches, as a user writes it."""
    source = f"cond(x.sum() > 0, lambda x: {yes}, lambda x: {no}, (x,))"
    return eval(f"lambda x, r, c: {then.format(source)}")


EQUAL = call("x.new_ones(r, c)", "x.new_zeros(r, c)")
OTHER = ("x.new_ones(r, c)", "x.new_zeros(r, c + 1)")
VECTORS = call("x.new_ones(r)", "x.new_zeros(c)")
SIZED = call("x.new_ones(x.shape[0], r)", "x.new_zeros(r, x.shape[0])")
CASES = {
    "one dimension": call("x.new_ones(r)", "x.new_zeros(r)"),
    "one dimension, other sizes": VECTORS,
    "one dimension, one more": call("x.new_ones(r)", "x.new_zeros(r + 1)"),
    "two dimensions": EQUAL,
    "two dimensions, rows": EQUAL,
    "two dimensions, other sizes": call(*OTHER),
    "two dimensions, other sizes, rows": call(*OTHER),
    "two dimensions, swapped": call("x.new_ones(r, c)", "x.new_zeros(c, r)"),
    "two dimensions, both other": call("x.new_ones(r, c)", "x.new_zeros(r + 1, c + 1)"),
    "a known last size": call("x.new_ones(r, 4)", "x.new_zeros(c, 4)"),
    "three dimensions": call("x.new_ones(r, c, 2)", "x.new_zeros(r, c, 2)"),
    "three dimensions, other sizes": call("x.new_ones(2, r, c)", "x.new_zeros(2, r + 1, c)"),
    "three dimensions, swapped": call("x.new_ones(r, c, r)", "x.new_zeros(c, r, c)"),
    "a product and a sum": call("x.new_ones(r * c)", "x.new_zeros(r + c)"),
    "a quotient": call("x.new_ones(r // 2 + 1, c)", "x.new_zeros(r, c)"),
    "read afterwards": call(*OTHER, "{}.mul(2)"),
    "counted afterwards": call(*OTHER, "{}.sum() + r"),
    "made before": call(*OTHER, "(x.new_ones(r, c), {})"),
    "nested": call(
        "cond(x.max() > 1, lambda x: x.new_ones(r, c), lambda x: x.new_zeros(r, c), (x,))", "x.new_zeros(r, c)"
    ),
    "two results": call("(x.new_ones(r, c), x.new_ones(c))", "(x.new_zeros(r, c), x.new_zeros(r))"),
    "two calls": lambda x, r, c: (EQUAL(x, r, c), VECTORS(x, r, c)),
    "sums": call("x.new_ones(r, c).sum()", "x.new_zeros(c, r).sum()"),
    "transposed": call("x.new_ones(r, c).t()", "x.new_zeros(r, c).t()"),
    "the size of a tensor": SIZED,
    "the size of a tensor, rows": SIZED,
    "joined": call("torch.cat([x.new_ones(r, c), x.new_zeros(r, c)])", "x.new_zeros(r, c)"),
    "changed": call("x.new_ones(r, c).sin()", "x.new_zeros(r, c).cos()"),
    "added": call("x.new_ones(r, c) + x.new_ones(c)", "x.new_zeros(r, c) * x.new_ones(r, 1)"),
}


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, r, c):
        return self.function(x, r, c)


def record(name, function):
    sizes = {0: Dim.DYNAMIC} if name.endswith("rows") else None
    shapes = {"x": sizes, "r": Dim.DYNAMIC, "c": Dim.DYNAMIC}
    program = export(Model(function), (torch.ones(5), 2, 3), dynamic_shapes=shapes)
    return {
        "text": comparable(str(program)),
        "guards": program._guards_code,
        "lowered": comparable(str(program.run_decompositions())),
    }


def main(folder):
    found = {name: record(name, function) for name, function in CASES.items()}
    with gzip.GzipFile(os.path.join(folder, "capture", "cond-sizes.json.gz"), "wb", mtime=0) as file:
        file.write(json.dumps(found, indent=1).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
