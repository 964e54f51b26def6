"""Records what PyTorch exports for small models, and what it lowers the programs to.

    py packages/testing/oracle/lowering_twins.py packages/testing/fixtures

Writes `capture/lowering-twins.json.gz`: by the name of a model the texts of the program, of the lowered one, and of the
lowered one after saving and loading (where that is another); or the class and the first line of the exception. Calls of the lowered program are grouped by the
lines that they come from. The models in TypeScript are in `packages/conformance/src/capture/lowering-twins.fixture.ts`.
"""

import contextlib
import gzip
import io
import json
import logging
import os
import re
import sys
import warnings

import torch
from torch import nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as hop_map
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim, export, load, save

from program_texts import comparable

F = nn.functional
warnings.filterwarnings("ignore")
torch._logging.set_logs(all=50)
CASES = {}


def case(name, args, context=contextlib.nullcontext, **options):
    """A function of tensors, or of a module with a parameter `w` of three ones; `options` are those of `export`."""

    def add(function):
        CASES[name] = (function, args, context, options)
        return function

    return add


class Model(nn.Module):
    """A model whose forward is a function."""

    def __init__(self, function):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))
        self.linear = nn.Linear(2, 2)
        self.function = function

    def forward(self, *args):
        return self.function(self, *args)


# Modes of gradients around an export.
x3 = (torch.ones(3),)
counted = (torch.tensor(3), torch.ones(2, 2))


@contextlib.contextmanager
def enable_in_no_grad():
    with torch.no_grad(), torch.enable_grad():
        yield


@contextlib.contextmanager
def set_grad_false():
    with torch.set_grad_enabled(False):
        yield


def write(self, x):
    self.w.add_(1)
    return x * self.w


def regions(self, x):
    with torch.enable_grad():
        y = x * self.w
    with torch.no_grad():
        z = y + self.w
    return z * 2


def set_twice(self, x):
    with torch.set_grad_enabled(True):
        y = x * self.w
    with torch.set_grad_enabled(False):
        z = y + self.w
    return z * 2


def nested_regions(self, x):
    with torch.enable_grad():
        y = x * self.w
        with torch.no_grad():
            y = y + 1
        z = y * 3
    return z * 2


def write_with_grad(self, x):
    with torch.enable_grad():
        self.w.add_(1)
    return x * self.w


def branches(self, x):
    def first(x):
        with torch.enable_grad():
            return x * self.w

    def second(x):
        with torch.no_grad():
            return x + self.w

    return torch.cond(x.sum() > 0, first, second, (x,))


def write_through_view(self, x):
    y = x * self.w
    y.add_(1)
    v = self.w[:2]
    v.mul_(2)
    return y, self.w.detach()


def rows(self, x):
    return hop_map(lambda r: r * self.w, x[None])


def rounds(self, it, x):
    return while_loop(lambda it, x: it > 0, lambda it, x: (it - 1, self.linear(x)), (it, x))


def rounds_with_grad(self, it, x):
    with torch.enable_grad():
        return while_loop(lambda it, x: it > 0, lambda it, x: (it - 1, self.linear(x)), (it, x))


for function in (write, regions, set_twice, nested_regions, write_with_grad, branches, write_through_view, rows):
    case(f"no_grad {function.__name__}", x3, torch.no_grad)(function)
for function in (rounds, rounds_with_grad):
    case(f"no_grad {function.__name__}", counted, torch.no_grad)(function)
case("enable_grad in no_grad regions", x3, enable_in_no_grad)(regions)
case("enable_grad in no_grad write", x3, enable_in_no_grad)(write)
case("set_grad_enabled(False) write", x3, set_grad_false)(write)
for function in (write, regions, nested_regions, branches):
    case(f"no_grad strict {function.__name__}", x3, torch.no_grad, strict=True)(function)

# Attention without queries or without keys.
attention = F.scaled_dot_product_attention


def empty(*shapes, dtype=torch.float32):
    return tuple(torch.zeros(shape, dtype=dtype) for shape in shapes)


