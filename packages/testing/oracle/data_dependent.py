"""Writes fixtures/capture/data-dependent.json.gz: programs whose views, sizes and ranges only the
data decide.

"twins" has, by name, PyTorch's text of each program and of what `run_decompositions()` makes of it.
"files" has the program as PyTorch saves it (base64), its text as it is loaded, the text of what
lowering the loaded program gives (null where PyTorch refuses), and inputs with results.

Usage (with PyTorch): python3 data_dependent.py FIXTURES
"""
import base64
import gzip
import io
import json
import logging
import os
import re
import sys
import warnings

import torch
import torch.nn.functional as F
from torch.export import Dim, export, load, save

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
torch.manual_seed(0)

x = torch.arange(12.0).reshape(4, 3)
i, j, one, two, three, five = (torch.tensor(n) for n in (2, 3, 1, 2, 3, 5))
D = Dim.DYNAMIC
ROWS = {"x": {0: D}}
TWINS, FILES = {}, {}


def case(args, dynamic=None, twin=True, file=False, **options):
    """A function of the arguments; `options` are those of `export`."""

    def add(function):
        name = function.__name__.strip("_")
        for kind, wanted in ((TWINS, twin), (FILES, file)):
            if wanted:
                kind[name] = (function, args, dynamic, options)
        return function

    return add


@case((x, i, j), file=True)
def start_end(x, i, j): return x[i.item() : j.item()] * 2
@case((x, i), file=True)
def start(x, i): return x[i.item() :] * 2
@case((x, i))
def start_step(x, i): return x[i.item() :: 2] * 2
@case((x, i))
def negative_start(x, i): return x[-i.item() :] * 2
@case((x, i), file=True)
def end(x, i): return x[: i.item()] * 2
@case((x, i))
def column_start(x, i): return x[:, i.item() :] * 2
@case((x, i))
def bounded_start(x, i):
    torch._check(i.item() >= 0)
    return x[i.item() :] * 2
@case((x, i), ROWS, file=True)
def dynamic_start(x, i): return x[i.item() :] + 1
@case((x, i), ROWS)
def dynamic_end(x, i): return x[: i.item()] + 1
@case((x, i, j), file=True)
def two_slices(x, i, j): return x[i.item() :][: j.item()] * 2
@case((x, i))
def slice_reshape(x, i): return x[i.item() :].reshape(-1) * 2
@case((x, i))
def returned_slice(x, i): return x[i.item() :]
@case((x,))
def nonzero_slice(x): return x[: (x > 3).nonzero().shape[0]] * 1
@case((x,))
def nonzero_start(x): return x.flatten()[(x > 3).nonzero().shape[0] :] * 1
@case((x, i), file=True)
def row(x, i): return x[i] * 1
@case((x, i, j), file=True)
def two_rows(x, i, j): return x[i] + x[j]
@case((x, i, j), file=True)
def element(x, i, j): return x[i, j - 1] * 2
@case((x, i))
def row_column(x, i): return x[i, 1:] * 2
@case((x, i), ROWS)
def dynamic_row(x, i): return x[i] + 1
@case((x, one))
def select(x, i): return x.select(1, i.item()) + 1
@case((x, i), file=True)
def narrow(x, i): return x.narrow(0, i.item(), 2) + 1
@case((x, i))
def narrow_length(x, i): return x.narrow(0, 1, i.item()) + 1
@case((x, i), file=True)
def narrow_bounded(x, i):
    torch._check(i.item() >= 0)
    return x.narrow(0, i.item(), 1) + 1
@case((x, i, j), file=True)
def narrow_both(x, i, j): return x.narrow(0, i.item(), j.item() - 2) + 1
@case((x, i), ROWS, file=True)
def narrow_dynamic(x, i): return x.narrow(0, i.item(), 2) + 1
@case((x, i, torch.ones(1, 3)), file=True)
def write_narrow(x, i, v):
    x.narrow(0, i.item(), 1).copy_(v)
    return x * 1
@case((x, i), file=True)
def write_row(x, i):
    y = x.clone()
    y[i] = 7
    return y
