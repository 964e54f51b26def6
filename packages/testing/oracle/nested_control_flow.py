"""Writes fixtures/capture/nested-control-flow.json.gz: random nestings of cond, map, while_loop, scan
and associative_scan, and what PyTorch's export makes of each: the text and the numbers, or its
refusal.

A case has "inputs" ([name, dtype, shape], "n" and "m" for dynamic sizes), "state" ([name, dtype,
shape, kind]) and "body", a function without parameters: {"p": parameters, "b": statements, "r":
result}. A statement is [variable or null, expression]. An expression is a variable, a number, or a
list that begins with its kind; `emit` below has them all.

Usage (with PyTorch): python3 nested_control_flow.py OUT.json.gz [COUNT [SEED]]
"""
import gzip
import json
import logging
import math
import random
import re
import sys
import warnings

import torch
from torch.export import Dim, export
from torch._higher_order_ops.associative_scan import associative_scan  # noqa: F401
from torch._higher_order_ops.map import map as hop_map  # noqa: F401
from torch._higher_order_ops.scan import scan  # noqa: F401
from torch._higher_order_ops.while_loop import while_loop  # noqa: F401

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
DTYPES = {"f32": torch.float32, "f64": torch.float64, "i64": torch.int64, "b8": torch.bool}


class Source:
    """Writes a case as Python."""

    def __init__(self):
        self.lines = []
        self.count = 0

    def function(self, name, fn, indent):
        self.lines.append("    " * indent + f"def {name}({', '.join(fn['p'])}):")
        for var, expr in fn["b"]:
            text = self.emit(expr, indent + 1)
            self.lines.append("    " * (indent + 1) + (text if var is None else f"{var} = {text}"))
        text = self.emit(fn["r"], indent + 1)
        self.lines.append("    " * (indent + 1) + f"return {text}")

    def emit(self, expr, indent):
        if isinstance(expr, dict):
            name = f"f{self.count}"
            self.count += 1
            self.function(name, expr, indent)
            return name
        if not isinstance(expr, list):
            return str(expr)
        kind, *args = expr
        given = [self.emit(arg, indent) for arg in args] if kind not in ("dict", "get") else None
        if kind == "self":
            return f"self.{args[0]}"
        if kind == "m":
            return f"{given[1]}.{given[0]}({', '.join(given[2:])})"
        if kind == "to":
            return f"{given[0]}.to(DTYPES[{args[1]!r}])"
        if kind == "size":
            return f"{given[0]}.size({given[1]})"
        if kind == "sym":
            return f"({given[1]} {args[0]} {given[2]})"
        if kind == "torch":
            return f"torch.{args[0]}({', '.join(given[1:])})"
        if kind == "full":
            return f"torch.full([{', '.join(given[2:])}], {given[0]}, dtype=DTYPES[{args[1]!r}])"
        if kind == "list":
            return f"[{', '.join(given)}]"
        if kind == "tuple":
            return f"({', '.join(given)},)"
        if kind == "dict":
            return "{" + ", ".join(f"{args[i]!r}: {self.emit(args[i + 1], indent)}" for i in range(0, len(args), 2)) + "}"
        if kind == "get":
            return f"{self.emit(args[0], indent)}[{args[1]!r}]"
        if kind == "cond":
            return f"torch.cond({given[0]}, {given[1]}, {given[2]}, ({''.join(e + ', ' for e in given[3:])}))"
        if kind == "map":
            return f"hop_map({', '.join(given)})"
        if kind == "while":
            return f"while_loop({given[0]}, {given[1]}, ({''.join(e + ', ' for e in given[2:])}))"
        if kind == "rest":
            return f"{given[0]}[1:]"
        if kind == "scan":
            return f"scan({given[0]}, {given[1]}, {given[2]}, dim={given[3]}, reverse={args[4]})"
        if kind == "associative":
            return f"associative_scan({given[0]}, {given[1]}, {given[2]}, reverse={args[3]}, combine_mode={args[4]!r})"
        if kind == "grad":
            name = f"g{self.count}"
            self.count += 1
            self.lines.append("    " * indent + f"with torch.{'enable_grad' if args[0] else 'no_grad'}():")
            text = self.emit(args[1], indent + 1)
            self.lines.append("    " * (indent + 1) + f"{name} = {text}")
            return name
        raise KeyError(kind)


