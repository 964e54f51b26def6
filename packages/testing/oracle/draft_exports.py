"""Writes fixtures/capture/drafts.json.gz: what PyTorch's draft_export makes of models with decisions
on data and with specifications that do not hold: the code of the program, its ranges, and the
failures of the report.

A failure is [type, expression, result or kind of guard, occurrences]; for an operator of its own
[type, operator, reason].

Usage (with PyTorch): python3 draft_exports.py OUT.json.gz
"""
import gzip
import inspect
import json
import logging
import sys
import warnings

import torch
from torch import nn
from torch.export import Dim, draft_export

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
CASES = {}


def case(*args, shapes=None):
    def add(fn):
        CASES[fn.__name__] = (fn, args, shapes)
        return fn

    return add


def numbers(n, start=0):
    return torch.arange(start, start + n, dtype=torch.float32)


def ints(*values):
    return torch.tensor(values)


def grid():
    return numbers(12).view(4, 3)


@case(numbers(6))
def tensor_condition(x):
    if x.sum() > 3:
        return x + 1
    return x - 1


@case(ints(3), numbers(6))
def item_condition(n, x):
    k = n.item()
    if k > 2:
        return x + k
    return x


@case(ints(2), numbers(6))
def negated(n, x):
    k = n.item()
    if not k > 5:
        return x + k
    return x


@case(ints(3), numbers(6))
def narrowed(n, x):
    k = n.item()
    return x.narrow(0, 0, k)


@case(ints(3), numbers(6))
def viewed(n, x):
    k = n.item()
    return x.view(k, -1)


@case(ints(3), ints(4), numbers(6))
def two_items(n, m, x):
    k = n.item()
    l = m.item()
    if k + l == 7:
        x = x + 1
    if k < l:
        x = x * 2
    return x


@case(ints(3), numbers(6))
def loop(n, x):
    k = n.item()
    for i in range(3):
        if k > i:
            x = x + 1
    return x


@case(ints(3), numbers(6))
def counted(n, x):
    k = n.item()
    for i in range(k):
        x = x + i
    return x


@case(numbers(6, -2))
def found(x):
    y = x.nonzero()
    if y.shape[0] * 2 + 1 == 11:
        return y + 1
    return y


@case(ints(2), numbers(6))
def conjunction(n, x):
    k = n.item()
    if k > 1 and k < 5:
        return x + k
    return x


@case(torch.tensor([0.5]), numbers(6))
def float_condition(n, x):
    k = n.item()
    if k > 0.25:
        return x * k
    return x


@case(torch.tensor([True]), numbers(6))
def bool_condition(n, x):
    if n.item():
        return x * 2
    return x


@case(ints(2), numbers(24).view(6, 4), shapes=(None, {0: Dim("b")}))
def mixed(n, x):
    k = n.item()
    if k < x.shape[0]:
        return x * 2
    return x


@case(numbers(6))
def several_conditions(x):
    if x.sum() > 0:
        x = x + 1
    if x.sum() < 0:
        x = x + 1
    for _ in range(2):
        if x.max() > 0:
            x = x + 1
    return x


@case(numbers(6))
def written(x):
    x.add_(1)
    if x[0].item() == 1:
        return x * 2
    return x


@case(ints(2), numbers(6))
def sized(n, x):
    k = n.item()
    y = torch.ones(k)
    if y.shape[0] == 2:
        return x.view(k, 3)
    return y


@case(ints(2, 3))
def repeated(n):
    return torch.repeat_interleave(ints(1, 2), n).view(5)


@case(grid(), shapes=({0: Dim("b")},))
def constant_size(x):
    if x.shape[0] == 4:
        return x + 1
    return x


@case(grid(), grid(), shapes=({0: Dim("b")}, {0: Dim("c")}))
def equal_sizes(x, y):
    return x + y


@case(grid(), grid(), shapes=({0: Dim("b"), 1: Dim("d")}, {0: Dim("c"), 1: None}))
def several_sizes(x, y):
    return x + y


@case(grid(), shapes=({0: Dim("b")},))
def least_size(x):
    if x.shape[0] > 2:
        return x + 1
    return x


@case(grid(), shapes=({0: Dim("b", max=16)},))
def viewed_size(x):
    return x.view(2, 2, 3)


@case(grid(), shapes=({0: Dim.DYNAMIC},))
def dynamic_size(x):
    return x.view(2, 2, 3)


@case(grid(), shapes=({0: Dim("b")},))
def nothing_wrong(x):
    return x + 1


@case(grid(), ints(3), shapes=({0: Dim("b")}, None))
def data_and_size(x, n):
    k = n.item()
    if k == 3:
        x = x + 1
    if x.shape[0] == 4:
        x = x * 2
    return x


@torch.library.custom_op("drafts::kept", mutates_args=())
def kept(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0].clone()


