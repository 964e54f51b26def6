"""Records what PyTorch exports for graphs of control flow that make sizes of the data: TorchDynamo's bounds of them count in names.

    py packages/testing/oracle/body_bounds.py packages/testing/fixtures

Writes `capture/body-bounds.json.gz`: by the name of a model the text, the guards, and the text after lowering, or the error. The
models in TypeScript are in `packages/conformance/src/capture/body-bounds.fixture.ts`. `rows` stands for a dynamic first size.
"""

import gzip
import json
import logging
import os
import sys
import warnings

import torch
from torch import cond, nn
from torch._higher_order_ops import map as map_
from torch._higher_order_ops.scan import scan
from torch.export import Dim, export

from program_texts import comparable

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.w = nn.Parameter(torch.ones(4, 3))
        self.b = nn.Buffer(torch.ones(6))
        self.function = function

    def forward(self, x):
        return self.function(self, x)


def mask(x): return x[x > 0].sum()
def count(x): return x.flatten()[0].abs().int().item()
def first(x): return x[: count(x)].sum()
def total(x): return x.sum()
def checked(y, function):
    torch._check(y.shape[0] > 1)
    return function(y)
def choose(branch): return lambda s, x: cond(x.sum() > 0, branch, total, (x,))
def outer(branch): return lambda s, x: cond(x.max() > 1, branch, total, (x,))
def each(function): return lambda s, x: map_(lambda r: function(s, r), x)
def doubled(x): return map_(lambda r: r * 2, x)
def carried(x): return scan(lambda c, r: (c + r, c + r), torch.zeros(()), x)


