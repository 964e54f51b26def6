"""Writes fixtures/higher-order/captured.json.gz: what PyTorch exports for models with switch, and
with branches of cond that write, which `packages/conformance/src/higher-order` has in TypeScript.

A case has the text, the guards, the text after `run_decompositions()`, and the results for the inputs; or the first
line of PyTorch's refusal.

Usage (with PyTorch): python3 graph_calls.py OUT.json.gz
"""

import gzip
import json
import logging
import sys
import warnings

import torch
from torch import nn
from torch._higher_order_ops.switch import switch
from torch.export import Dim, export
from torch.utils import _pytree as pytree

from program_texts import comparable

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
CASES = {}
n = Dim("n")


def values(*shape, step=7):
    count = 1
    for size in shape:
        count *= size
    return ((torch.arange(count) * step % 19 - 9) / 8).reshape(shape)


def case(*args, dims=None, grad=True):
    def add(function):
        CASES[function.__name__] = (function, args, dims, grad)
        return function

    return add


one, x, y = torch.tensor(1), values(4, 4), values(4, 4, step=5)


@case(one, x)
def three(self, i, x): return switch(i, [lambda x: x + 1, lambda x: x @ self.weight, lambda x: x.sin()], (x,))
@case(one, x)
def two(self, i, x): return switch(i, [lambda x: x.sin(), lambda x: x.cos()], (x,))
@case(one, x)
def single(self, i, x): return switch(i, [lambda x: x.sin()], (x,))
@case(x)
def constant(self, x): return switch(7, [lambda x: x.sin(), lambda x: x.cos()], (x,))
@case(one, x)
def closures(self, i, x):
    a, b = x * 2, x.sum(0)
    return switch(i, [lambda x: x + b, lambda x: x - a, lambda x: x * self.weight, lambda x: a + b], (x,))
@case(torch.tensor([2]), x, y)
def containers(self, i, x, y):
    return switch(i, [lambda p: {"a": p["x"] + 1, "b": [p["y"]* 2]}, lambda p: {"a": p["y"] * 3, "b": [p["x"].neg()]},
                      lambda p: {"a": p["y"] * 4, "b": [p["x"].sin()]}], ({"x": x, "y": y},))
@case(one, x)
def integers(self, i, x): return switch(i, [lambda x: (x + 1, 3), lambda x: (x + 2, 5), lambda x: (x + 3, 4)], (x,))
@case(one, x)
def same_integers(self, i, x): return switch(i, [lambda x: (x + 1, 3), lambda x: (x + 2, 3)], (x,))
@case(one, x)
def sizes(self, i, x): return switch(i, [lambda x: x[:1] * 2, lambda x: x[:3] * 3], (x,))
@case(one, x)
def three_sizes(self, i, x): return switch(i, [lambda x: x[:1] * 2, lambda x: x[:3] * 3, lambda x: x + 1], (x,))
@case(one, values(5, 3), dims=(None, {0: n}))
def dynamic(self, i, x): return switch(i, [lambda x: x * 2, lambda x: x.neg(), lambda x: x.relu()], (x,)).sum(0)
@case(values(5, 3), dims=({0: n},))
def by_size(self, x): return switch(x.shape[0] - 3, [lambda x: x * 2, lambda x: x + 1, lambda x: x.relu()], (x,))
@case(one, x)
def nested(self, i, x):
    inner = lambda x: switch(i + 1, [lambda x: x.sin(), lambda x: x.cos(), lambda x: x.tan()], (x,))
    return switch(i, [inner, lambda x: x * 2], (x,))
@case(one, x)
def in_cond(self, i, x):
    return torch.cond(x.sum() > 0, lambda x: switch(i, [lambda x: x.sin(), lambda x: x.cos()], (x,)), lambda x: x + 1, (x,))
@case(one, x)
def twice(self, i, x):
    y = switch(i, [lambda x: x.sin(), lambda x: x.cos(), lambda x: x + self.weight], (x,))
    return switch(i - 1, [lambda y: y * 2, lambda y: y - x], (y,))