@case((x, i, torch.ones(3)))
def write_tensor(x, i, v):
    y = x.clone()
    y[i] = v
    return y
@case((x, i, j))
def write_element(x, i, j):
    y = x.clone()
    y[i, j - 1] = 7
    return y
@case((x, i), file=True)
def write_start(x, i):
    y = x.clone()
    y[i.item() :] = 7
    return y
@case((x, i), file=True)
def write_end(x, i):
    y = x.clone()
    y[: i.item()] = 7
    return y
@case((x, i))
def write_bounded(x, i):
    torch._check(i.item() >= 0)
    torch._check(i.item() < 4)
    y = x.clone()
    y[i.item()] = 7
    return y
@case((x, i))
def write_input(x, i):
    x[i] = 7
    return x + 1
@case((x,), ROWS)
def tensor_of_size(x): return torch.tensor(x.shape[0]) + 1
@case((x,), ROWS)
def tensor_of_list(x): return torch.tensor([x.shape[0], 2, x.shape[0] * 2]) + 1
@case((x,), ROWS)
def tensor_of_lists(x): return torch.tensor([[x.shape[0], 1], [2, x.shape[0]]]) + 1
@case((x,), ROWS)
def tensor_of_floats(x): return torch.tensor([x.shape[0], 1.5]) + 1
@case((x,), ROWS)
def tensor_of_quotient(x): return torch.tensor(x.shape[0] / 2) + 1
@case((x,), ROWS)
def tensor_of_dtype(x): return torch.tensor([x.shape[0], 2], dtype=torch.float32) + 1
@case((x, three))
def tensor_of_item(x, i): return torch.tensor([i.item(), 4]) + 1
@case((torch.ones(3),))
def constant_item(x): return x * torch.tensor(3, dtype=torch.float32).item()
@case((torch.ones(3),))
def constant_power(x): return x.pow(torch.tensor(2.0).item())
@case((torch.ones(3), torch.tensor(True)), file=True)
def bool_item(x, s): return x.mul(s.item())
@case((torch.arange(3.0),))
def any_item(x): return x.mul((x > 1).any().item())
@case((torch.arange(5.0), two), file=True)
def topk(x, k): return x.topk(k.item())[0]
@case((torch.arange(12.0), three))
def view_rows(x, n): return x.view(n.item(), -1) + 1
CONDS = {"x": None, "r": D, "c": D}
@case((torch.ones(2), 2, 3), CONDS)
def cond_sizes(x, r, c):
    return torch.cond(x.sum() > 0, lambda x: x.new_ones(r, c), lambda x: x.new_zeros(r, c), (x,))
@case((torch.ones(2), 2, 3), CONDS)
def cond_other_sizes(x, r, c):
    return torch.cond(x.sum() > 0, lambda x: x.new_ones(r, c), lambda x: x.new_zeros(r, c + 1), (x,))
@case((torch.ones(2), 2, 3), CONDS)
def cond_three_sizes(x, r, c):
    return torch.cond(x.sum() > 0, lambda x: x.new_ones(r, c, r), lambda x: x.new_zeros(r, c, r), (x,))
@case((torch.tensor(2.5), torch.tensor(5.5)), twin=False, file=True)
def range_of_floats(a, b): return torch.arange(a.item(), b.item()) + 1
@case((five, torch.randn(32, 8)), twin=False, file=True)
def range_matmul(n, w):
    return (torch.arange(n.item(), 0, -1, dtype=torch.float32)[:, None] * torch.ones(32)) @ w
@case((x, torch.randn(40, 32)), twin=False, file=True)
def range_gather(x, emb):
    pos = torch.arange(x.shape[0])
    rel = torch.arange((pos[-1] - pos[0] + 1).item(), (pos[0] - pos[-1]).item() - 1, -1)
    return torch.gather(emb, 0, (rel[:, None] + 6).expand(rel.size(0), 32))