MASK, FIRST = choose(mask), choose(first)
CASES = {
    "mask": ((4, 3), MASK),
    "mask, rows": ((4, 3), MASK),
    "mask of one": ((1,), MASK),
    "mask of a row": ((1, 4), MASK),
    "slice": ((4, 3), FIRST),
    "slice of a vector": ((4,), FIRST),
    "slice, rows": ((4, 3), FIRST),
    "slice of a vector, rows": ((4,), FIRST),
    "slice of columns": ((4, 3), choose(lambda x: x[:, : count(x)].sum())),
    "slice of columns, rows": ((4, 3), choose(lambda x: x[:, : count(x)].sum())),
    "slice from one": ((4, 3), choose(lambda x: x[1 : count(x)].sum())),
    "slice from the end": ((4, 3), choose(lambda x: x[-count(x) :].sum())),
    "slice of a product": ((4,), choose(lambda x: first(x * 2))),
    "nonzero": ((4, 3), choose(lambda x: x.nonzero().sum().float())),
    "unique": ((4, 3), choose(lambda x: torch.unique(x).sum())),
    "masked select": ((4, 3), choose(lambda x: x.masked_select(x > 0).sum())),
    "mask of a product": ((4,), choose(lambda x: mask(x * 2))),
    "mask of a select": ((4, 3), choose(lambda x: mask(x[0]))),
    "mask of a select, rows": ((4, 3), choose(lambda x: mask(x[0]))),
    "mask of a static slice": ((4,), choose(lambda x: mask(x[:2]))),
    "mask of a view": ((4, 3), choose(lambda x: mask(x.view(2, 6)))),
    "mask of a reshape": ((4, 3), choose(lambda x: mask(x.reshape(-1)))),
    "mask of an expand": ((4,), choose(lambda x: mask(x[:1].expand(5)))),
    "mask of a cat": ((4,), choose(lambda x: mask(torch.cat([x, x])))),
    "mask of ones": ((4, 3), choose(lambda x: mask(torch.ones(5)) + x.sum())),
    "mask of ones and a sum": ((4, 3), choose(lambda x: mask(torch.ones(5) + x.sum()))),
    "mask of ones like it": ((4,), choose(lambda x: mask(torch.ones_like(x)))),
    "mask of new ones": ((4,), choose(lambda x: mask(x.new_ones(3)))),
    "mask of the largest": ((4,), choose(lambda x: mask(x.topk(2).values))),
    "mask by a range": ((4, 3), choose(lambda x: torch.ones(5)[torch.arange(5) > x.sum()].sum())),
    "a row as the operand": ((4, 3), lambda s, x: cond(x.sum() > 0, mask, total, (x[0],))),
    "a row as the operand, rows": ((4, 3), lambda s, x: cond(x.sum() > 0, mask, total, (x[0],))),
    "a slice of a row": ((4, 3), lambda s, x: cond(x.sum() > 0, first, total, (x[0],))),
    "a parameter": ((4, 3), lambda s, x: cond(x.sum() > 0, lambda x: mask(s.w) + x.sum(), total, (x,))),
    "a parameter as an operand": (
        (4, 3), lambda s, x: cond(x.sum() > 0, lambda x, w: mask(w) + x.sum(), lambda x, w: total(x), (x, s.w))
    ),
    "a buffer": ((4, 3), lambda s, x: cond(x.sum() > 0, lambda x: mask(s.b) + x.sum(), total, (x,))),
    "a buffer, rows": ((4, 3), lambda s, x: cond(x.sum() > 0, lambda x: mask(s.b) + x.sum(), total, (x,))),
    "a product with a parameter": ((4, 3), lambda s, x: cond(x.sum() > 0, lambda x: mask(s.w * x), total, (x,))),
    "a matrix product": ((5, 4), lambda s, x: cond(x.sum() > 0, lambda x: mask(x @ s.w), total, (x,))),
    "a slice of a parameter": ((4, 3), lambda s, x: cond(x.sum() > 0, lambda x: s.w[: count(x)].sum(), total, (x,))),
    "map": ((4, 3), each(lambda s, r: mask(r))),
    "map, rows": ((4, 3), each(lambda s, r: mask(r))),
    "map of slices": ((4, 3), each(lambda s, r: first(r))),
    "map of slices, rows": ((4, 3), each(lambda s, r: first(r))),
    "map of cond": ((4, 3), each(MASK)),
    "map of cond, rows": ((4, 3), each(MASK)),
    "map of matrices": ((4, 3, 2), each(MASK)),
    "map of cond of slices": ((4, 3), each(FIRST)),
    "map of cond of slices, rows": ((4, 3), each(FIRST)),
    "map with a parameter": ((4, 3), each(lambda s, r: mask(r * s.w[0]))),
    "map with a parameter, rows": ((4, 3), each(lambda s, r: mask(r * s.w[0]))),
    "cond of cond": ((4, 3), outer(lambda x: MASK(None, x))),
    "cond of cond, rows": ((4, 3), outer(lambda x: MASK(None, x))),
    "cond of cond of slices": ((4, 3), outer(lambda x: FIRST(None, x))),
    "cond of cond of a row, rows": ((4, 3), outer(lambda x: cond(x.sum() > 0, mask, total, (x[0],)))),
    "map of unknown items": ((7,), lambda s, x: doubled(x[x > 0])),
    "map of required items": ((7,), lambda s, x: checked(x[x > 0], doubled)),
    "map of unknown rows": ((4, 3), lambda s, x: map_(lambda r, w: r + w.sum(), x[x[:, 0] > 0], x)),
    "map of rows of unknown size": ((4, 3), lambda s, x: doubled(x[x > 0].expand(3, -1))),
    "map of unknown items, twice": ((7,), lambda s, x: map_(lambda r: r[0] * r[1], (x[x > 0], x[x < 0]))),
    "map over a number": ((7,), lambda s, x: doubled(torch.ones(x.sum().int().item()))),
    "scan of unknown items": ((7,), lambda s, x: carried(x[x > 0])),
    "scan of required items": ((7,), lambda s, x: checked(x[x > 0], carried)),
}


def record(name, shape, function):
    shapes = {"x": {0: Dim.DYNAMIC} if name.endswith("rows") and "unknown" not in name else None}
    # Not a view: PyTorch declares a symbol for the size of its base.
    inputs = (torch.arange(float(torch.Size(shape).numel())).reshape(shape).clone(),)
    try:
        program = export(Model(function), inputs, dynamic_shapes=shapes, strict=False)
    except Exception as error:
        message = str(error).split("\n")[0].removeprefix("Consider annotating your code using torch._check*(). ")
        return {"error": type(error).__name__, "message": message}
    return {
        "text": comparable(str(program)),
        "guards": program._guards_code,
        "lowered": comparable(str(program.run_decompositions())),
    }


def main(folder):
    found = {name: record(name, *case) for name, case in CASES.items()}
    with gzip.GzipFile(os.path.join(folder, "capture", "body-bounds.json.gz"), "wb", mtime=0) as file:
        file.write(json.dumps(found, indent=1).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
