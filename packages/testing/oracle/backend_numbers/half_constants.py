"""Constants of float16 and bfloat16 that a program makes and uses, and ranges of halves."""

import torch
import torch.nn.functional as F
from recorder import automatic

HALVES = {"float16": torch.float16, "bfloat16": torch.bfloat16}


def constants(record, name, dtype):
    one = torch.tensor(1.7, dtype=dtype)
    x = torch.stack([one, -one, one * 2, one / 2, one * 0, torch.tensor(2.0, dtype=dtype), one * 3])
    mask = torch.tensor([True, False, True, True, False, False, True])
    put = torch.tensor([0, 3])
    tensors = {
        "full": lambda x: torch.full((7,), 1.7, dtype=dtype),
        "full_like": lambda x: torch.full_like(x, 1.7),
        "new_full": lambda x: x.new_full((7,), 1.7),
        "scalar_tensor": lambda x: torch.scalar_tensor(1.7, dtype=dtype).expand(7),
        "fill": lambda x: torch.fill(x, 1.7),
        "fill_": lambda x: x.clone().fill_(1.7),
        "masked_fill": lambda x: x.masked_fill(x < 10, 1.7),
        "index_fill": lambda x: x.index_fill(0, torch.arange(7), 1.7),
        "cat": lambda x: torch.cat([torch.full((3,), 1.7, dtype=dtype), torch.full((4,), 1.7, dtype=dtype)]),
        "tensor": lambda x: torch.zeros_like(x) + torch.full((), 1.7, dtype=dtype),
        "cast": lambda x: torch.full((7,), 1.7).to(dtype),
        "cast64": lambda x: torch.full((7,), 1.7, dtype=torch.float64).to(dtype),
        "pad": lambda x: F.pad(x[:3], (2, 2), value=1.7),
        "stack": lambda x: torch.stack([torch.full_like(x, 1.7), x], 1)[:, 0],
    }
    def consumers(x, makers):
        results = []
        for make in makers:
            y = make(x)
            results += [x == y, x != y, x < y, x >= y, torch.isclose(x, y), torch.maximum(x, y) == y]
            results += [x - y, x * y, y.float(), y.double() * 3, y.float() * 3, (y + 1).float(), y.sum(), y.neg()]
        return tuple(results)

    names = list(tensors)
    for some in (names[:5], names[5:10], names[10:]):
        record(f"{name} {', '.join(some)}", lambda x, some=some: consumers(x, [tensors[one] for one in some]), x)
    record(f"{name} where", lambda x, m: (torch.where(m, x, 1.7), torch.where(m, x, 1.7) == 1.7, torch.where(m, 1.7, x).float()), x, mask)
    record(f"{name} masked_fill", lambda x, m: (x.masked_fill(m, 1.7) == 1.7, x.masked_fill(m, 1.7).float() * 3), x, mask)
    record(f"{name} index_fill", lambda x, i: (x.index_fill(0, i, 1.7) == 1.7, x.index_fill(0, i, 1.7).float() * 3), x, put)
    record(f"{name} index_put", lambda x, i: (x.index_put((i,), x.new_full((), 1.7)).float() * 3,), x, put)
    record(f"{name} slice", lambda x: (torch.slice_scatter(x, torch.full_like(x[:2], 1.7), 0, 1, 3).float() * 3,), x)
    record(f"{name} pad", lambda x: (F.pad(x, (1, 1), value=1.7).float() * 3, F.pad(x, (2, 0), value=1.7) == 1.7), x)
    record(f"{name} scalars", lambda x: (x == 1.7, x * 1.7, x - 1.7, x.clamp(max=1.7), x.clamp(max=1.7).float() == x.float()), x)
    record(f"{name} large", lambda x: (torch.full_like(x, 65000.0).float(), torch.full_like(x, 1e-7).float(), torch.full_like(x, 1 + 2**-11 + 2**-40).float(), torch.full_like(x, 1 + 2**-8 + 2**-40).float()), x)


def ranges(record, name, dtype):
    steps = ((0.1, 0.3, 7), (0.1, 0.3, 31), (0.1, 0.3, 50), (7.3, 0.7, 100), (100.1, -0.33, 50), (0.0, 0.1, 64), (257.0, 1, 70))
    starts = ((0.3, 7), (0.3, 40), (2040.3, 70), (250, 40), (2040, 70))

    def all_of_them(x):
        with_step = [torch.arange(start, start + step * (count - 0.5), step, dtype=dtype) for start, step, count in steps]
        without = [torch.arange(start, start + count - 0.5, dtype=dtype) for start, count in starts]
        ends = [torch.arange(40.3, dtype=dtype), torch.arange(2100, dtype=dtype)]
        return tuple(result for one in with_step + without + ends for result in (one, one.float() * 3))

    record(f"{name} arange", all_of_them, torch.zeros(1))
    record(f"{name} arange of size", lambda x: torch.arange(0.1, x.shape[0] * 0.3, 0.3, dtype=dtype).float(), (torch.zeros(40),), (torch.zeros(70),), dynamic=(automatic(0),))


def integers(record):
    for name, dtype in (("uint8", torch.uint8), ("int8", torch.int8), ("int32", torch.int32), ("int64", torch.int64), ("bool", torch.bool)):
        x = torch.tensor([0, 1, 0, 1, 1], dtype=dtype)
        mask = torch.tensor([True, False, True, False, True])
        calls = (
            lambda x, m, v: torch.full((3,), v, dtype=dtype),
            lambda x, m, v: x == torch.full_like(x, v),
            lambda x, m, v: x.masked_fill(m, v),
            lambda x, m, v: x.masked_fill(m, v) == x,
            lambda x, m, v: F.pad(x, (1, 1), value=v),
            lambda x, m, v: torch.where(m, x, v),
        )
        taken = []
        for value in (-1, 1.5, -1.5, 200, 300, 2**40, 256.7, 2**62, float("nan")):
            for call in calls:
                try:
                    call(x, mask, value)
                except RuntimeError:
                    continue
                taken.append((call, value))
        record(f"integers as {name}", lambda x, m, taken=taken: tuple(call(x, m, value) for call, value in taken), x, mask)


def make(record):
    for name, dtype in HALVES.items():
        constants(record, name, dtype)
        ranges(record, name, dtype)
    integers(record)