case("attention without batches", empty((0, 2, 4, 4)))(lambda self, q: attention(q, q, q))
case("attention without queries", empty((1, 2, 0, 4), (1, 2, 3, 4)))(lambda self, q, k: attention(q, k, k))
case("attention without keys", empty((1, 2, 3, 4), (1, 2, 0, 4)))(lambda self, q, k: attention(q, k, k))
case("attention without features", empty((1, 2, 3, 0), (1, 2, 3, 4)))(lambda self, q, v: attention(q, q, v))
case("attention of three dimensions", empty((0, 4, 4)))(lambda self, q: attention(q, q, q))
case("attention of widths", empty((0, 2, 4, 4), (0, 2, 5, 4), (0, 2, 5, 6)))(lambda self, q, k, v: attention(q, k, v))
case("attention of halves", empty((0, 4), dtype=torch.float16))(lambda self, q: attention(q, q, q))
case("attention with broadcast batches", empty((0, 2, 4, 4), (1, 2, 4, 4)))(lambda self, q, k: attention(q, k, k))
case("attention with dropout", empty((0, 2, 4, 4)))(lambda self, q: attention(q, q, q, dropout_p=0.5))

# Resizing of one position, and to one position.
def resize(mode, size, align):
    return lambda self, x: F.interpolate(x, size=size, mode=mode, align_corners=align)


RESIZED = {
    "one": ("linear", (1,), 7),
    "to one": ("linear", (7,), 1),
    "two": ("bilinear", (1, 4), (3, 1)),
    "three": ("trilinear", (1, 2, 1), (2, 2, 1)),
    "cubic": ("bicubic", (1, 3), (2, 1)),
}
for name, (mode, size, sizes) in RESIZED.items():
    for corners, align in (("aligned", True), ("not aligned", False)):
        case(f"resize {name} {corners}", (torch.ones(1, 1, *size),))(resize(mode, sizes, align))

# Written arguments that are lists.
lib = torch.library.Library("twins", "FRAGMENT")
lib.define("fill_all(Tensor x, Tensor(a!)[]? outs=None) -> Tensor")
lib.define("fill_some(Tensor x, Tensor(a!)?[] outs) -> Tensor")


def fill(x, outs=None):
    for k, out in enumerate(outs or ()):
        if out is not None:
            out.copy_(x + k)
    return x.sum()


for operator in ("fill_all", "fill_some"):
    lib.impl(operator, fill, "CPU")
    torch.library.register_fake(f"twins::{operator}", lambda x, outs=None: x.new_empty(()))
twins = torch.ops.twins


@case("list of results not given", x3)
def not_given(self, x):
    return twins.fill_all(x)


@case("list of results given", x3)
def given(self, x):
    y = x.clone()
    return twins.fill_all(x, [y, y]), y


@case("list of results empty", x3)
def without_items(self, x):
    return twins.fill_all(x, [])


# Views that operators write to, and that are not read in between.
lib.define("inc_(Tensor(a!) x, int k) -> ()")
lib.impl("inc_", lambda x, k: x.add_(k) and None, "CPU")
torch.library.register_fake("twins::inc_", lambda x, k: None)
inc = twins.inc_
x34 = (torch.ones(3, 4),)


@case("a view written twice", x34)
def written_twice(self, x):
    v = (x * 2)[:2]
    inc(v, 1)
    inc(v, 2)
    return v


@case("a view read between writes", x34)
def read_between(self, x):
    v = (x * 2)[:2]
    inc(v, 1)
    z = v + 1
    inc(v, 2)
    return v, z


@case("two views written", x34)
def two_written(self, x):
    y = x * 2
    v, w = y[:2], y[1:]
    inc(v, 1)
    inc(w, 2)
    return v, w


@case("a view of a view written", x34)
def inner_written(self, x):
    v = (x * 2)[:2]
    w = v[:1]
    inc(v, 1)
    inc(w, 2)
    return v, w


@case("a view written in two ways", x34)
def written_in_two_ways(self, x):
    y = x * 2
    v = y[:2]
    inc(v, 2)
    v.mul_(2)
    inc(v, 3)
    return v + y[:2]


@case("a base written, then its view", x34)
def base_and_view(self, x):
    y = x * 2
    v = y[:2]
    inc(y, 2)
    inc(v, 3)
    return v


# Lines that views have which a write makes anew.
x234 = (torch.ones(2, 3, 4),)


@case("lines of a written view", x234)
def lines_written(self, *args):
    y = args[0] * 2
    v = y.view(6, 4)
    v.relu_()
    return v.sin()


@case("lines of a view of what is written", x234)
def lines_of_base(self, *args):
    y = args[0] * 2
    v = y.view(6, 4)
    y.relu_()
    return v.sin()