@case((torch.randn(2, 2, 8, 4), torch.randn(20, 4)), twin=False, file=True)
def relative_shift(q, emb):
    # The attention of a funnel transformer.
    pos = torch.arange(8, dtype=q.dtype)
    rel = torch.arange((pos[-1] - pos[0] + 1).item(), (pos[0] - pos[-1]).item() - 1, -1, dtype=torch.long)[:, None] + 8
    r = torch.gather(emb, 0, rel.expand(rel.size(0), 4))
    a = torch.einsum("bnid,td->bnit", q, r)
    shape = a.shape
    a = torch.reshape(a, [2, 2, shape[3], shape[2]])[:, :, 1:, :]
    a = torch.reshape(a, [2, 2, 8, shape[3] - 1])[..., :8]
    return torch.einsum("bnid,bnjd->bnij", q, q) + a
@case((torch.ones(3, 4),), twin=False, file=True)
def bits(x):
    y = x * 2
    y.sub_(1)
    return y.view(torch.int32)
@case((torch.ones(3, 4),), twin=False, file=True)
def bits_used(x):
    y = x * 2
    y.sub_(1)
    return y.view(torch.int32) + 1
@case((torch.ones(3, 4),), twin=False, file=True)
def bits_written(x):
    v = (x * 2).view(torch.int32)
    v.add_(1)
    return v
@case((torch.ones(3, 4),), twin=False, file=True)
def bits_transposed(x):
    y = x * 2
    y.sub_(1)
    return y.view(torch.int32).t(), y.view(torch.int16)

# Floats beside whole numbers in conditions.
half, floats = torch.tensor(2.5), (torch.tensor(2.5), torch.ones(3))
@case(floats)
def float_above(s, x):
    v = s.item()
    torch._check(v > 0)
    return x * v
@case(floats)
def float_between(s, x):
    v = s.item()
    torch._check(0.0 < v)
    torch._check(v <= 10.0)
    return x * v
@case(floats)
def float_sum(s, x):
    v = s.item()
    torch._check(v + 1 > 2.0)
    return x * v
@case(floats)
def float_product(s, x):
    v = s.item()
    torch._check(v * 2 >= 1.0)
    return x * v
@case((half, torch.tensor(1.5), torch.ones(3)))
def float_pair(s, r, x):
    a, b = s.item(), r.item()
    torch._check(a > b)
    torch._check(a - b > 0.5)
    torch._check(a - b >= 0.0)
    return x * a * b
# Ranges have the direction of their steps.
@case((two, five))
def range_between(i, j): return torch.arange(i.item(), j.item())
@case((two,))
def range_down(i): return torch.arange(i.item(), 0, -1)
@case((half, torch.tensor(7.5)))
def range_floats(i, j): return torch.arange(i.item(), j.item(), 0.5)
@case((two, five))
def range_mixed(i, j): return torch.arange(i.item(), j.item() * 1.5, 0.5)
@case((half,))
def range_floats_down(i): return torch.arange(i.item(), 0.0, -0.5)
@case((two, five))
def range_stepped(i, j):
    k = i.item()
    torch._check(k > 0)
    return torch.arange(0, j.item(), k)
