"""Records what PyTorch exports for functions that call operators of `torch.library.custom_op`.

    py packages/testing/oracle/custom_operators.py packages/testing/fixtures

Writes `capture/custom-operators.json.gz`: by the name of a case the text of the program and of the lowered one, or the
class and the first line of the exception (in control flow: of its reason). The cases in TypeScript are in
`packages/conformance/src/capture/custom-operators.fixture.ts`.
"""

import gzip
import json
import os
import sys
from typing import List, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor
from torch.export import Dim, export
from torch.library import custom_op, get_ctx

from program_texts import comparable

torch._logging.set_logs(all=50)
torch.manual_seed(0)
CASES = {}


def case(name, args, dynamic_shapes=None):
    def add(function):
        CASES[name] = (function, args, dynamic_shapes)
        return function

    return add


def define(name, fake=None, mutates_args=()):
    def add(kernel):
        operator = custom_op(f"o::{name}", mutates_args=mutates_args)(kernel)
        if fake is not None:
            operator.register_fake(fake)
        return operator

    return add


def size(**bounds):
    return get_ctx().new_dynamic_size(**bounds)


x3 = torch.randn(3)
y3 = torch.randn(3)
N = {0: Dim("n")}
AUTO = {0: Dim.AUTO}


@define("multi", lambda x, xs, *_, **__: (torch.empty_like(x), torch.empty_like(xs[0])))
def multi(
    x: Tensor,
    xs: List[Tensor],
    n: int = 3,
    s: str = "a",
    f: Optional[float] = None,
    b: bool = False,
    y: Optional[Tensor] = None,
    sizes: Optional[Sequence[int]] = None,
    dt: torch.dtype = torch.float32,
    d: Optional[torch.device] = None,
    sc: Union[int, float, bool] = 2,
    *,
    k: int = 5,
) -> Tuple[Tensor, Tensor]:
    return x.clone(), xs[0] * n


@case("arguments of every type", [torch.randn(3, 3)], (N,))
def _(x):
    a, b = multi(x, [x, x], 4, "a", 2)
    c, d = multi(x, [x], y=x, k=6)
    e, f = multi(x, [x, x], 3, "a", None, True, None, [x.shape[0], 2], torch.int64, torch.device("cpu"), 2.0)
    return a + b, c + d, e * f


@define("mut2", mutates_args={"x", "y"})
def mut2(x: Tensor, z: Tensor, y: Tensor, n: int) -> None:
    x.add_(z)
    y.mul_(n)


@case("two mutated arguments", [x3, y3], (N, N))
def _(x, y):
    c = y.clone()
    mut2(x, y, c, 3)
    mut2(x, y, c[:], y.shape[0])
    return c + x


@define("mutret", lambda x, n: torch.empty_like(x), mutates_args={"x"})
def mutret(x: Tensor, n: int) -> Tensor:
    x.add_(n)
    return x * 2


@case("a mutated view and a result", [x3])
def _(x):
    y = mutret(x[1:], 3)
    return y + 1, x


@define("ml", lambda xs, o=None, k=1.0: torch.empty_like(xs[0]), mutates_args={"xs", "o"})
def ml(xs: List[Tensor], o: Optional[Tensor] = None, k: float = 1.0) -> Tensor:
    return xs[0].clone()


@case("a mutated list and an optional tensor", [x3, y3])
def _(x, y):
    a = x.clone()
    b = y + 1
    r = ml([a, b[1:]])
    q = ml([a], y, 2.0)
    return r + q, a, b


@define("mutx", mutates_args={"x"})
def mutx(x: Tensor, y: Tensor) -> None:
    x.add_(y)


@case("views of inputs", [torch.randn(2, 2), torch.randn(2, 2)])
def _(x, y):
    mutx(x[0], y[1])
    mutx(x.t(), y)
    return x


@define("within", lambda x: x.new_empty([size(min=2, max=10), 3]))
def within(x: Tensor) -> Tensor:
    return torch.ones(4, 3)


@case("a new size with bounds", [x3])
def _(x):
    return within(x).sum(0)


@define("exactly", lambda x: x.new_empty([size(min=4, max=4)]))
def exactly(x: Tensor) -> Tensor:
    return torch.ones(4)


@case("a new size with equal bounds", [x3])
def _(x):
    return exactly(x) + 1


def twice_fake(x):
    n = size()
    return x.new_empty([n, n * 2])


@define("twice", twice_fake)
def twice(x: Tensor) -> Tensor:
    return torch.ones(2, 4)


@case("a new size and twice of it", [x3])
def _(x):
    return twice(x) + 1


@define("even", lambda x: x.new_empty([size() * 2]))
def even(x: Tensor) -> Tensor:
    return torch.ones(4)


@case("twice a new size", [x3])
def _(x):
    return even(x) + 1


@define("strided", lambda x: x.new_empty([4]).as_strided([2, 2], [size(), 1]))
def strided(x: Tensor) -> Tensor:
    return torch.ones(2, 2)


@case("a new size as a stride", [x3])
def _(x):
    return strided(x) + 1


def two_fake(x):
    n = size()
    m = size()
    return x.new_empty([m]), x.new_empty([n, m])


@define("two", two_fake)
def two(x: Tensor) -> Tuple[Tensor, Tensor]:
    return torch.ones(3), torch.ones(2, 3)