@case("lines of a view of a written view", x234)
def lines_of_inner(self, *args):
    y = args[0] * 2
    v = y.view(6, 4)
    w = v[1:]
    v.relu_()
    z = w.cos()
    return v.sin()[1:] + z


@case("lines of views written alternately", x234)
def lines_in_turn(self, *args):
    y = args[0] * 2
    v = y.view(6, 4)
    w = y[0]
    v.relu_()
    a = w.sin()
    w.mul_(2)
    return v.cos(), a, w


# Assertions on numbers that depend on data.
mask = (torch.tensor([True, False, True]),)
numbers = (torch.tensor([2, 3]),)
x7 = (torch.ones(7), torch.tensor(True))


@case("check a count", mask)
def check_count(self, m):
    n = m.sum().item()
    torch._check(n > 0)
    return torch.arange(n)


@case("check a count from above", mask)
def check_most(self, m):
    n = m.sum().item()
    torch._check(n <= 5)
    torch._check(n >= 0)
    return torch.zeros(n)


@case("check indices", (torch.tensor([1.0, 0.0, 2.0]),))
def check_indices(self, x):
    found = x.nonzero()
    torch._check(found.size(0) > 0)
    return x.sin()


@case("check that a size differs", (torch.ones(7),))
def check_other(self, x):
    y = x[x > 0]
    torch._check(y.size(0) != 3)
    return y.sum()


@case("check two numbers", numbers)
def check_two(self, x):
    a, b = x[0].item(), x[1].item()
    torch._check(a >= 0)
    torch._check(b >= 0)
    torch._check(a + b > 3)
    return x + a + b


@case("check an order", numbers)
def check_order(self, x):
    a, b = x[0].item(), x[1].item()
    torch._check(a < b)
    return x * a - b


@case("sum of an operand of its own size", x7)
def operand_size(self, a, p):
    return torch.cond(p, lambda z: z.sum(), lambda z: z.max(), (a[a > 0],))


@case("operand of a map of its own size", x7)
def mapped_size(self, a, p):
    return hop_map(lambda z, w: z + w.sum(), a.view(7, 1), a[a > 0])


@case("operand of nested branches of its own size", x7)
def nested_size(self, a, p):
    def first(z):
        return torch.cond(p, lambda y: y.sum(), lambda y: y.max(), (z,))

    return torch.cond(p, first, lambda z: z.max(), (a[a > 0],))


@case("carried value of its own size", (torch.tensor(0), torch.ones(7)))
def carried_size(self, i, a):
    return while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * 2), (i, a[a > 0]))


@case("checked operand of branches", x7)
def checked_size(self, a, p):
    y = a[a > 0]
    torch._check(y.size(0) != 3)
    return torch.cond(p, lambda z: z.sum(), lambda z: z.max(), (y,))


# Symbols of bodies: PyTorch runs a body several times, and each run makes new ones.
x43 = (torch.arange(12.0).reshape(4, 3).clone(),)
positive = lambda x: x[x > 1].sum()
first_item = lambda x: x.sum().to(torch.int64).item()


@case("symbols of branches", x43)
def symbols_of_branches(self, x):
    return torch.cond(x.sum() > 0, positive, lambda x: (x * first_item(x)).sum(), (x,))


@case("symbols around branches", x43)
def symbols_around(self, x):
    y = x[x > 2]
    z = torch.cond(x.sum() > 0, positive, lambda x: x.sum(), (x,))
    w = x[x > 3]
    return y.sum().max(z), w.cos(), torch.cond(x.sum() > 1, positive, lambda x: x.max(), (y,))


@case("symbols of nested branches", x43)
def symbols_nested(self, x):
    inner = lambda x: torch.cond(x.max() > 2, positive, lambda x: x.sum(), (x,))
    return torch.cond(x.sum() > 0, inner, lambda x: x.sum(), (x,))


@case("symbols of branches in a map", x43)
def symbols_in_map(self, x):
    return hop_map(lambda v: torch.cond(v.sum() > 0, positive, lambda x: x.sum(), (v,)) + v, x)


@case("symbols of a map in a branch", x43)
def symbols_of_map(self, x):
    mapped = lambda x: hop_map(lambda v: v.max(v[v > 0].sum()), x)
    return torch.cond(x.sum() > 0, mapped, lambda x: x.cos(), (x,))


@case("symbols of a loop", x43)
def symbols_of_loop(self, x):
    return while_loop(
        lambda i, y: (first_item(y) + i) < 3, lambda i, y: (i + 1, y.max(y[y > 0].sum())), (torch.tensor(0), x)
    )