@torch.library.custom_op("drafts::pair", mutates_args=())
def pair(x: torch.Tensor, n: int) -> tuple[torch.Tensor, torch.Tensor]:
    return x.sin(), (x * n).sum(0)


@torch.library.custom_op("drafts::turned", mutates_args=())
def turned(x: torch.Tensor) -> torch.Tensor:
    return x.t().contiguous().t()


@torch.library.custom_op("drafts::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x, x])


@twice.register_fake
def _(x):
    return torch.empty_like(x)


@torch.library.custom_op("drafts::wide", mutates_args=())
def wide(x: torch.Tensor) -> torch.Tensor:
    return x.double()


@wide.register_fake
def _(x):
    return torch.empty_like(x)


@torch.library.custom_op("drafts::halves", mutates_args=())
def halves(x: torch.Tensor) -> list[torch.Tensor]:
    return [x[:2].clone(), x[2:].clone()]


@halves.register_fake
def _(x):
    return [x.new_empty(2), x.new_empty(2)]


@torch.library.custom_op("drafts::flipped", mutates_args=())
def flipped(x: torch.Tensor) -> torch.Tensor:
    return x.t().contiguous().t()


@flipped.register_fake
def _(x):
    return torch.empty_like(x)


@torch.library.custom_op("drafts::split_up", mutates_args=())
def split_up(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.clone(), x[:2].clone()


@split_up.register_fake
def _(x):
    return torch.empty_like(x), torch.empty_like(x)


@torch.library.custom_op("drafts::right", mutates_args=())
def right(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0].clone()


@right.register_fake
def _(x):
    return x.new_empty(torch.library.get_ctx().new_dynamic_size())


@torch.library.custom_op("drafts::fill", mutates_args=("x",))
def fill(x: torch.Tensor, value: float) -> None:
    x.fill_(value)


@case(numbers(6, -2))
def missing_fake(x):
    return kept(x) + 1


@case(numbers(6, -2))
def missing_fakes(x):
    y = kept(x)
    z = kept(x * 2)
    a, b = pair(x, 2)
    return y + 1, z, a, b


@case(numbers(6, -2))
def decision_on_missing_fake(x):
    y = kept(x)
    if y.shape[0] > 2:
        return y.to(torch.float64)
    return y


@case(grid())
def missing_fake_of_other_strides(x):
    return turned(x) + 1


@case(numbers(6))
def wrong_size(x):
    return twice(x) + 1


@case(numbers(6), shapes=({0: Dim("b")},))
def wrong_dynamic_size(x):
    return twice(x) + 1, twice(x * 2)


@case(numbers(6))
def wrong_dtype(x):
    return wide(x) + 1


@case(numbers(6))
def wrong_item(x):
    a, b = halves(x)
    return a + 1, b


@case(numbers(6, -2))
def right_fake(x):
    y = right(x)
    if y.shape[0] == 3:
        return y * 2
    return y


@case(numbers(6))
def trivial_fake(x):
    y = x + 1
    fill(y, 2.0)
    if y.sum().item() == 12:
        return y * 2
    return y


@case(numbers(6, -2))
def branch_missing_fake(x):
    return torch.cond(x.sum() > 0, lambda x: kept(x).sum(), lambda x: x.sum(), (x,))


@case(numbers(6, -2))
def other_branch_missing_fake(x):
    return torch.cond(x.sum() > 0, lambda x: x.sum(), lambda x: kept(x).sum(), (x,))


@case(numbers(6, -2))
def branch_pair(x):
    return torch.cond(x.sum() > 0, lambda x: pair(x, 2)[1], lambda x: x.sum(), (x,))


@case(numbers(6, -2))
def branch_wrong_dtype(x):
    return torch.cond(x.sum() > 0, lambda x: wide(x).sum(), lambda x: x.double().sum(), (x,))


@case(numbers(6), ints(3))
def branch_condition(x, n):
    def yes(x, n):
        k = n.item()
        if k > 2:
            return x + 1
        return x - 1

    return torch.cond(x.sum() > 0, yes, lambda x, n: x.clone(), (x, n))


@case(numbers(6), ints(3))
def other_branch_condition(x, n):
    def no(x, n):
        k = n.item()
        if k > 2:
            return x + 1
        return x - 1

    return torch.cond(x.sum() > 0, lambda x, n: x.clone(), no, (x, n))


@case(numbers(6))
def condition_on_branches(x):
    y = torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))
    if y.sum() > 3:
        return y + 1
    return y


@case(numbers(6), ints(3), ints(4))
def items_around_branches(x, n, m):
    k = n.item()
    if k > 2:
        x = x * 2

    def yes(x, m):
        if m.item() < 7:
            return x + 1
        return x.clone()

    y = torch.cond(x.sum() > 0, yes, lambda x, m: x - 1, (x, m))
    if k < 9:
        y = y + 3
    return y


@case(ints(4), numbers(6))
def remainder(n, x):
    k = n.item()
    if k % 2 == 0:
        x = x + 1
    if k // 2 > 1:
        x = x * 2
    return x