@case(one, x)
def layers(self, i, x): return switch(i, [self.linear, lambda x: self.linear(x).relu(), self.norm], (x,))
@case(one, x)
def without_operands(self, i, x): return switch(i, [lambda: x.sin(), lambda: x.cos()])
@case(one, x)
def other_structure(self, i, x): return switch(i, [lambda x: x.sin(), lambda x: (x, x + 1)], (x,))
@case(one, x)
def other_dtype(self, i, x): return switch(i, [lambda x: x.sin(), lambda x: x.double() + 1], (x,))
@case(one, x)
def a_float(self, i, x): return switch(i, [lambda x: (x.sin(), 1.5), lambda x: (x.cos(), 2.5)], (x,))
@case(one, x)
def writes(self, i, x): return switch(i, [lambda x: x.add_(1), lambda x: x.cos()], (x,))
@case(one, x)
def aliases(self, i, x): return switch(i, [lambda x: x, lambda x: x.cos()], (x,))
@case(torch.tensor([0, 1]), x)
def many_indices(self, i, x): return switch(i, [lambda x: x.sin(), lambda x: x.cos()], (x,))
@case(one, x)
def no_branches(self, i, x): return switch(i, [], (x,))
@case(one, x)
def not_callable(self, i, x): return switch(i, [lambda x: x.sin(), 3], (x,))


# Without gradients branches of cond may write to their inputs, and return them.
@case(x, grad=False)
def cond_writes(self, x): return torch.cond(x.sum() > 0, lambda x: x.mul_(2).sin(), lambda x: x.add_(1).cos(), (x,)), x + 1
@case(x, grad=False)
def cond_writes_to_view(self, x): return torch.cond(x.sum() < 0, lambda v: v.mul_(2).sin(), lambda v: v.cos(), (x[0],)), x + 1
@case(x, grad=False)
def cond_returns_input(self, x): return torch.cond(x.sum() > 0, lambda x: x, lambda x: x.cos(), (x,)) + 1
@case(x)
def cond_writes_with_grad(self, x): return torch.cond(x.sum() > 0, lambda x: x.mul_(2).sin(), lambda x: x.cos(), (x,))


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(values(4, 4, step=3))
        self.linear, self.norm = nn.Linear(4, 4), nn.LayerNorm(4)
        for layer in (self.linear, self.norm):
            for parameter in layer.parameters():
                parameter.data = values(*parameter.shape, step=11)


def text(program):
    """The text without ranges of symbols of other exports, which PyTorch keeps from cached fakes."""
    whole = comparable(str(program))
    body = whole[: whole.rindex("Range constraints")]
    used = {str(symbol): str(interval) for symbol, interval in program.range_constraints.items() if str(symbol) in body}
    return body + f"Range constraints: {{{', '.join(f'{symbol}: {interval}' for symbol, interval in used.items())}}}"


def lower(program):
    try:
        return text(program.run_decompositions())
    except Exception:
        return None


def made(function, args, dims, grad):
    # Branches are compiled first, and what that learns is kept for later ones.
    torch._dynamo.reset()
    model = Model(function)
    # One parameter for each input, so that the inputs have names.
    names = ", ".join(function.__code__.co_varnames[1 : function.__code__.co_argcount])
    scope = {"function": function}
    exec(f"def forward(self, {names}): return function(self, {names})", scope)
    model.forward = scope["forward"].__get__(model)
    try:
        with torch.set_grad_enabled(grad):
            program = export(model, args, dynamic_shapes=dims)
    except Exception as error:
        return {"error": [line for line in str(error).split("\n") if line][0]}
    before = text(program)
    lowered = lower(program)
    leaves = pytree.tree_leaves(program.module()(*(arg.clone() for arg in args)))
    results = [leaf.detach().flatten().tolist() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
    return {"text": before, "guards": program._guards_code, "lowered": lowered, "results": results}


def main(path):
    cases = {name: made(*args) for name, args in CASES.items()}
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(json.dumps(cases, indent=1).encode())


main(*sys.argv[1:])
