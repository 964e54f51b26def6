"""What `run_decompositions({})` makes of in-place overloads: one call on a clone of its first argument each.

    python3 in_place_texts.py OUT.json

All overloads that PyTorch's dispatcher decomposes before it functionalizes (CompositeImplicitAutograd), but for those
that Sconce does not implement, and in-place overloads of other kinds beside them. `graph` is the exported program as
Sconce's IR text, `code` the text of the lowered one.
"""
import json
import logging
import sys
import warnings

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

logging.disable(logging.ERROR)
warnings.filterwarnings("ignore")

x = torch.rand(3, 4) + 0.1
y = torch.rand(3, 4) + 0.1
i = torch.arange(12).view(3, 4)
b = x > 0.5
d = x.double()

CALLS = []


def add(name, *args, **kwargs):
    CALLS.append((name, args, kwargs))


for name in ("iand", "ior", "ixor"):
    for tensor, number in ((i, 3), (b, True)):
        add(f"__{name}__.Tensor", tensor, tensor)
        add(f"__{name}__.Scalar", tensor, number)
for name in "absolute arccos arcsin arcsinh arctan arctanh fix negative relu6 selu square abs neg exp relu".split():
    add(f"{name}_.default", x)
for name in "square negative absolute fix relu6".split():
    add(f"{name}_.default", i)
add("arccosh_.default", x + 1)
add("arctan2_.default", x, y)
add("clip_.default", x, 0.1, 0.5)
add("clip_.default", x, None, 0.5)
add("clip_.default", i, 1)
add("clip_.Tensor", x, y, y)
add("clip_.Tensor", x, None, y)
for name in "divide multiply true_divide greater greater_equal less less_equal not_equal".split():
    add(f"{name}_.Tensor", x, y)
    add(f"{name}_.Scalar", x, 2)
    add(f"{name}_.Scalar", x, 2.5)
add("not_equal_.Tensor", i, i)
add("float_power_.Tensor", d, y)
add("float_power_.Tensor", d, d)
add("float_power_.Scalar", d, 2)
add("float_power_.Scalar", d, 0.5)
for mode in ("floor", "trunc", None):
    add("divide_.Tensor_mode", x, y, rounding_mode=mode)
    add("divide_.Scalar_mode", x, 2, rounding_mode=mode)
add("subtract_.Tensor", x, y)
add("subtract_.Tensor", x, y, alpha=2)
add("subtract_.Scalar", x, 2)
add("subtract_.Scalar", x, 2, 3)
for name in "alpha_dropout dropout feature_alpha_dropout feature_dropout".split():
    for p in (0.5, 0.0, 1.0):
        add(f"{name}_.default", x, p, True)
    add(f"{name}_.default", x, 0.5, False)
add("rrelu_.default", x)
add("rrelu_.default", x, 0.1, 0.3, True)
add("swapaxes_.default", x, 0, 1)
add("swapdims_.default", x, 0, 1)
add("fill_diagonal_.default", x, 2)
add("lerp_.Scalar", x, y, 0.3)
add("pow_.Scalar", x, 2)

TYPES = {torch.float32: "f32", torch.float64: "f64", torch.int64: "i64", torch.bool: "b8"}


def literal(value):
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "none"}[value]
    return json.dumps(value) if isinstance(value, str) else repr(value)


def record(name, args, kwargs):
    packet, overload = name.rsplit(".", 1)
    func = getattr(getattr(torch.ops.aten, packet), overload)
    leaves, spec = tree_flatten(args)
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]

    class Module(torch.nn.Module):
        def forward(self, *xs):
            rest = iter(xs)
            values = [next(rest) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
            values[0] = values[0].clone()
            func(*tree_unflatten(values, spec), **kwargs)
            return values[0]

    program = torch.export.export(Module(), tuple(t.clone() for t in tensors))
    names = [f"xs_{n}" for n in range(len(tensors))]
    rest = iter(["clone", *names[1:]])
    shown = [f"%{next(rest)}" if isinstance(leaf, torch.Tensor) else literal(leaf) for leaf in leaves]
    shown += [f"{key}={literal(value)}" for key, value in kwargs.items()]
    inputs = ", ".join(f"%{n}: {TYPES[t.dtype]}{list(t.shape)}" for n, t in zip(names, tensors))
    call = f"  %call = aten.{name}({', '.join(shown)})\n"
    graph = f"graph({inputs}) {{\n  %clone = aten.clone.default(%xs_0)\n{call}  return (%clone)\n}}"
    return {"graph": graph, "code": program.run_decompositions({}).graph_module.code.strip()}


json.dump([record(*call) for call in CALLS], open(sys.argv[1], "w"), indent=1)