def sizes(shape, dims):
    return [dims.get(size, size) for size in shape]


def tensor(dtype, shape, k):
    """Values that both languages compute alike: multiples of 1/8 between -9/8 and 9/8."""
    count = 1
    for size in shape:
        count *= size
    values = [((i * 7 + k * 11) % 19 - 9) / 8 for i in range(count)]
    if dtype == "b8":
        values = [v > 0 for v in values]
    if dtype == "i64":
        values = [int(v * 8) for v in values]
    return torch.tensor(values, dtype=DTYPES[dtype]).reshape(shape)


def module_of(case):
    source = Source()
    names = [name for name, _, _ in case["inputs"]]
    source.function("forward", {**case["body"], "p": ["self", *names]}, 0)
    scope = dict(globals())
    exec("\n".join(source.lines), scope)
    module = type("Net", (torch.nn.Module,), {"forward": scope["forward"]})()
    for i, (name, dtype, shape, kind) in enumerate(case["state"]):
        value = tensor(dtype, shape, 5 + i)
        if kind == "parameter":
            module.register_parameter(name, torch.nn.Parameter(value))
        elif kind == "buffer":
            module.register_buffer(name, value)
        else:
            setattr(module, name, value)
    return module, "\n".join(source.lines)


CALLS = [({"n": 4, "m": 3}, 0), ({"n": 6, "m": 5}, 3), ({"n": 3, "m": 7}, 8)]


def arguments(case, dims, k):
    return tuple(tensor(dtype, sizes(shape, dims), k + i) for i, (_, dtype, shape) in enumerate(case["inputs"]))


def numbers(value):
    """What is kept of a result: its sizes, its sum, and a sum that shows the order."""
    if isinstance(value, (int, float, bool)) or value is None:
        return value
    flat = value.detach().to(torch.float64).reshape(-1)
    weights = torch.arange(1, flat.numel() + 1, dtype=torch.float64)
    return [list(value.shape), *(finite(total.item()) for total in (flat.sum(), (flat * weights).sum()))]


def finite(value):
    return float(f"{value:.6g}") if math.isfinite(value) else None


def record(case):
    module, _ = module_of(case)
    dims = {}
    spec = {}
    for name, _, shape in case["inputs"]:
        spec[name] = {i: dims.setdefault(size, Dim(size, min=2)) for i, size in enumerate(shape) if isinstance(size, str)} or None
    try:
        ep = export(module, arguments(case, *CALLS[0]), dynamic_shapes=spec, strict=False)
    except Exception as error:
        message = re.sub(r"^This higher order operator doesn't work unless.*?\n\n", "", str(error), flags=re.S)
        message = re.sub("0x[0-9a-f]+", "0x0", message)
        return {"error": type(error).__name__, "message": message.split("\n\nfrom user code")[0].split("\n\n Developer debug")[0].split("\n\n  Developer debug")[0].split("\n\nThe error above")[0][:600]}
    lines = [line for line in str(ep).split("\n") if line.strip() and not line.strip().startswith("# File")]
    results = []
    for sizes_, k in CALLS:
        try:
            out = ep.module()(*arguments(case, sizes_, k))
            results.append([numbers(v) for v in torch.utils._pytree.tree_leaves(out)])
            wanted = module(*arguments(case, sizes_, k))
            leaves = torch.utils._pytree.tree_leaves
            for a, b in zip(leaves(out), leaves(wanted)):
                if isinstance(a, torch.Tensor) and not torch.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True):
                    return {"error": "Wrong", "message": "the program gives other numbers than the module"}
        except Exception as error:
            results.append(str(error)[:80])
    return {"text": "\n".join(lines), "results": results}