@case(ints(4), numbers(6))
def alternatives(n, x):
    k = n.item()
    if k == 1 or k == 4:
        return x + k
    return x


@case(ints(2, 3, 1), numbers(6))
def list_of_items(n, x):
    a, b, c = n.tolist()
    parts = x.split([a, b, c])
    if a < b:
        return parts[0] + 1, parts[1], parts[2]
    return parts


@case(ints(3), numbers(6))
def factory(n, x):
    k = n.item()
    y = torch.arange(k)
    if y.shape[0] < x.shape[0]:
        return y + 1
    return y


@case(ints(3), numbers(6))
def product_of_sizes(n, x):
    k = n.item()
    y = torch.zeros(k, 2)
    return y.reshape(-1) + x


@case(numbers(6, -2), numbers(6))
def two_selections(x, y):
    a = torch.masked_select(x, x > 0)
    b = torch.masked_select(y, y > 2)
    return a + b


@case(numbers(6, -2))
def selection_and_constant(x):
    a = torch.masked_select(x, x > 0)
    return a + torch.ones(3)


@case(numbers(6, -2))
def chained_missing_fakes(x):
    y = kept(x)
    z = kept(y * 2)
    if z.shape[0] == 3:
        return z + 1
    return y


@case(numbers(6, -2), grid())
def kinds_of_calls(x, g):
    a, b = pair(x, 2)
    c, d = pair(g, 3)
    e, f = pair(a, 2)
    return a, b, c, d, e, f


@case(numbers(6, -2))
def missing_and_wrong(x):
    y = kept(x)
    z = twice(x)
    w = wide(z)
    return y, z + 1, w


@case(grid())
def wrong_strides(x):
    return flipped(x) + 1


@case(numbers(6))
def wrong_second(x):
    a, b = split_up(x)
    return a + 1, b * 2


@case(numbers(6))
def wrong_first_size_twice(x):
    return twice(twice(x))


@case(numbers(6, -2), ints(3))
def missing_and_decision(x, n):
    k = n.item()
    if k > 1:
        x = x + k
    y = kept(x)
    if y.sum().item() > 2.5:
        return y * 2
    return y


@case(torch.tensor([2.5]), torch.tensor([0.5]), numbers(6))
def two_floats(a, b, x):
    p = a.item()
    q = b.item()
    if p > q:
        return x * (p + q)
    return x


@case(ints(4), numbers(24).view(6, 4), shapes=(None, {0: Dim("b"), 1: Dim("c")}))
def item_is_size(n, x):
    k = n.item()
    if k == x.shape[1]:
        return x + 1
    return x


@case(ints(4), numbers(6))
def check_before(n, x):
    k = n.item()
    torch._check(k > 2)
    if k > 2:
        x = x + 1
    if k > 3:
        x = x * 2
    return x


@case(numbers(6))
def any_and_all(x):
    if (x > 3).any():
        x = x + 1
    if (x > -1).all():
        x = x * 2
    return x


@case(grid(), ints(1))
def selected_row(x, n):
    k = n.item()
    row = x[k]
    if row.sum() > 5:
        return row + 1
    return row


@case(numbers(6), ints(2))
def padded(x, n):
    k = n.item()
    y = torch.cat([x, torch.zeros(k)])
    if y.shape[0] > 7:
        return y + 1
    return y


@case(numbers(6))
def missing_fake_after_write(x):
    y = x * 2
    fill(y, 3.0)
    return kept(y) + 1


def failure(report):
    data = report.data
    kind = str(report.failure_type)
    if "op" in data:
        return [kind, data["op"], data.get("reason")]
    return [kind, data["expr"], data.get("result", data.get("prefix")), data.get("occurrences")]


def main(out):
    recorded = {}
    for name, (fn, args, shapes) in CASES.items():
        names = ", ".join(inspect.signature(fn).parameters)
        scope = {"fn": fn}
        exec(f"def forward(self, {names}):\n    return fn({names})", scope)
        model = type("Model", (nn.Module,), {"forward": scope["forward"]})()
        try:
            program = draft_export(model, args, dynamic_shapes=shapes)
        except Exception as error:
            recorded[name] = {"error": type(error).__name__}
            continue
        graphs = {name: graph for name, graph in program.graph_module.named_modules() if "_graph_" in name}
        recorded[name] = {
            "code": program.graph_module.code.strip(),
            **({"graphs": {name: graph.code.strip() for name, graph in graphs.items()}} if graphs else {}),
            "ranges": {str(k): str(v) for k, v in program.range_constraints.items()},
            "failures": [failure(report) for report in program._report.failures],
            "profiles": {op: len(profiles) for op, profiles in program._report.op_profiles.items()},
        }
    with open(out, "wb") as file:
        file.write(gzip.compress(json.dumps(recorded).encode(), 9, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
