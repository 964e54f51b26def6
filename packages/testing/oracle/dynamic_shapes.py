"""Writes fixtures/dynamic-shapes/cases.json.gz: random functions over the sizes of their inputs,
random specifications of dynamic sizes, and PyTorch's verdict on each.

A function is a list of steps. ["if", c] branches on a condition, ["check", c] is torch._check(c),
["int", e] takes an expression for a Python int, and ["add", i, j] and ["cat", i, j, dim] are
operators on the inputs. A condition is [relation, e, e]; an expression is a number, "x0" (the size
0 of input x), or [operator, e, e].

A specification has one entry for each dimension of each input: null, a number, "AUTO", "DYNAMIC",
["AUTO", min, max], or ["d", name, min, max, factor, offset] for factor * Dim(name) + offset.

Usage (with PyTorch): python3 dynamic_shapes.py OUT.json [COUNT [SEED]]
"""
import contextlib
import io
import json
import logging
import operator
import random
import sys

import torch
from torch.export import Dim, export
from torch.export.dynamic_shapes import refine_dynamic_shapes_from_suggested_fixes as refine

logging.disable(logging.CRITICAL)
RELATIONS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
             "max": torch.sym_max, "min": torch.sym_min}
NAMES = "xyz"


def evaluate(expr, tensors):
    if isinstance(expr, int):
        return expr
    if isinstance(expr, str):
        return tensors[NAMES.index(expr[0])].shape[int(expr[1])]
    return OPERATORS[expr[0]](evaluate(expr[1], tensors), evaluate(expr[2], tensors))


def run(steps, tensors):
    results = []
    for kind, *args in steps:
        if kind == "add":
            results.append(tensors[args[0]] + tensors[args[1]])
        elif kind == "cat":
            results.append(torch.cat([tensors[args[0]], tensors[args[1]]], args[2]))
        elif kind == "int":
            operator.index(evaluate(args[0], tensors))
        else:
            condition = RELATIONS[args[0][0]](evaluate(args[0][1], tensors), evaluate(args[0][2], tensors))
            if kind == "check":
                torch._check(condition)
            elif condition:
                pass
    return tuple(results) or (tensors[0] + 1,)


class One(torch.nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def forward(self, x):
        return run(self.steps, [x])


class Two(One):
    def forward(self, x, y):
        return run(self.steps, [x, y])


def make_dim(spec, dims):
    if spec is None or isinstance(spec, int):
        return spec
    if isinstance(spec, str):
        return getattr(Dim, spec)
    if spec[0] != "d":
        return getattr(Dim, spec[0])(min=spec[1], max=spec[2])
    _, name, low, high, factor, offset = spec
    dim = dims.setdefault((name, low, high), Dim(name, min=low, max=high))
    if factor != 1:
        dim = dim * factor
    if offset:
        dim = dim + offset if offset > 0 else dim - -offset
    return dim


def verdict(module, args, specs):
    try:
        program = export(module, args, dynamic_shapes=specs, strict=False)
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error).split("\n\nThe error above")[0]}
    shapes = [[str(s) for s in node.meta["val"].shape] for node in program.graph.nodes if node.op == "placeholder"]
    ranges = {str(k): str(v)[3:-1] for k, v in program.range_constraints.items()}
    return {"shapes": shapes, "ranges": ranges, "guards": list(program._guards_code)}


def case(rng):
    count = rng.choice([1, 2, 2])
    shapes = [[rng.choice([2, 3, 4, 4, 5, 6, 8, 8, 9, 12, 16]) for _ in range(rng.choice([1, 1, 2]))] for _ in range(count)]
    if rng.random() < 0.04:
        shapes[0][0] = 1
    if count == 2 and rng.random() < 0.5:
        shapes[1] = list(shapes[0])
    sizes = [NAMES[i] + str(d) for i, shape in enumerate(shapes) for d in range(len(shape))]
    specs = specification(rng, shapes)
    steps = [step(rng, sizes, shapes) for _ in range(rng.choice([1, 1, 2, 2, 3]))]
    steps = [s for s in steps if s is not None]
    return {"inputs": shapes, "spec": specs, "steps": steps} if steps else case(rng)


