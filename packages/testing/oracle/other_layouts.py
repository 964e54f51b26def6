"""How results lie in memory when an input lies otherwise than the program records.

    python3 other_layouts.py OUT.json

Each case is a call on `x` (2x3, row-major), `t` and `m` (2x3, column-major), `i` (indices), and on `y` and `u`: copies of
`x` and `t` as `mul` makes them. `call` is Sconce's IR text of it. Operators that are lowered to others must keep the
strides of their own results.
"""
import json
import sys

import torch

aten = torch.ops.aten
x = torch.arange(1.0, 7).reshape(2, 3)
t = torch.arange(1.0, 7).reshape(3, 2).t()
m = torch.tensor([1, 0, 0, 1, 1, 0], dtype=torch.bool).reshape(3, 2).t()
i = torch.tensor([0])

CALLS = [
    ("masked_fill_.Scalar", "y", "m", 9),
    ("masked_fill_.Scalar", "u", "m", 9),
    ("masked_fill.Scalar", "x", "m", 9),
    ("masked_fill.Scalar", "t", "m", 9),
    ("masked_fill.Scalar", "t", "x > 2", 9),
    ("masked_scatter.default", "x", "m", "t"),
    ("masked_scatter_.default", "y", "m", "t"),
    ("add_.Tensor", "y", "m"),
    ("add.Tensor", "m", "x"),
    ("copy_.default", "y", "m"),
    ("clamp_.default", "u", 2, 4),
    ("where.self", "m", "x", "t"),
    ("lerp.Scalar", "x", "t", 0.5),
    ("lerp_.Scalar", "y", "t", 0.5),
    ("addcmul.default", "x", "t", "t"),
    ("addcmul_.default", "y", "t", "t"),
    ("addcdiv_.default", "u", "x", "x"),
    ("tril.default", "t"),
    ("tril_.default", "u"),
    ("index_fill.int_Scalar", "t", 0, "i", 3.0),
    ("index_fill_.int_Scalar", "y", 1, "i", 3.0),
    ("hardtanh_.default", "u", -2.0, 4.0),
    ("leaky_relu_.default", "u", 0.5),
    ("silu_.default", "u"),
    ("fill_.Scalar", "u", 3),
    ("zero_.default", "u"),
    ("logit.default", "t", 0.25),
]


def record(name, *args):
    packet, overload = name.rsplit(".", 1)
    values = {"x": x, "t": t, "m": m, "i": i, "y": x * 1.0, "u": t * 1.0, "x > 2": x > 2}
    given = [values.get(arg, arg) if isinstance(arg, str) else arg for arg in args]
    result = getattr(getattr(aten, packet), overload)(*given)
    shown = [("%g" if arg == "x > 2" else f"%{arg}") if isinstance(arg, str) else repr(arg) for arg in args]
    call = f"aten.{name}({', '.join(shown)})"
    return {"call": call, "strides": list(result.stride()), "values": result.double().tolist()}


json.dump([record(*call) for call in CALLS], open(sys.argv[1], "w"), indent=1)