# Failures of PyTorch itself, which say nothing about the program: such cases are left out. So are
# those in which TorchDynamo has two symbols for one size, guards that come from its strides, and
# loops in loops that record gradients, whose bodies PyTorch traces several times.
FAILURES = re.compile(
    "PendingUnbackedSymbolNotFound|missing val field|Cannot access data pointer|other numbers than the module"
    "|object has no attribute|outs_to_grad length|not supported between instances of 'NoneType' and 'int'"
    "|Runtime assertion failed for expression u|size=\\(u[0-9]|^Constraints violated"
    r"|u\d: VR\[1, int_oo\].*u\d: VR\[1, int_oo\]"
)


def variables(expr, found):
    """The variables of an expression or a function."""
    if isinstance(expr, str):
        found.add(expr)
    elif isinstance(expr, dict):
        for _, value in expr["b"]:
            variables(value, found)
        variables(expr["r"], found)
    elif isinstance(expr, list):
        for part in expr:
            variables(part, found)
    return found


def without_unused(fn):
    """A function without statements whose results nothing reads."""
    used = variables(clean(fn["r"]), set())
    kept = []
    for var, expr in reversed(fn["b"]):
        target = expr[2] if var is None else var
        if target in used:
            expr = clean(expr)
            variables(expr, used)
            kept.append([var, expr])
    return {"p": fn["p"], "b": kept[::-1], "r": clean(fn["r"])}


def clean(expr):
    if isinstance(expr, dict):
        return without_unused(expr)
    return [clean(part) for part in expr] if isinstance(expr, list) else expr