def specification(rng, shapes):
    specs = []
    names = {}
    for shape in shapes:
        entry = []
        for size in shape:
            kind = rng.random()
            if kind < 0.12:
                entry.append(rng.choice([None, size, size, size + 1 if rng.random() < 0.1 else size]))
            elif kind < 0.24:
                entry.append("AUTO")
            elif kind < 0.34:
                entry.append("DYNAMIC")
            elif kind < 0.42:
                entry.append([rng.choice(["AUTO", "DYNAMIC"]), rng.choice([None, 2, 3, size]), rng.choice([None, size, size + 4, 64])])
            else:
                entry.append(dim(rng, size, names))
        specs.append(entry)
    return specs


def dim(rng, size, names):
    same = [n for n, (_, _, value) in names.items() if value == size]
    related = [n for n, (_, _, value) in names.items() if value != size]
    if same and rng.random() < 0.5:
        name = rng.choice(same)
        low, high, _ = names[name]
        return ["d", name, low, high, 1, 0]
    if related and rng.random() < 0.5:
        name = rng.choice(related)
        low, high, value = names[name]
        factor = 2 if size >= 2 * value else 1
        offset = size - factor * value
        if (low or 0) * factor + offset >= 0:
            return ["d", name, low, high, factor, offset + (1 if rng.random() < 0.05 else 0)]
    name = ["dx", "dy", "h", "w"][len(names) % 4] if len(names) < 4 else "q%d" % len(names)
    low = rng.choice([None, None, None, 1, 2, 3, max(0, size - 1)])
    high = rng.choice([None, None, None, size + 4, 32, 64])
    factor = 2 if rng.random() < 0.08 and size % 2 == 0 else 1
    names[name] = (low, high, size // factor)
    return ["d", name, low, high, factor, 0]


def step(rng, sizes, shapes):
    kind = rng.random()
    if kind < 0.16 and len(shapes) == 2 and len(shapes[0]) == len(shapes[1]) and shapes[0] == shapes[1]:
        return ["add", 0, 1]
    if kind < 0.2 and len(shapes) == 2 and len(shapes[0]) == len(shapes[1]) and shapes[0][1:] == shapes[1][1:]:
        return ["cat", 0, 1, 0]
    if kind < 0.25:
        return ["int", rng.choice(sizes)]
    left = expression(rng, sizes, 2)
    tensors = [torch.empty(shape) for shape in shapes]
    value = evaluate(left, tensors)
    if rng.random() < 0.22:
        modulus = rng.choice([2, 3, 4, 5])
        condition = ["==", ["%", left, modulus], value % modulus]
    elif rng.random() < 0.3:
        condition = [rng.choice(list(RELATIONS)), left, expression(rng, sizes, 1)]
    else:
        condition = [rng.choice(list(RELATIONS)), left, max(0, value + rng.choice([-3, -2, -1, 0, 0, 0, 1, 2, 5]))]
    truth = RELATIONS[condition[0]](evaluate(condition[1], tensors), evaluate(condition[2], tensors))
    return ["check" if truth and rng.random() < 0.4 else "if", condition]


def expression(rng, sizes, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.5:
        return rng.choice(sizes)
    op = rng.choice(["+", "+", "-", "*", "*", "//", "//", "%", "max", "min"])
    left = expression(rng, sizes, depth - 1)
    if op in ("//", "%"):
        return [op, left, rng.choice([2, 3, 4])]
    right = rng.choice([1, 2, 3, rng.choice(sizes), rng.choice(sizes)])
    return [op, left, right]


def record(entry):
    args = tuple(torch.zeros(shape) for shape in entry["inputs"])
    module = (One if len(args) == 1 else Two)(entry["steps"])
    dims = {}
    specs = dict(zip(NAMES, [tuple(make_dim(s, dims) for s in shape) for shape in entry["spec"]]))
    entry["result"] = verdict(module, args, specs)
    if "Suggested fixes:" in entry["result"].get("message", ""):
        try:
            again = verdict(module, args, refine(entry["result"]["message"], specs))
            entry["refined"] = again.get("error", "ok")
        except Exception as error:
            entry["refined"] = type(error).__name__
    return entry


def main(path, count="260", seed="14"):
    rng = random.Random(int(seed))
    cases = []
    seen = set()
    while len(cases) < int(count):
        entry = case(rng)
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                record(entry)
        except (AssertionError, NotImplementedError):
            continue  # a specification that is not one
        key = json.dumps([entry["result"].get("message", entry["result"].get("guards"))])
        # Programs without guards say little; of a kind of message a few are enough.
        if key in seen and rng.random() < 0.9:
            continue
        seen.add(key)
        cases.append(entry)
    with open(path, "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")


main(*sys.argv[1:])
