"""Records what PyTorch exports for `torch.cond` whose branches read numbers of its operands, which know them then.

    py packages/testing/oracle/cond_counts.py packages/testing/fixtures

Writes `capture/cond-counts.json.gz`: by the name of a model the text, the guards, and the text after lowering, or the error. The
models in TypeScript are in `packages/conformance/src/capture/cond-counts.fixture.ts`. `rows` stands for a dynamic first size.
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


def call(yes, no):
    """A model that calls `cond` with these branches, as a user writes it."""
    return eval(f"lambda x: cond(x.sum() > 0, lambda x: {yes}, lambda x: {no}, (x,))")


def given(value, yes, no):
    """The same with a second operand, which is computed before."""
    return eval(f"lambda x: (lambda y: cond(x.sum() > 0, lambda x, y: {yes}, lambda x, y: {no}, (x, y)))({value})")


SUM = "x.nonzero().sum()"
OTHER = "x.long().sum()"
SUMS = call(SUM, "(x.nonzero() + 1).sum()")
MASKS = call("x[x > 0]", "x[x <= 0]")
INNER = "cond(x.max() > 1, lambda y: y.nonzero().sum(), lambda y: y.nonzero().max(), ({},))"
FIVE = torch.arange(5.0)
CASES = {
    "the first branch": call(SUM, OTHER),
    "the second branch": call(OTHER, SUM),
    "both branches": SUMS,
    "both branches, rows": SUMS,
    "twice in a branch": call("x.nonzero().sum() + x.nonzero().max()", OTHER),
    "both results": call("x.nonzero() * 2", "x.nonzero() + 1"),
    "before the call": lambda x: x.nonzero().sum() + call(SUM, OTHER)(x),
    "after the call": lambda x: call(SUM, OTHER)(x) + x.nonzero().sum(),
    "two calls": lambda x: call(SUM, OTHER)(x) + call(SUM, SUM)(x),
    "sizes": call("x.new_ones(x.nonzero().size(0))", "x.new_zeros(x.nonzero().size(0))"),
    "a multiple of a size": call("x.new_ones(x.nonzero().size(0)).sum()", "x.new_zeros(x.nonzero().size(0) * 2).sum()"),
    "several counts": call(f"(x > 2).nonzero().sum() + {SUM}", f"{SUM} + (x > 1).nonzero().sum()"),
    "unique": call("x.unique()", "x.unique() + 1"),
    "unique in a row": call("torch.unique_consecutive(x).sum()", "torch.unique_consecutive(x).max()"),
    "masks of branches": MASKS,
    "sums of masks, rows": call("x[x > 0].sum()", "x[x > 0].max()"),
    "a mask that is an operand": given("x > 0", "x[y]", "x[y] * 2"),
    "an operand of data-dependent size": given("x[x > 0]", "y.nonzero().sum()", "y.nonzero().sum() + 1"),
    "a tensor around the call": lambda x: (
        lambda y: cond(
            x.sum() > 0, lambda x: y.nonzero().sum() + x.sum(), lambda x: (y.nonzero() + 1).sum() + x.max(), (x,)
        )
    )(x * 2),
    "a nested call": call(INNER.format("x"), f"{SUM} + 1"),
    "a nested call with another operand": call(INNER.format("x * 2"), f"{SUM} + 1"),
    "a condition": call("x + (x.sum() > 3).item()", "x * 1"),
    "three calls, one in another": call(
        f"cond(x.max() > 1, lambda y: cond(y.min() > 0, lambda z: {SUM.replace('x', 'z')}, lambda z: z.nonzero().max(), (y,)), "
        "lambda y: y.nonzero().min(), (x,))",
        SUM,
    ),
    "a write between": lambda x: (
        lambda y: y.nonzero().sum()
        + cond(y.add_(1).sum() > 0, lambda y: y.nonzero().sum(), lambda y: y.nonzero().max(), (y,))
    )(x * 2),
    "an item": call("x * x.sum().item()", "x + 1"),
    "the same item": lambda x: cond(x.sum() > 0, lambda y: y * y.item(), lambda y: y + y.item(), (x.sum(),)),
    "the same integer": lambda x: cond(x.sum() > 0, lambda y: y * y.item(), lambda y: y + y.item(), (x.long().sum(),)),
}


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def record(name, function):
    shapes = {"x": {0: Dim.DYNAMIC} if name.endswith("rows") else None}
    program = export(Model(function), (FIVE,), dynamic_shapes=shapes)
    return {
        "text": comparable(str(program)),
        "guards": program._guards_code,
        "lowered": comparable(str(program.run_decompositions())),
    }


def main(folder):
    found = {name: record(name, function) for name, function in CASES.items()}
    with gzip.GzipFile(os.path.join(folder, "capture", "cond-counts.json.gz"), "wb", mtime=0) as file:
        file.write(json.dumps(found, indent=1).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