# The generator. A type is ("t", dtype, shape), ("list", types) or ("dict", ((key, type), ...)).
KEYS = "abcd"


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.count = 0
        self.faults = 1 if rng.random() < 0.2 else 0
        # Variables of functions in functions: PyTorch orders operands by their names.
        self.nested = set()
        self.level = 0

    def name(self, prefix="v"):
        self.count += 1
        return f"{prefix}{self.count}"

    def pick(self, *weighted):
        """One of (weight, value)."""
        return self.rng.choices([v for _, v in weighted], [w for w, _ in weighted])[0]

    # Leaves of a scope: a scope is a list of (expression, type).
    def leaves(self, scope):
        out = []

        def walk(expr, type_):
            if type_[0] == "t":
                out.append((expr, type_))
            elif type_[0] == "dict":
                for key, inner in type_[1]:
                    walk(["get", expr, key], inner)
            elif type_[0] == "list":
                for i, inner in enumerate(type_[1]):
                    walk(["get", expr, i], inner)

        for expr, type_ in scope:
            walk(expr, type_)
        return out

    def size(self, scope, size):
        """An expression for a size."""
        if not isinstance(size, str):
            return size
        found = [["size", expr, type_[2].index(size)] for expr, type_ in self.leaves(scope) if size in type_[2]]
        # A call whose result is read for its size only is left out, and its graph stays.
        found = [size for size in found if not any(v.startswith("v") for v in variables(size[1], set()))] or found
        found += [expr for expr, type_ in scope if type_ == ("int", size)] * 2
        return self.rng.choice(found)

    def has(self, scope, size):
        return not isinstance(size, str) or any(size in t[2] for _, t in self.leaves(scope)) or any(t == ("int", size) for _, t in scope)

    def fresh(self, scope, dtype, shape, depth=2):
        """An expression of new memory."""
        rng = self.rng
        leaves = self.leaves(scope)
        if dtype == "b8":
            base = self.operand(scope, rng.choice(["f32", "i64"]), shape, depth - 1)
            return ["m", rng.choice(["gt", "lt", "le"]), base, rng.choice([0, 1])]
        kind = self.pick((4, "unary"), (5, "binary"), (1, "reduce"), (1, "view"), (1, "size"), (0.4, "inplace"))
        if kind == "unary":
            base = self.operand(scope, dtype, shape, depth - 1)
            ops = ["neg", "abs", "clone"] if dtype == "i64" else ["sin", "cos", "tanh", "neg", "relu", "sigmoid", "clone", "abs"]
            return ["m", rng.choice(ops), base]
        if kind == "reduce":
            found = [(e, t, d) for e, t in leaves if t[1] == dtype for d in range(len(t[2])) if t[2][:d] + t[2][d + 1:] == shape]
            if found:
                e, _, d = rng.choice(found)
                return ["m", "sum", e, d]
        if kind == "view":
            found = [(e, t, d) for e, t in leaves if t[1] == dtype for d in range(len(t[2])) if t[2][:d] + t[2][d + 1:] == shape]
            if found:
                e, _, d = rng.choice(found)
                return ["m", "mul", ["m", "select", e, d, rng.choice([0, 1, -1])], 2]
        if kind == "size" and dtype != "b8":
            dims = [s for s in ("n", "m") if self.has(scope, s)]
            if dims:
                return ["m", rng.choice(["mul", "add"]), self.operand(scope, dtype, shape, depth - 1), self.size(scope, rng.choice(dims))]
        left = self.operand(scope, dtype, shape, depth - 1)
        other = [e for e, t in leaves if t[1] == dtype and broadcasts(t[2], shape)]
        right = rng.choice(other) if other and rng.random() < 0.75 else rng.choice([2, 3] if dtype == "i64" else [2, 0.5, 1.5])
        op = rng.choice(["add", "mul", "sub"])
        return ["m", op, left, right]

    def operand(self, scope, dtype, shape, depth):
        """An expression of a dtype and shape; it may be a leaf of the scope."""
        rng = self.rng
        leaves = self.leaves(scope)
        same = [e for e, t in leaves if t == ("t", dtype, shape)]
        if same and (depth <= 0 or rng.random() < 0.75):
            return rng.choice(same)
        if same and depth > 0:
            return self.fresh(scope, dtype, shape, depth)
        cast = [(e, t) for e, t in leaves if t[2] == shape and t[1] != dtype]
        if cast and rng.random() < 0.7:
            return ["to", rng.choice(cast)[0], dtype]
        reduce = [(e, t) for e, t in leaves if t[1] == dtype and len(t[2]) == len(shape) + 1]
        for e, t in rng.sample(reduce, len(reduce)):
            for d in range(len(t[2])):
                if t[2][:d] + t[2][d + 1:] == shape:
                    return ["m", rng.choice(["sum", "sum", "mean"]) if dtype != "i64" else "sum", e, d]
        if not shape:
            found = [e for e, t in leaves if t[1] == dtype]
            if found:
                return ["m", "sum", rng.choice(found)]
        return ["full", rng.choice([1, 2]), dtype, *[self.size(scope, s) for s in shape]]

    def tensor_type(self, scope):
        rng = self.rng
        known = [t for _, t in self.leaves(scope) if t[1] != "b8"]
        if known and rng.random() < 0.7:
            return rng.choice(known)
        shapes = [(), (3,), (2, 3)] + [(s,) for s in "nm" if self.has(scope, s)] + [(s, 3) for s in "n" if self.has(scope, s)]
        return ("t", self.pick((6, "f32"), (1, "f64"), (2, "i64")), rng.choice(shapes))

    def tree_type(self, scope, single=0.55):
        """The type of a result: a tensor or a container."""
        r = self.rng.random()
        if r < single:
            return self.tensor_type(scope)
        if r < 0.8:
            return ("list", tuple(self.tensor_type(scope) for _ in range(self.rng.choice([1, 2, 2, 3]))))
        keys = self.rng.sample(KEYS, self.rng.choice([1, 2]))
        inner = lambda: self.tensor_type(scope) if self.rng.random() < 0.8 else ("list", (self.tensor_type(scope), self.tensor_type(scope)))
        return ("dict", tuple((key, inner()) for key in keys))

    def result(self, scope, type_):
        """An expression of a type whose leaves are new."""
        if type_[0] == "t":
            if self.faults and self.rng.random() < 0.25:
                self.faults = 0
                return self.fault(scope, type_)
            return self.fresh(scope, type_[1], type_[2])
        if type_[0] == "list":
            return ["tuple", *[self.result(scope, t) for t in type_[1]]]
        return ["dict", *[part for key, t in type_[1] for part in (key, self.result(scope, t))]]

    def fault(self, scope, type_):
        """A result that may be refused."""
        rng = self.rng
        same = [e for e, t in self.leaves(scope) if t == type_]
        _, dtype, shape = type_
        kind = rng.choice(["same", "same", "view", "dtype", "shape", "inplace", "maybe", "local view", "contiguous"])
        if kind == "dtype":
            return self.fresh(scope, "f64" if dtype != "f64" else "f32", shape)
        if kind == "shape":
            return ["m", "unsqueeze", self.fresh(scope, dtype, shape), 0]
        if kind == "local view" and len(shape):
            return ["m", "flip", ["m", "transpose", ["m", "mul", self.operand(scope, dtype, shape, 0), 3], 0, 0], ["list", 0]]
        if same:
            base = rng.choice(same)
            if kind == "inplace":
                return ["m", "mul", ["m", "add_", base, 1], 2]
            if kind == "maybe":
                return ["to", base, dtype]
            if kind == "contiguous":
                return ["m", "contiguous", base]
            if kind == "view" and shape:
                return ["m", "view_as", base, base] if rng.random() < 0.5 else ["m", "narrow", base, 0, 0, self.size(scope, shape[0])]
            return base
        return self.fresh(scope, dtype, shape)

    def block(self, scope, depth, make):
        """Statements and a result that `make` writes for the scope after them."""
        statements = []
        inner = list(scope)
        self.level += 1
        for _ in range(self.pick((3, 0), (3, 1), (1, 2))):
            if depth > 0 and self.rng.random() < 0.75:
                self.flow(statements, inner, depth - 1)
            else:
                t = self.tensor_type(inner)
                var = self.name()
                if self.rng.random() < 0.08:
                    statements.append([var, ["grad", False, self.fresh(inner, t[1], t[2])]])
                elif self.rng.random() < 0.12 and t[1] != "b8":
                    statements.append([var, ["m", "clone", self.operand(inner, t[1], t[2], 0)]])
                    statements.append([None, ["m", self.rng.choice(["add_", "mul_"]), var, 2]])
                else:
                    statements.append([var, self.fresh(inner, t[1], t[2])])
                inner.append((var, t))
        if depth > 0 and not statements and self.rng.random() < 0.6:
            self.flow(statements, inner, depth - 1)
        self.nested.update(var for var, _ in statements if var)
        self.level -= 1
        return statements, make(inner)

    def function(self, scope, types, depth, make):
        names = [self.name(self.rng.choice("pqx")) for _ in types]
        inner = scope + [(name, t) for name, t in zip(names, types)] * 2
        statements, result = self.block(inner, depth, make)
        return {"p": names, "b": statements, "r": result}

    def value(self, scope, type_):
        """An expression for an operand: a variable, or a container of variables."""
        if type_[0] == "t":
            return self.operand(scope, type_[1], type_[2], 0)
        if type_[0] == "list":
            return ["list" if self.rng.random() < 0.5 else "tuple", *[self.value(scope, t) for t in type_[1]]]
        return ["dict", *[part for key, t in type_[1] for part in (key, self.value(scope, t))]]

    def local(self, scope):
        """The variables that the function being written assigns."""
        return {e for e, _ in scope if isinstance(e, str) and e.startswith("v")}

    def found(self, scope, type_):
        """Whether a value of a type needs no calls."""
        if type_[0] == "t":
            return any(t == type_ for _, t in self.leaves(scope))
        return all(self.found(scope, t) for t in ([u for _, u in type_[1]] if type_[0] == "dict" else type_[1]))

    def predicate(self, scope):
        rng = self.rng
        dims = [s for s in ("n", "m") if self.has(scope, s)]
        if dims and rng.random() < 0.25:
            return ["sym", rng.choice([">", "<", ">="]), self.size(scope, rng.choice(dims)), rng.choice([3, 4, 5])]
        flags = [e for e, t in self.leaves(scope) if t == ("t", "b8", ())]
        if flags and rng.random() < 0.5:
            return rng.choice(flags)
        leaves = [e for e, t in self.leaves(scope) if t[1] != "b8"]
        return ["m", rng.choice(["gt", "lt"]), ["m", "sum", rng.choice(leaves)], rng.choice([0, 0, 1])]

    def flow(self, statements, scope, depth):
        kind = self.pick((4, "cond"), (3, "map"), (3, "while"), (3, "scan"), (2, "associative"))
        # Without gradients PyTorch accepts more.
        wraps = self.rng.random() < 0.1
        faults = self.faults
        if wraps:
            self.faults = 0
        made = getattr(self, "make_" + kind)(scope, depth)
        if made is None:
            made = self.make_cond(scope, depth)
        expr, type_ = made
        var = self.name()
        if wraps:
            expr = ["grad", False, expr]
            self.faults = faults
        statements.append([var, expr])
        scope.append((var, type_))

    def make_cond(self, scope, depth):
        given = [(e, t) for e, t in scope if self.level == 0 or not variables(e, set()) & self.local(scope)]
        types = [self.tree_type(given, 0.8) for _ in range(self.pick((2, 0), (4, 1), (3, 2)))] if self.leaves(given) else []
        types = [t for t in types if self.level == 0 or self.found(given, t)]
        operands = [self.value(given, t) for t in types]
        # Operands are tensors only: containers are fine.
        wanted = self.tree_type(scope)
        outer = self.apart(scope, operands) if depth > 0 else scope
        branch = lambda: self.function(outer, types, depth, lambda inner: self.result(inner, wanted))
        return ["cond", self.predicate(scope), branch(), branch(), *operands], wanted

    def make_map(self, scope, depth):
        rng = self.rng
        leaves = [(e, t) for e, t in self.leaves(scope) if t[2]]
        if not leaves:
            return None
        first = rng.choice(leaves)[1][2][0]
        items = [(e, t) for e, t in leaves if t[2][0] == first]
        chosen = [rng.choice(items) for _ in range(self.pick((5, 1), (2, 2)))]
        if len({json.dumps(e) for e, _ in chosen}) < len(chosen):
            chosen = chosen[:1]
        item_types = [("t", t[1], t[2][1:]) for _, t in chosen]
        if len(chosen) == 1 and rng.random() < 0.7:
            xs, param = chosen[0][0], item_types[0]
        elif rng.random() < 0.5:
            xs, param = ["list", *[e for e, _ in chosen]], ("list", tuple(item_types))
        else:
            xs = ["dict", *[part for key, (e, _) in zip(KEYS, chosen) for part in (key, e)]]
            param = ("dict", tuple(zip(KEYS, item_types)))
        taken = [json.dumps(e) for e, _ in chosen]
        rest = [(e, t) for e, t in scope if t[0] != "int" and json.dumps(e) not in taken and all(json.dumps(e) not in one for one in taken)]
        args = [rng.choice(rest)] if rest and rng.random() < 0.4 else []
        taken += [json.dumps(e) for e, _ in args]
        outer = [(e, t) for e, t in scope if not any(json.dumps(e) in one for one in taken)]
        if rng.random() < 0.1:
            outer = scope
        # Items are the same in all rounds: the result is a container of tensors.
        wanted = []

        def make(inner):
            wanted.append(self.tree_type(inner))
            return self.result(inner, wanted[0])

        fn = self.function(outer, [param, *[t for _, t in args]], depth, make)
        return ["map", fn, xs, *[e for e, _ in args]], stacked(wanted[0], first)

    def make_while(self, scope, depth):
        rng = self.rng
        types = [self.tree_type(scope, 0.8) for _ in range(rng.choice([0, 1, 1, 2]))]
        is_int = rng.random() < 0.25
        counter = ("int", "?") if is_int else ("t", "i64", ())
        start = 0 if is_int else self.operand(scope, "i64", (), 0) if rng.random() < 0.2 else ["full", 0, "i64"]
        limit = rng.choice([2, 3, 4])
        names = [self.name("c") for _ in range(len(types) + 1)]

        def condition(inner):
            if is_int:
                return ["sym", "<", names[0], limit]
            base = ["m", "lt", names[0], limit]
            if rng.random() < 0.35:
                leaves = [e for e, t in self.leaves(inner) if t[1] in ("f32", "f64")]
                if leaves:
                    return ["m", "logical_and", base, ["m", "lt", ["m", "sum", rng.choice(leaves)], 50]]
            return base

        given = list(zip(names[1:], types))
        values = [self.value(scope, t) for t in types]
        outer = self.apart(scope, [start, *values])
        cond_scope = [] if is_int else [(names[0], counter)]
        test = {"p": names, "b": [], "r": condition(outer + cond_scope + given)}

        def make(inner):
            step = ["sym", "+", names[0], 1] if is_int else ["m", "add", names[0], 1]
            return ["tuple", step, *[self.result(inner, t) for t in types]]

        inner = outer + cond_scope + given * 2
        statements, result = self.block(inner, depth, make)
        body = {"p": names, "b": statements, "r": result}
        loop = ["while", test, body, start, *values]
        # Functions may not close over a list with an integer that depends on data.
        return (["rest", loop], ("list", tuple(types))) if is_int and types else (loop, ("list", (("skip",) if is_int else counter, *types)))

    def apart(self, scope, values):
        """What shares no variable with the first values of a loop: PyTorch confuses both."""
        taken = variables(values, set())
        return [(e, t) for e, t in scope if not variables(e, set()) & taken]

    def make_scan(self, scope, depth):
        rng = self.rng
        leaves = [(e, t) for e, t in self.leaves(scope) if t[2]]
        if not leaves:
            return None
        chosen = [rng.choice(leaves)]
        dim = rng.randrange(len(chosen[0][1][2]))
        size = chosen[0][1][2][dim]
        others = [(e, t) for e, t in leaves if len(t[2]) > dim and t[2][dim] == size and e != chosen[0][0]]
        if others and rng.random() < 0.3:
            chosen.append(rng.choice(others))
        items = [("t", t[1], t[2][:dim] + t[2][dim + 1:]) for _, t in chosen]
        if len(chosen) == 1 and rng.random() < 0.7:
            xs, param = chosen[0][0], items[0]
        elif rng.random() < 0.5:
            xs, param = ["tuple", *[e for e, _ in chosen]], ("list", tuple(items))
        else:
            xs = ["dict", *[part for key, (e, _) in zip(KEYS, chosen) for part in (key, e)]]
            param = ("dict", tuple(zip(KEYS, items)))
        for _ in range(20):
            carry = self.tree_type(scope, 0.7)
            init = self.value(scope, carry)
            # PyTorch confuses carries that begin with one tensor.
            first = [json.dumps(part) for part in (init[1:] if carry[0] != "t" else [init])]
            if len(set(first)) == len(first):
                break
        wanted = []

        def make(inner):
            wanted.append(self.tree_type(inner))
            return ["tuple", self.result(inner, carry), self.result(inner, wanted[0])]

        fn = self.function(self.apart(scope, [init, xs]), [carry, param], depth, make)
        return ["scan", fn, init, xs, dim, rng.random() < 0.3], ("list", (carry, stacked(wanted[0], size, dim)))

    def make_associative(self, scope, depth):
        rng = self.rng
        leaves = [(e, t) for e, t in self.leaves(scope) if t[2] and t[1] != "b8"]
        if not leaves:
            return None
        e, t = rng.choice(leaves)
        dim = rng.randrange(len(t[2]))
        item = ("t", t[1], t[2][:dim] + t[2][dim + 1:])
        mode = "generic" if rng.random() < 0.3 and not isinstance(t[2][dim], str) else "pointwise"
        if rng.random() < 0.3:
            xs, param, result = ["dict", "a", e, "b", ["m", "mul", e, 2]], ("dict", (("a", item), ("b", item))), ("dict", (("a", t), ("b", t)))
        else:
            xs, param, result = e, item, t
        names = [self.name("a"), self.name("b")]
        closed = [(x, u) for x, u in self.leaves(scope) if u[1] == t[1] and broadcasts(u[2], item[2])]

        def combine(key):
            left, right = (names if key is None else [["get", name, key] for name in names])
            # The functions are associative: the order of the rounds has no effect.
            op = rng.choice(["add", "mul", "maximum"])
            out = ["m", op, left, right]
            if closed and rng.random() < 0.4 and mode == "pointwise" and op != "maximum":
                return ["m", op, out, rng.choice(closed)[0]]
            return out

        body = combine(None) if param[0] == "t" else ["dict", "a", combine("a"), "b", combine("b")]
        return ["associative", {"p": names, "b": [], "r": body}, xs, dim, rng.random() < 0.3, mode], result

    def case(self):
        rng = self.rng
        inputs = [["x", "f32", rng.choice([["n", 3], ["n"], [4, 3], ["n", 3]])]]
        if rng.random() < 0.7:
            inputs.append(["y", self.pick((4, "f32"), (1, "i64"), (1, "f64")), rng.choice([["n"], ["m"], ["m", 3], [3], [4], [2, 3]])])
        if rng.random() < 0.4:
            inputs.append(["z", rng.choice(["b8", "i64", "f32"]), []])
        state = []
        if rng.random() < 0.6:
            state.append(["w", "f32", rng.choice([[3], [], [2, 3]]), rng.choice(["parameter", "buffer", "buffer"])])
        if rng.random() < 0.3:
            state.append(["k", rng.choice(["f32", "i64"]), [3], rng.choice(["buffer", "constant"])])
        scope = [(name, ("t", dtype, tuple(shape))) for name, dtype, shape in inputs]
        scope += [(["self", name], ("t", dtype, tuple(shape))) for name, dtype, shape, _ in state]
        statements = []
        for size in ("n", "m"):
            if rng.random() < 0.4 and self.has(scope, size):
                var = self.name("s")
                statements.append([var, self.size(scope, size)])
                scope.append((var, ("int", size)))
        if rng.random() < 0.6:
            t = self.tensor_type(scope)
            var = self.name()
            statements.append([var, self.fresh(scope, t[1], t[2])])
            scope.append((var, t))
        depth = rng.choice([1, 1, 2, 2, 2])
        for _ in range(rng.choice([1, 1, 2])):
            self.flow(statements, scope, depth)
        outs = [e for e, t in self.leaves(scope[-1:])][:4]
        if not outs:
            return Generator(rng).case()
        if rng.random() < 0.5:
            outs = [["m", "clone", out] if rng.random() < 0.5 else out for out in outs]
        body = without_unused({"p": [], "b": statements, "r": ["tuple", *outs]})
        return {"inputs": inputs, "state": state, "body": body}


def broadcasts(shape, to):
    return len(shape) <= len(to) and (len(shape) == 0 or shape == to[-len(shape):])


def stacked(type_, size, dim=0):
    if type_[0] == "t":
        shape = type_[2]
        at = dim if dim <= len(shape) else 0
        return ("t", type_[1], shape[:at] + (size,) + shape[at:])
    if type_[0] == "list":
        return ("list", tuple(stacked(t, size, dim) for t in type_[1]))
    return ("dict", tuple((key, stacked(t, size, dim)) for key, t in type_[1]))


def main(path, count="62", seed="17"):
    rng = random.Random(int(seed))
    cases = []
    while len(cases) < int(count):
        case = Generator(rng).case()
        torch._dynamo.reset()
        case["result"] = record(case)
        found = FAILURES.search(case["result"].get("message", case["result"].get("text", "")))
        if found:
            print("left out:", found[0])
            continue
        cases.append(case)
        if "error" in case["result"]:
            print(len(cases) - 1, case["result"]["error"], case["result"]["message"][:150].replace("\n", " | "), flush=True)
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(json.dumps(cases, separators=(",", ":")).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