@case("two new sizes in the order of the results", [x3])
def _(x):
    a, b = two(x)
    return a * 2, b.shape[0], b


def ordered_fake(x):
    n = size()
    m = size()
    torch._check(n <= m)
    return x.new_empty([m, n])


@define("ordered", ordered_fake)
def ordered(x: Tensor) -> Tensor:
    return torch.ones(3, 2)


@case("a check in a fake", [x3])
def _(x):
    return ordered(x) + 1


@define("lst", lambda x, n: [torch.empty_like(x) for _ in range(n)])
def lst(x: Tensor, n: int) -> List[Tensor]:
    return [x.clone() for _ in range(n)]


@case("a list of tensors", [x3], (N,))
def _(x):
    a, b, c = lst(x, 3)
    return a + b + c


@define("num", lambda x: size())
def num(x: Tensor) -> int:
    return 3


@case("an integer that the data decide", [x3])
def _(x):
    return num(x), x.new_zeros(num(x))


@define("numi", lambda x, n: (torch.empty_like(x), n * 2))
def numi(x: Tensor, n: int) -> Tuple[Tensor, int]:
    return x.clone(), n * 2


@case("an integer of a size", [x3], (N,))
@case("an integer of a static size", [x3])
def _(x):
    y, n = numi(x, x.shape[0])
    return y + n


@define("flo", lambda x: 2.5)
def flo(x: Tensor) -> float:
    return 2.5


@case("a float", [x3])
def _(x):
    return x + flo(x)


@define("pad", lambda x, n, m: x.new_empty([x.shape[0] + n]))
def pad(x: Tensor, n: int, m: List[int]) -> Tensor:
    return torch.cat([x, x.new_zeros(n)])


@case("sizes as arguments", [x3], (N,))
def _(x):
    return pad(x, x.shape[0] * 2, [x.shape[0], 1])


@case("an item as an argument", [x3, torch.tensor(3)])
def _(x, y):
    return pad(x, y.item(), [1])


@define("s", lambda x: torch.empty_like(x))
def s(x: Tensor) -> Tensor:
    return x.sin()


@case("unused results", [x3])
def _(x):
    s(x)
    return s(x) + s(x)


@case("within cond", [x3], (N,))
def _(x):
    return torch.cond(x.sum() > 0, lambda x: s(x) + 1, lambda x: x * 2, (x,))


@case("a mutation within cond", [x3])
def _(x):
    def true_fn(x):
        z = x.clone()
        mutx(z, x)
        return z.sin()

    return torch.cond(x.sum() > 0, true_fn, lambda x: x * 2, (x,))


@case("within map", [torch.randn(2, 3), x3])
def _(x, y):
    return torch._higher_order_ops.map(lambda a, b: s(a) + b, x, y)


@define("branch", lambda x: x.new_empty([4]) if x.shape[0] > 2 else x.new_empty([5]))
def branch(x: Tensor) -> Tensor:
    return x.new_zeros(4)


@case("a guard in a fake", [x3], (AUTO,))
@case("a guard in a fake that a size breaks", [x3], (N,))
def _(x):
    return branch(x)


@define("alike", lambda x, y: (torch._check(x.shape[0] == y.shape[0]), torch.empty_like(x))[1])
def alike(x: Tensor, y: Tensor) -> Tensor:
    return x.clone()


@case("equal sizes in a fake", [x3, y3], (AUTO, AUTO))
def _(x, y):
    return alike(x, y)


@define("unfaked")
def unfaked(x: Tensor) -> Tensor:
    return x.clone()


@case("without a fake", [x3])
def _(x):
    return unfaked(x)


@define("more", lambda x: x.new_empty([size() + 1]))
def more(x: Tensor) -> Tensor:
    return x.clone()


@case("a new size that no result gives", [x3])
def _(x):
    return more(x)


@define("negative", lambda x: x.new_empty([size(min=-1)]))
def negative(x: Tensor) -> Tensor:
    return x.clone()


@case("a negative bound", [x3])
def _(x):
    return negative(x)


@case("a write to an operand of cond", [x3])
def _(x):
    def true_fn(x):
        mutx(x, x)
        return x.sin()

    return torch.cond(x.sum() > 0, true_fn, lambda x: x * 2, (x,))


def module_of(function):
    if function.__code__.co_argcount == 1:

        class Model(torch.nn.Module):
            def forward(self, x):
                return function(x)

    else:

        class Model(torch.nn.Module):
            def forward(self, x, y):
                return function(x, y)

    return Model()


def record(function, args, dynamic_shapes):
    try:
        program = export(module_of(function), tuple(args), dynamic_shapes=dynamic_shapes, strict=False)
    except Exception as error:
        # The first line of errors of control flow is the same for all of them.
        first, *others = [line.strip() for line in str(error).split(chr(10)) if line.strip() != ""]
        if "higher order operator" in first:
            first = others[0]
        return {"error": f"{type(error).__name__}: {first}"}
    return {"program": comparable(str(program)), "lowered": comparable(str(program.run_decompositions()))}


def main(fixtures):
    records = {name: record(*parts) for name, parts in CASES.items()}
    path = os.path.join(fixtures, "capture", "custom-operators.json.gz")
    with open(path, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as zipped:
        zipped.write(json.dumps(records, indent=1).encode())


main(*sys.argv[1:])
