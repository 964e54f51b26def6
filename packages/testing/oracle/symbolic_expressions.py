"""Random symbolic expressions with the texts that PyTorch gives them.

    python symbolic_expressions.py OUT.json [COUNT] [SEED]

Each row: `srepr` (as .pt2 files hold it), `text` (as annotations print it), `expanded` (products of sums multiplied
out; numeric expressions only), `python` (as guards_code holds it) and `guard` (as `Guard failed: ...` shows it).
"""

import ast
import json
import random
import signal
import sys

import sympy
import torch.utils._sympy.functions as tf
from torch.fx.experimental.symbolic_shapes import ShapeGuardPythonPrinter, safe_expand

SIZES = [sympy.Symbol(n, positive=True, integer=True) for n in ("s77", "s17", "s27", "s0")]
INTEGERS = SIZES + [sympy.Symbol(n, integer=True) for n in ("u0", "u1", "s86")]
FLOAT = sympy.Symbol("zuf0")
HEADS = {name: getattr(tf, name) for name in [*tf.__all__, "Max", "Min", "OpaqueUnaryFn_sqrt"]}
LIMIT_SECONDS = 1.0


def integer(depth):
    if depth <= 0 or random.random() < 0.12:
        if random.random() < 0.3:
            return sympy.Integer(random.choice([1, 2, 3, 4, 5, 8, -1, -2, 0, 7, 16]))
        return random.choice(INTEGERS)
    kind = random.choices(
        ["add", "sub", "mul", "floordiv", "mod", "extremum", "pow", "ite", "round", "power", "index"],
        [6, 4, 6, 5, 3, 4, 1, 1, 2, 1, 1],
    )[0]
    a = integer(depth - 1)
    if kind in ("add", "sub", "mul"):
        b = integer(depth - 1)
        return a + b if kind == "add" else a - b if kind == "sub" else a * b
    if kind in ("floordiv", "mod"):
        b = sympy.Integer(random.choice([2, 3, 4, 6, 8])) if random.random() < 0.6 else integer(depth - 2)
        return random.choice([tf.FloorDiv, tf.CleanDiv] if kind == "floordiv" else [tf.Mod, tf.PythonMod])(a, b)
    if kind == "extremum":
        return random.choice([tf.Max, tf.Min])(a, integer(depth - 1))
    if kind == "pow":
        return tf.PowByNatural(a, sympy.Integer(random.choice([2, 3])))
    if kind == "ite":
        return sympy.Piecewise((a, condition(depth - 1)), (integer(depth - 1), True))
    if kind == "round":
        return random.choice([tf.CeilToInt, tf.FloorToInt, tf.TruncToInt, tf.RoundToInt])(real(depth - 1))
    if kind == "power":
        return tf.PowByNatural(sympy.Integer(2), integer(depth - 2))
    return tf.ModularIndexing(a, sympy.Integer(random.choice([1, 2, 4])), sympy.Integer(random.choice([2, 4, 8])))


def real(depth):
    if depth <= 0:
        constant = sympy.Float(random.choice([1.5, 2.0, 0.5, -1.25, 1e-5, 3.0, 0.1, 1 / 3]))
        return random.choice([tf.ToFloat(random.choice(INTEGERS)), FLOAT, constant])
    kind = random.choice(["int/", "float/", "float", "add", "mul", "sqrt", "pow"])
    if kind == "int/":
        return tf.IntTrueDiv(integer(depth - 1), integer(depth - 1))
    if kind == "float":
        return tf.ToFloat(integer(depth - 1))
    a = real(depth - 1)
    if kind == "sqrt":
        return tf.OpaqueUnaryFn_sqrt(a)
    b = real(depth - 1)
    return tf.FloatTrueDiv(a, b) if kind == "float/" else a + b if kind == "add" else a * b if kind == "mul" else tf.FloatPow(a, b)


def condition(depth):
    kind = random.choice(["relation"] * 6 + ["and", "or", "not"])
    if depth <= 1 or kind == "relation":
        relation = random.choice([sympy.Eq, sympy.Ne, sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge])
        return relation(integer(depth - 1), integer(depth - 1))
    if kind == "not":
        return sympy.Not(condition(depth - 1))
    return (sympy.And if kind == "and" else sympy.Or)(condition(depth - 1), condition(depth - 1))


class GuardPrinter(ShapeGuardPythonPrinter):
    """The printer of guards; symbols keep their names."""

    def __init__(self):
        super().__init__({}, str, {})

    def _print_Symbol(self, expr):
        return expr.name


def row(expression):
    text = sympy.srepr(expression)
    read = sympy.sympify(text, locals=HEADS)
    python = GuardPrinter().doprint(read)
    if str(read) != str(expression) or "int_oo" in text or len(text) > 400 or read.is_Atom or "ITE" in text:
        return None
    return {
        "srepr": text,
        "text": str(read),
        "expanded": None if isinstance(read, sympy.logic.boolalg.Boolean) else str(safe_expand(read)),
        "python": python,
        "guard": ast.unparse(ast.parse(python, mode="eval")),
    }


def main(out, count=600, seed=1):
    def stop(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    random.seed(int(seed))
    rows = {}
    while len(rows) < int(count):
        make = random.choice([integer, integer, integer, real, condition])
        signal.setitimer(signal.ITIMER_REAL, LIMIT_SECONDS)
        try:
            found = row(make(random.choice([2, 3, 3, 4])))
        except Exception:  # division by zero, negative powers, ...: not an expression
            found = None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if found:
            rows[found["srepr"]] = found
    with open(out, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(r) for r in rows.values()) + "\n]\n")


main(*sys.argv[1:])