@case("symbols of branches in a loop", x43)
def symbols_in_loop(self, x):
    step = lambda y: torch.cond(y.sum() > 0, lambda y: y.max(positive(y)), lambda y: y.cos(), (y,))
    return while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, step(y)), (torch.tensor(0), x))


@case("several symbols of a branch", x43)
def several_symbols(self, x):
    both = lambda x: x[x > 1].sum().max(x[x > 2].sum()).pow(first_item(x))
    return torch.cond(x.sum() > 0, both, lambda x: x[x < 0].sum(), (x,))


@case("checked symbol of a branch", x43)
def checked_symbol(self, x):
    def counted(x):
        n = first_item(x)
        torch._check(n >= 2)
        torch._check(n <= 50)
        return torch.arange(n).sum()

    return torch.cond(x.sum() > 0, counted, lambda x: x.sum().to(torch.int64), (x,))


@case("float symbol of a branch", x43)
def float_symbol(self, x):
    return torch.cond(x.sum() > 0, lambda x: x * x.sum().item(), lambda x: x.max(x[x > 0].sum()), (x,))


# Operands that are broadcast for their layout alone count for names.
row = torch.ones(4)
for name, args in (
    ("lerp by a row", (x234[0], torch.zeros(2, 3, 4), row)),
    ("lerp to a row", (x234[0], torch.zeros(4), row)),
    ("lerp from a row", (row, x234[0], torch.ones(2, 1, 1))),
    ("lerp by a number", (x234[0], row, torch.tensor(0.25))),
    ("lerp of one size", (x234[0], torch.zeros(2, 3, 4), x234[0] / 2)),
):
    case(name, args)(lambda self, a, b, w: torch.lerp(a, b, w).sum(0).expand(2, 3, 4))


# Products of matrices in the function of a scan.
SCANS = {
    "scan of products": (lambda a, b: a @ b, (5, 2, 2), 0),
    "scan of an even number of products": (lambda a, b: a @ b, (4, 2, 2), 0),
    "scan of products over a later dimension": (lambda a, b: a @ b, (2, 3, 2), 1),
    "scan of products of batches": (lambda a, b: a @ b, (4, 3, 2, 2), 0),
    "scan of products with a sum": (lambda a, b: (a @ b) * 0.5 + a, (4, 2, 2), 0),
    "scan of products of what is transposed": (lambda a, b: a.t() @ b, (4, 2, 2), 0),
    "scan of products as einsum": (lambda a, b: torch.einsum("ij,jk->ik", a, b), (4, 2, 2), 0),
}
for name, (combine, sizes, dim) in SCANS.items():
    case(name, (torch.ones(*sizes),))(
        lambda self, x, combine=combine, dim=dim: associative_scan(combine, x, dim, combine_mode="generic")
    )


def groups(program):
    """The names of calls, divided where the comment on their source changes."""
    found = [[]]
    for line in str(program).split("\n"):
        name = re.match(r"\s*(\w+): \".*torch\.ops", line)
        if re.match(r"\s*# File", line):
            found.append([])
        elif name:
            found[-1].append(name[1])
    return found


def record(wanted, function, args, context, options):
    found = {}
    try:
        with context():
            # Comments name lines of functions that are called `forward`.
            if "groups" in wanted:
                function.__code__ = function.__code__.replace(co_name="forward")
            model = type("Lines", (Model,), {"forward": function}) if "groups" in wanted else Model
            program = export(model(function), args, **options)
        found["program"] = comparable(str(program))
        found["lowered"] = comparable(str(program.run_decompositions()))
        if "groups" in wanted:
            found["groups"] = groups(program.run_decompositions())
        file = io.BytesIO()
        save(program, file)
        file.seek(0)
        loaded = comparable(str(load(file).run_decompositions()))
        if loaded != found["lowered"]:
            found["loaded"] = loaded
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return found


def main(folder, pattern=""):
    logging.disable(logging.CRITICAL)
    found = {
        name: record({"groups"} if name.startswith("lines of") else (), *entry)
        for name, entry in CASES.items()
        if pattern in name
    }
    text = json.dumps(found, indent=1)
    if folder == "-":
        print(text)
        return
    with gzip.GzipFile(os.path.join(folder, "capture", "lowering-twins.json.gz"), "wb", mtime=0) as file:
        file.write(text.encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
