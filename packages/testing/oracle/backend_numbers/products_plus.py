"""`prims.fma`, which tracing makes of `addcmul_`, `addcdiv_` and `add_` with a factor in branches, and itself."""

import torch
import torch._inductor.inductor_prims  # defines the operator
from recorder import automatic

fma = torch.ops.prims.fma.default
DTYPES = {
    "float32": torch.float32,
    "float64": torch.float64,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "complex64": torch.complex64,
    "int64": torch.int64,
    "int32": torch.int32,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
INF, NAN = float("inf"), float("nan")


def rounded(record, name, dtype):
    """The product is rounded, and overflows, before the sum."""
    step = torch.finfo(dtype).eps
    large = torch.finfo(dtype).max
    a = torch.tensor([1 + step, 1 + 2 * step, large, large, -large, 3, INF, 0, NAN, 0.1], dtype=dtype)
    b = torch.tensor([1 + step, 1 - step, 2, 1, 2, 1 / 3, 0, -1, 1, 0.7], dtype=dtype)
    c = torch.tensor([-1 - 2 * step, -1, -large, -large, INF, -1, 1, -0.0, 1, -0.07], dtype=dtype)
    record(f"rounding {name}", lambda a, b, c: (fma(a, b, c), fma(a, 2, c), fma(a, 0.3, c), fma(a, b, c).double() * 3), a, b, c)


def promoted(record):
    base = torch.tensor([[1.5, -2, 100], [0, 7, -3.25]])
    for first, dtype in DTYPES.items():
        a = base.to(dtype)
        # A half and a complex number are a complex half, which files do not hold.
        unlike = {"complex64": (torch.float16, torch.bfloat16), "float16": (torch.complex64,), "bfloat16": (torch.complex64,)}
        others = [base.flip(0).to(one) for one in DTYPES.values() if one not in unlike.get(first, ())]

        def calls(a, *others):
            results = [fma(a, b, a) for b in others] + [fma(a, a, c) for c in others]
            pairs = [(b, c) for b, c in zip(others, reversed(others)) if torch.complex64 not in (b.dtype, c.dtype)]
            results += [fma(a, b[0, 0], c[0]) for b, c in pairs]
            results += [fma(a, value, a) for value in (2, 2.5, True, 300)] + [fma(2, a, a), fma(a, a, 3), fma(0.5, a, 3)]
            return tuple(results)

        record(f"promotion {first}", calls, a, *others, rtol=1e-6 if dtype.is_complex else 0)


def shapes(record):
    x = torch.arange(6.0).reshape(2, 3)
    record("shapes", lambda a, b, c: (fma(a, b, c), fma(b, c, a), fma(a[:, :0], b[:0], c), fma(b, b, c), fma(a.t(), b[:2], a.t()), fma(a, a, a.t().contiguous().t())), x, x[0] + 1, x[:, :1])
    record("shapes that are open", lambda a, b, c: (fma(a, b, c), fma(a, 2, c), fma(b, b, 1)), (x, x[0], x[:, :1]), (x.repeat(3, 1), x[1], x.repeat(3, 1)[:, 1:2]), dynamic=(automatic(0), {}, automatic(0)))
    image = torch.arange(48.0).reshape(2, 3, 2, 4)
    record("memory formats", lambda a, b: (fma(a, b, b), fma(b, a, b), fma(b, b, a), fma(a, 2, b)), image.to(memory_format=torch.channels_last), image)


def branches(record):
    writes = {
        "addcmul_": lambda y, a, b, v: y.addcmul_(a, b, value=v),
        "addcdiv_": lambda y, a, b, v: y.addcdiv_(a, b + 1, value=v),
    }
    for name, dtype in list(DTYPES.items())[:9]:
        a = torch.tensor([1, 2, 3], dtype=dtype)
        b = torch.tensor([[3, 5, 7], [2, 4, 6]], dtype=dtype)
        exact = dtype.is_floating_point or dtype.is_complex
        for write, call in writes.items():
            if write == "addcdiv_" and not exact:
                continue

            def program(p, a, b, call=call):
                def yes(a, b):
                    y = b.clone()
                    return call(y, a, b, 2), call(b.clone(), a, b, 1.5 if exact else 3)

                return torch.cond(p.sum() > 0, yes, lambda a, b: (b + a, b * 2), (a, b))

            runs = [(torch.tensor([sign]), a, b) for sign in (1.0, -1.0)]
            record(f"{write} in a branch {name}", program, *runs, rtol=1e-6 if dtype.is_complex else 0)

        def scaled(p, a, b):
            return torch.cond(p.sum() > 0, lambda a, b: b.clone().add_(a, alpha=a.sum()), lambda a, b: b * 1, (a, b))

        record(f"add_ in a branch {name}", scaled, (torch.tensor([1.0]), a, b), (torch.tensor([-1.0]), a, b))


def make(record):
    for name, dtype in list(DTYPES.items())[:4]:
        rounded(record, name, dtype)
    promoted(record)
    shapes(record)
    branches(record)
