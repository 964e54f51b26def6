"""Calling conventions: containers of every kind as inputs, static numbers, and what each program refuses."""

from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass

import torch
import torch.utils._pytree as pytree
from torch import nn
from torch.export import Dim

from corpus import Call, Case, program

MODEL = "torch.export programming model"


@dataclass
class Options:
    x: torch.Tensor
    scale: torch.Tensor
    bias: torch.Tensor | None = None


torch.export.register_dataclass(Options, serialized_type_name="call_programs.Options")


class Pair:
    """A registered class whose children come in another order than its attributes."""

    def __init__(self, first, second):
        self.second = second
        self.first = first


pytree.register_pytree_node(
    Pair,
    lambda pair: ([pair.first, pair.second], "pair"),
    lambda children, _: Pair(*children),
    serialized_type_name="call_programs.Pair",
    to_dumpable_context=lambda context: context,
    from_dumpable_context=lambda context: context,
    flatten_with_keys_fn=lambda pair: (
        [(pytree.GetAttrKey("first"), pair.first), (pytree.GetAttrKey("second"), pair.second)],
        "pair",
    ),
)

Point = namedtuple("Point", ["px", "py"])
pytree._register_namedtuple(Point, serialized_type_name="call_programs.Point")


class OnOptions(nn.Module):
    def forward(self, options):
        y = options.x * options.scale
        return y if options.bias is None else y + options.bias


class OnKeys(nn.Module):
    def forward(self, d):
        return d["a"] - 2 * d["b"]


class OnItems(nn.Module):
    def forward(self, d):
        return d[0] - 2 * d[1]


class OnPair(nn.Module):
    def forward(self, pair):
        return pair.first - 2 * pair.second


def tensors(count, size=3):
    return [torch.randn(size) for _ in range(count)]


@program("call_dataclass_absent", "a dataclass with a field that is None; calls with other fields set", MODEL)
def _():
    x, scale, bias = tensors(3)
    return Case(
        OnOptions(),
        (Options(x, scale),),
        more=[Call((Options(scale, x, None),), note="None given")],
        rejected=[
            Call((Options(x, scale, bias),), note="the absent field is set"),
            Call((Options(x, None),), note="a field is None"),
        ],
    )


@program("call_dataclass_full", "a dataclass with all fields set; calls with other fields set", MODEL)
def _():
    x, scale, bias = tensors(3)
    return Case(
        OnOptions(),
        (Options(x, scale, bias),),
        rejected=[
            Call((Options(x, scale),), note="a field is None"),
            Call((Options(None, scale, bias),), note="the first field is None"),
            Call((x,), note="a tensor"),
        ],
    )


@program("call_dataclass_nested", "dataclasses in lists and dicts", MODEL)
def _():
    a, b, c, d = tensors(4)

    class Nested(nn.Module):
        def forward(self, items, table):
            return items[0].x * table["o"].scale + table["o"].bias

    return Case(
        Nested(),
        ([Options(a, b)], {"o": Options(a, c, d)}),
        rejected=[Call(([Options(a, b)], {"o": Options(a, c)}), note="a field is None inside")],
    )


@program("call_ordered_dict", "an OrderedDict; its keys in another order", MODEL)
def _():
    a, b = tensors(2)
    return Case(
        OnKeys(),
        (OrderedDict(a=a, b=b),),
        rejected=[
            Call((OrderedDict(b=b, a=a),), note="another order"),
            Call((OrderedDict(a=a),), note="a key is missing"),
            Call((OrderedDict(a=a, b=b, c=b),), note="another key"),
        ],
    )


@program("call_defaultdict", "a defaultdict; its keys in another order", MODEL)
def _():
    a, b = tensors(2)

    def table(**items):
        made = defaultdict(list)
        made.update(items)
        return made

    return Case(
        OnKeys(),
        (table(a=a, b=b),),
        rejected=[Call((table(b=b, a=a),), note="another order"), Call((table(a=a),), note="a key is missing")],
    )


@program("call_deque", "deques with and without a maximal length", MODEL)
def _():
    a, b = tensors(2)

    class Deques(nn.Module):
        def forward(self, d, bounded):
            return d[0] - 2 * d[1] + bounded[0]

    return Case(
        Deques(),
        (deque([a, b]), deque([b], maxlen=4)),
        rejected=[Call((deque([a]), deque([b], maxlen=4)), note="an item is missing")],
    )


@program("call_registered_class", "a registered class whose children come in another order than its attributes", MODEL)
def _():
    a, b = tensors(2)
    return Case(OnPair(), (Pair(a, b),), rejected=[Call((a,), note="a tensor")])


@program("call_namedtuple", "a named tuple with a nested dict", MODEL)
def _():
    a, b = tensors(2)

    class OnPoint(nn.Module):
        def forward(self, point):
            return point.px["v"] - 2 * point.py

    return Case(OnPoint(), (Point({"v": a}, b),), rejected=[Call((Point({"w": a}, b),), note="another key inside")])


@program("call_static_numbers", "static int, float, bool, str and None; other values, and tensors in their place", MODEL)
def _():
    x = torch.arange(3.0)

    class Statics(nn.Module):
        def forward(self, x, i, f, b, s, n):
            return x * i + f + (1 if b else 2) + len(s)

    good = (x, 3, 2.0, True, "abc", None)

    def other(at, value):
        return (*good[:at], value, *good[at + 1 :])

    return Case(
        Statics(),
        good,
        more=[
            Call(other(1, torch.tensor(3)), note="a tensor of the same value for the int"),
            Call(other(2, torch.tensor([2.0])), note="a tensor of the same value for the float"),
            Call(other(5, torch.tensor(1.0)), note="a tensor for None"),
        ],
        rejected=[
            Call(other(1, 4), note="another int"),
            Call(other(1, torch.tensor(4)), note="a tensor for the int"),
            Call(other(1, None), note="None for the int"),
            Call(other(1, "3"), note="a string for the int"),
            Call(other(1, torch.tensor([3, 3])), note="a tensor of two elements for the int"),
            Call(other(1, torch.zeros(0)), note="a tensor without elements for the int"),
            Call(other(2, 2.5), note="another float"),
            Call(other(2, torch.tensor(2.5)), note="a tensor for the float"),
            Call(other(3, False), note="another bool"),
            Call(other(3, torch.tensor(False)), note="a tensor for the bool"),
            Call(other(4, "abd"), note="another string"),
            Call(other(4, torch.tensor(1.0)), note="a tensor for the string"),
        ],
    )


@program("call_float_results", "floats with integral values among the results", MODEL)
def _():
    class Floats(nn.Module):
        def forward(self, x):
            return x, 2.0, 2, True, None, x.shape[0] * 2, -0.0

    return Case(
        Floats(), (torch.arange(4.0) + 3,), dynamic_shapes={"x": {0: Dim.DYNAMIC}}, more=[Call((torch.arange(6.0) + 5,))]
    )
