"""Writes fixtures/tensor/sum-orders.json.gz: reductions of floats over tensors of many lengths and layouts, as bytes.

PyTorch's kernels visit elements in an order that strides decide, and their vectors have 256 bits on every processor.
With ATEN_CPU_CAPABILITY=avx2 and avx512 this script writes the same file. With "default", four norms of short rows
differ: the last squares of a row are then not fused with their sums. Reductions of 32,768 elements and more also depend
on the number of threads, so it is one.

Elements are made from their positions (`element`), so the file does not hold them.

Usage (with PyTorch): python3 sum_orders.py SUM-ORDERS.json.gz
"""
import base64
import gzip
import json
import sys

import torch

torch.set_num_threads(1)
SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 129, 255, 257, 513, 1000, 1024, 2047, 4096, 5000]
# Lengths at which operators other than sums are recorded.
FEW = [1, 2, 3, 5, 8, 17, 33, 64, 65, 129, 257, 1000, 2047]
MASK = 2**32 - 1


def element(i):
    value = i * 2654435761 + 40503 & MASK
    value = (value ^ value >> 15) * 2246822519 & MASK
    return value / 2**31 - 1


POOL = [element(i) for i in range(33 * max(SIZES))]
OTHERS = {
    "norm 1": lambda x, dims: torch.linalg.vector_norm(x, 1, dims),
    "norm 2": lambda x, dims: torch.linalg.vector_norm(x, 2, dims),
    "var": lambda x, dims: x.var(dims),
    "var_mean": lambda x, dims: torch.stack(torch.var_mean(x, dims)),
}


def layouts(n):
    """Name, shape, strides, reduced dimensions."""
    yield "flat", [n], [1], [0]
    yield "rows", [4, n], [n, 1], [1]
    yield "all of rows", [3, n], [n, 1], [0, 1]
    yield "columns", [n, 4], [4, 1], [0]
    yield "many columns", [n, 33], [33, 1], [0]
    yield "columns of a transpose", [5, n], [1, 5], [1]
    yield "every second", [n], [2], [0]
    yield "middle", [2, n, 3], [3 * n, 3, 1], [1]
    yield "ends", [n, 3, 2], [6, 2, 1], [0, 2]
    yield "ends of a permutation", [n, 3, 2], [1, 2 * n, n], [0, 2]
    yield "images in channels last", [2, 3, n, 2], [6 * n, 1, 6, 3], [2, 3]
    if n <= 65:
        yield "rows of one element each", [n, 6], [1, 0], [1]
    yield "one row n times", [n, 9], [0, 1], [0]
    yield "gaps", [3, n], [n + 5, 1], [1]


def long_layouts():
    for n in (32769, 100003):
        yield n, "flat", [n], [1], [0]
    # Partial sums of longer runs than those of all other sizes.
    yield 2200003, "one row n times", [2200003, 3], [0, 1], [0]
    yield 2200003, "one element n times", [2200003], [0], [0]


def all_layouts():
    for n in SIZES:
        for layout in layouts(n):
            yield n, *layout
    yield from long_layouts()


def cases():
    for n, name, shape, strides, dims in all_layouts():
        length = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))
        for dtype in (torch.float32, torch.float64):
            data = torch.tensor(POOL[:length], dtype=torch.float64).to(dtype)
            x = data.as_strided(shape, strides)
            yield name, n, shape, strides, dims, "sum", x.sum(dims)
            if n in FEW or n > max(SIZES):
                for op, function in OTHERS.items():
                    yield name, n, shape, strides, dims, op, function(x, dims)
                # Factors are near 1.
                factors = torch.tensor([1 + value / 8 for value in POOL[:length]], dtype=torch.float64)
                y = factors.to(dtype).as_strided(shape, strides)
                product = y.prod(dims[0]) if len(dims) == 1 else y.prod()
                yield name, n, shape, strides, dims, "prod", product
            if dtype == torch.float32:
                yield name, n, shape, strides, dims, "mean", x.mean(dims)
                holes = data.clone()
                holes[2::7] = float("nan")
                yield name, n, shape, strides, dims, "nansum", holes.as_strided(shape, strides).nansum(dims)


def entry(name, n, shape, strides, dims, op, result):
    values = base64.b64encode(result.contiguous().numpy().tobytes())
    return {
        "name": f"{op} of {str(result.dtype)[6:]}, {name}, {n}",
        "shape": shape,
        "strides": strides,
        "dims": dims,
        "op": op,
        "dtype": str(result.dtype)[6:],
        "bytes": values.decode(),
    }


text = json.dumps([entry(*case) for case in cases()], separators=(",", ":"))
with open(sys.argv[1], "wb") as file:
    file.write(gzip.compress(text.encode(), 9, mtime=0))