@case((x, two), ROWS)
def range_to_size(x, i): return torch.arange(i.item(), x.shape[0])
# Guards that became assertions of the program.
auto = {"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO}}
deferred = {"prefer_deferred_runtime_asserts_over_guards": True}
rows = torch.ones(8, 4)
@case((torch.ones(8),), auto, **deferred)
def deferred_view(x): return x.view(-1, 2) * 2
@case((rows,), auto, **deferred)
def deferred_halves(x): return x.reshape(2, x.shape[0] // 2, 4).sum(0)
@case((rows,), auto, **deferred)
def deferred_bound(x):
    torch._check(x.shape[0] > 3)
    return x * 2
@case((rows,), auto, **deferred)
def deferred_bounds(x):
    torch._check(x.shape[0] != 5)
    torch._check(x.shape[0] < 100)
    return x * 2
@case((rows,), auto, **deferred)
def deferred_product(x):
    torch._check(x.shape[0] * 2 > 7)
    return x * 2
@case((rows, torch.ones(6)), auto, **deferred)
def deferred_order(x, y):
    torch._check(x.shape[0] + 1 > y.shape[0])
    return x * 2 + y.sum()
@case((rows, torch.ones(8, 4)), auto, **deferred)
def deferred_equality(x, y): return x + y
@case((rows, torch.ones(8, 2)), auto, **deferred)
def deferred_cat(x, y): return torch.cat([x, y], 1)
@case((rows, torch.ones(4, 4)), auto, **deferred)
def deferred_multiple(x, y):
    torch._check(x.shape[0] == y.shape[0] * 2)
    torch._check(x.shape[0] % 4 == 0)
    return x.view(-1, 8) + y.repeat(1, 2)
@case((torch.tensor([True, False]), rows), {"x": {0: Dim.AUTO}}, **deferred)
def deferred_count(m, x):
    n = m.sum().item()
    torch._check(n < x.shape[0])
    return x[:, 0] * n, torch.zeros(n)
# What a call with several results gives, and the comparisons of inequalities.
repeated = torch.tensor([3.0, 1.0, 3.0, 2.0, 2.0])
@case((repeated,), file=True)
def unique_counts(x): return torch.unique_consecutive(x, return_counts=True)
@case((repeated,))
def unique_all(x): return torch.unique_consecutive(x, return_inverse=True, return_counts=True)
@case((repeated,))
def unique_last(x): return torch.unique_consecutive(x, return_counts=True)[1] + 1
@case((repeated,))
def unique_sorted(x): return torch.unique(x, return_inverse=True, return_counts=True)
@case((x,))
def unique_rows(x):
    v, i, c = torch.unique(x, dim=0, return_inverse=True, return_counts=True)
    return v.sum(0), i, c
@case((two, three))
def other_number(i, j):
    a, b = i.item(), j.item()
    torch._check(a != b)
    torch._check(a >= 0)
    return torch.zeros(a) + b
@case(floats)
def other_float(s, x):
    v = s.item()
    torch._check(v != 3.0)
    return x * v
# Sizes whose root is no size of an input.
fours, odds = {"x": {0: 4 * Dim("r")}}, {"x": {0: 2 * Dim("r") + 1}}
nine = torch.ones(9, 4)
@case((rows,), fours)
def derived_slice(x): return torch.zeros(x[::4].size(0))
@case((rows,), fours)
def derived_range(x): return x[::4] + torch.arange(x[::4].size(0)).unsqueeze(1)
@case((rows,), fours)
def derived_view(x): return torch.ones(x.view(-1, 4, 4).size(0))
@case((nine,), odds)
def derived_odd(x): return torch.ones(x[1::2].size(0))
@case((nine,), odds)
def derived_own(x): return torch.ones(x.size(0) - 1)


# ---------------------------------------------------------------- names of lowered programs
counts = torch.tensor([1, 2, 0, 3])


def each(*args, rows=True, fixed=True):
    """A file of a function, and one with dynamic rows."""

    def add(function):
        if fixed:
            FILES[function.__name__] = (function, args, None, {})
        if rows:
            FILES[f"{function.__name__}_rows"] = (function, args, {"x": {0: D}, "n": {0: D}}, {})
        return function

    return add


def inside(i, end):
    n = i.item()
    torch._check(n >= 0)
    torch._check(n < end)
    return n


def between(a, b): return torch.arange(a.item(), b.item(), 2.0)


@each(x, i)
def copied_into_start(x, i):
    y = x.clone()
    y[i.item() :].copy_(torch.ones(3))
    return y
@each(x, i)
def added_to_start(x, i):
    y = x.clone()
    y[i.item() :].add_(1)
    return y
@each(x, i, rows=False)
def multiplied_by_row(x, i):
    y = x.clone()
    y[: i.item()].mul_(x[0])
    return y
@each(x, i)
def filled_narrow(x, i):
    y = x.clone()
    y.narrow(0, i.item(), 1).fill_(1)
    return y
@each(x, i)
def added_to_narrow(x, i):
    y = x.clone()
    y.narrow(0, i.item(), 1).add_(1)
    return y
@each(x, i)
def copied_into_narrow(x, i):
    y = x.clone()
    y.narrow(0, i.item(), 2).copy_(x[:2])
    return y
@each(x, i, rows=False)
def narrow_then_slice(x, i):
    n, y = i.item(), x * 2
    y.narrow(0, n, 2).add_(1)
    y[n:].mul_(2)
    return y
@each(x, i, rows=False)
def row_then_slice(x, i):
    n, y = i.item(), x * 2
    y[1:].add_(1)
    y[n:].mul_(2)
    return y
@each(x, i, rows=False)
def slice_twice(x, i):
    n, y = i.item(), x * 2
    y[n:].add_(1)
    y[n:].mul_(2)
    return y
@each(x, one, rows=False)
def narrow_twice(x, i):
    n, y = i.item(), x * 2
    y.narrow(0, n, 2).add_(1)
    y.narrow(0, n, 3).mul_(2)
    return y
@each(x, one, rows=False)
def slices_then_narrow(x, i):
    n, y = i.item(), x * 2
    y[n:].add_(1)
    y[:n].mul_(2)
    y.narrow(0, n, 1).sub_(1)
    return y
@each(x, i)
def bounded_narrow(x, i):
    y = x.clone()
    y.narrow(0, inside(i, 3), 2).mul_(2)
    return y
@each(x, i)
def bounded_select(x, i):
    y = x.clone()
    y.select(0, inside(i, 3)).mul_(2)
    return y
@each(x, i)
def bounded_row(x, i):
    y, n = x.clone(), inside(i, 3)
    y[n] = x[0]
    return y, y[n] + 1
@each(x, i)
def bounded_scatter(x, i): return x.select_scatter(x[0], 0, inside(i, 3))
@each(x, i)
def scatter_from_start(x, i):
    torch._check(i.item() >= 0)
    return x.select_scatter(x[0], 0, i.item())
@each(x, torch.tensor(-2), rows=False)
def scatter_from_end(x, i):
    torch._check(i.item() < 0)
    return x.select_scatter(x[0], 0, i.item())
@each(x, one)
def narrow_of_narrow(x, i): return x.narrow(1, i.item(), 1).narrow(0, i.item(), 1) + 1
@each(x, one)
def size_of_narrow(x, i):
    y = x.narrow(0, i.item(), 1)
    return torch.zeros(y.shape[0]), y.reshape(-1)
@each(torch.tensor(-5), torch.tensor(8), rows=False)
def range_in_heads(a, b):
    e = (between(a, b)[:, None] * torch.ones(32)).reshape(-1, 4, 8)
    return e.reshape(e.shape[0], 32)
@each(torch.tensor(-5), torch.tensor(8), rows=False)
def expanded_range(a, b):
    e = between(a, b)[:, None].expand(-1, 32).reshape(-1, 4, 8)
    return e.reshape(e.shape[0], 32)
@each(torch.tensor(-5), torch.tensor(8), rows=False)
def size_of_heads(a, b):
    e = (between(a, b)[:, None] * torch.ones(32)).reshape(-1, 4, 8)
    return torch.zeros(e.shape[0])
@each(torch.arange(64.0).reshape(2, 32), torch.tensor(-5), torch.tensor(8))
def relative_positions(x, a, b):
    e = (between(a, b)[:, None] * torch.ones(32)).reshape(-1, 4, 8)
    scores = torch.einsum("bnh,tnh->bnt", x.reshape(x.shape[0], 4, 8), e)
    return scores.softmax(-1).sum(-1), e.transpose(0, 1).contiguous().sum((1, 2))
@each(x, counts)
def repeated(x, n): return x.repeat_interleave(n, 0) + 1
@each(x, counts)
def repeated_beside_size(x, n): return x.repeat_interleave(n, 0), torch.zeros(x.shape[0] + 1)
@each(x, counts)
def sums_of_repeated(x, n):
    y = x.repeat_interleave(n, 0)
    return y.cumsum(0), torch.arange(y.shape[0] + 1)
@each(x, counts)
def repeated_places(x, n):
    y = torch.repeat_interleave(n)
    return x[y] * 2, y
@each(x, counts)
def repeated_by_sum(x, n): return x.flatten().repeat_interleave(n.sum().item()) + 1
@each(x, counts)
def repeated_columns(x, n):
    y = x.t().repeat_interleave(n, 1)
    return y.reshape(-1), y.sum(1)
@each(x)
def sums_of_masked(x):
    y = x[x > 3]
    return torch.cat([torch.zeros(1), y.cumsum(0)]), torch.arange(y.shape[0] + 1)
@each(x)
def sums_of_range(x): return torch.cumsum(torch.arange(x.nonzero().shape[0] + 1), 0) + 1
@each(x, fixed=False)
def sums_beside_range(x): return x.cumsum(0), torch.arange(x.shape[0] + 1)
@each(x, fixed=False)
def sums_along_columns(x): return x.cumsum(1), torch.arange(x.shape[0] + 1)
@each(x, fixed=False)
def sums_of_sums(x): return (x * 2).cumsum(0).cumsum(0), torch.zeros(x.shape[0] + 1)
@each(x, fixed=False)
def products_beside_range(x): return torch.zeros(x.shape[0] + 1), x.cumprod(0)


def related(*conditions):
    """Two numbers with these conditions: a file has what follows of their ranges, and a program in memory what it declares."""

    def model(i, j):
        n, k = i.item(), j.item()
        for condition in conditions:
            torch._check(condition(n, k))
        return torch.ones(2) * n + k

    return model


for number, conditions in enumerate((
    (lambda n, k: n + k == 5, lambda n, k: n > 0, lambda n, k: k >= 0),
    (lambda n, k: n > 0, lambda n, k: k > n),
    (lambda n, k: k > n, lambda n, k: n > 0),
    (lambda n, k: n < k, lambda n, k: k < 10, lambda n, k: n > 0),
    (lambda n, k: k == n + 1, lambda n, k: n > 0),
    (lambda n, k: n + k <= 8, lambda n, k: n >= 0, lambda n, k: k >= 0),
)):
    TWINS[f"related_{number}"] = FILES[f"related_{number}"] = (related(*conditions), (two, three), None, {})


def module_of(function):
    names = ", ".join(function.__code__.co_varnames[: function.__code__.co_argcount])
    scope = {"torch": torch, "function": function}
    exec(f"class Model(torch.nn.Module):\n    def forward(self, {names}):\n        return function({names})\n", scope)
    return scope["Model"]()


def text_of(program):
    lines = [line.rstrip() for line in str(program).split("\n") if not re.match(r" *#( File| No)", line)]
    return "\n".join(line for line in lines if line != "")


def lowered(program):
    try:
        return text_of(program.run_decompositions())
    except Exception:
        return None


def exported(function, args, dynamic, options):
    copies = tuple(arg.clone() if isinstance(arg, torch.Tensor) else arg for arg in args)
    names = function.__code__.co_varnames[: len(args)]
    dynamic = dynamic and {name: dynamic.get(name) for name in names}
    return export(module_of(function), copies, dynamic_shapes=dynamic, strict=False, **options)


def values(items):
    return [[str(t.dtype)[6:], list(t.shape), t.detach().flatten().tolist()] for t in items]


def twin(*parts):
    program = exported(*parts)
    # What PyTorch leaves of the wrapper of a function is not part of the program.
    low = lowered(program)
    return {"program": text_of(program), "lowered": low and re.sub(r"(, )?s83: VR\[2, int_oo\]", "", low)}


def file(function, args, *options):
    buffer = io.BytesIO()
    save(exported(function, args, *options), buffer)
    data = buffer.getvalue()
    program = load(io.BytesIO(data))
    out = function(*[arg.clone() for arg in args])
    out = out if isinstance(out, tuple) else (out,)
    return {
        "file": base64.b64encode(data).decode(),
        "loaded": text_of(program),
        "lowered": lowered(program),
        "inputs": values(args),
        "outputs": values(out),
    }


def main(fixtures):
    record = {
        "twins": {name: twin(*parts) for name, parts in TWINS.items()},
        "files": {name: file(*parts) for name, parts in FILES.items()},
    }
    path = os.path.join(fixtures, "capture", "data-dependent.json.gz")
    with open(path, "wb") as out, gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as zipped:
        zipped.write(json.dumps(record, indent=1).encode())


main(*sys.argv[1:])
