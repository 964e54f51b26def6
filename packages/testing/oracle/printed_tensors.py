"""Writes printed-tensors.jsonl.gz: tensors as PyTorch's `print` shows them, one case a line.

A case has a dtype, a shape, strides and an offset, options of `torch.set_printoptions`, and how its
storage is filled: ["hex", bytes], ["bits", seed] (pseudorandom bytes), or
["affine", seed, modulus, offset, scale]: (random % modulus - offset) * scale, as a double.
"""
import gzip, json, struct, sys
import torch

FLOATS = "float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu".split()
INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
COMPLEX = "complex32 complex64 complex128".split()
DTYPES = FLOATS + INTEGERS + ["bool"] + COMPLEX


def draws(seed, count):
    state, found = seed, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        found.append(state)
    return found


def storage(dtype, count, fill):
    """A row-major vector of `count` elements."""
    kind, *rest = fill
    torch_dtype = getattr(torch, dtype)
    size = torch.empty(0, dtype=torch_dtype).element_size()
    if kind == "hex":
        data = list(bytes.fromhex(rest[0]))
    elif kind == "bits":
        data = [(state >> 24) & (1 if dtype == "bool" else 255) for state in draws(rest[0], count * size)]
    else:
        seed, modulus, offset, scale = rest
        lanes = 2 if dtype in COMPLEX else 1
        values = [((state >> 8) % modulus - offset) * scale for state in draws(seed, count * lanes)]
        values = torch.tensor(values, dtype=torch.float64)
        if lanes == 2:
            return torch.view_as_complex(values.reshape(-1, 2)).to(torch_dtype)
        return values.to(torch_dtype)
    return torch.tensor(data, dtype=torch.uint8).view(torch_dtype)


def case(dtype, shape, fill, strides=None, offset=0, requires_grad=False, meta=False, **options):
    row = {"dtype": dtype, "shape": shape, "fill": fill}
    if strides is None:
        strides, step = [], 1
        for size in reversed(shape):
            strides.insert(0, step)
            step *= max(size, 1)
    else:
        row |= {"strides": strides, "offset": offset}
    count = 0 if 0 in shape else offset + sum((n - 1) * s for n, s in zip(shape, strides)) + 1
    if meta:
        tensor = torch.empty(shape, dtype=getattr(torch, dtype), device="meta")
        row["meta"] = True
    else:
        tensor = torch.as_strided(storage(dtype, count, fill), shape, strides, offset)
    if requires_grad:
        tensor.requires_grad_()
        row["requiresGrad"] = True
    torch.set_printoptions(profile="default")
    if options:
        torch.set_printoptions(**{name.lower(): value for name, value in options.items() if name != "sciMode"},
                               sci_mode=options.get("sciMode"))
        row["options"] = options
    row["text"] = str(tensor)
    return row


def hexed(form, values):
    return ["hex", struct.pack(f"<{len(values)}{form}", *values).hex()]


def every_dtype(dtype, index):
    fraction = 0.37 if dtype in FLOATS + COMPLEX else 1
    small = ["affine", index, 7, 0 if dtype.startswith("uint") else 3, 1]
    mixed = ["affine", index + 50, 200, 0 if dtype.startswith("uint") else 100, fraction]
    yield case(dtype, [], small)
    yield case(dtype, [], mixed)
    yield case(dtype, [0], small)
    yield case(dtype, [2, 0], small)
    yield case(dtype, [1], mixed)
    yield case(dtype, [3, 2], small)
    yield case(dtype, [13], mixed)
    yield case(dtype, [6], ["bits", index])
    yield case(dtype, [2, 2, 2], mixed)
    yield case(dtype, [2, 3], mixed, strides=[1, 2], offset=1)
    yield case(dtype, [1200], mixed)
    yield case(dtype, [8, 130], ["bits", index + 100], edgeItems=2)
    yield case(dtype, [2, 2], small, meta=True)


def floats():
    inf, nan = float("inf"), float("nan")
    for values in [
        [0.0, -0.0], [-0.0, 1.0], [nan], [inf, -inf, nan], [inf, 1.5], [nan, -2.0], [1e8, 1.0], [1e8], [1e9],
        [1000.0, 1.0], [1001.0, 1.0], [1e-4, 1e-4], [9.9e-5, 1e-4], [0.1, 100.1], [123456789.0], [99999999.0],
        [1e-45, 3e38], [5.0, nan, inf, 0.0], [0.5, 1.5, 2.5], [2.00005, 1.99995], [0.03125, 0.09375, 0.15625],
        [1000050.0, 1.5], [1000150.0, 1.5], [-1000050.0, 0.5], [2097152.5, 1.0], [16777216.0, 0.25], [-1.5, 0.0, nan],
    ]:
        yield case("float32", [len(values)], hexed("f", values))
    for precision in range(13):
        ties = [0.5, 2.5, -0.125, 0.375, 2**-13, 3 * 2**-13, 5 * 2**-7, -7 * 2**-9, 12345.5, 2**-15, 1e22, 123456789012345678.0]
        for mode in [False, True]:
            yield case("float64", [len(ties)], hexed("d", ties), precision=precision, sciMode=mode)
    for seed in range(12):
        yield case("float32", [9], ["bits", 1000 + seed])
        yield case("float64", [5], ["bits", 2000 + seed])
        yield case("float32", [4, 3], ["affine", 3000 + seed, 20001, 10000, 2.0**(seed - 8)], **[{}, {"sciMode": True}, {"sciMode": False}][seed % 3])


def scales():
    """float8_e8m0fnu has no zero: PyTorch finds its least value equal to 0, and its NaN finite."""
    for values in ["00", "ff", "00ff", "007f80", "7fff80", "00fe7f", "00010203", "ff00ff01", "80ff"]:
        yield case("float8_e8m0fnu", [len(values) // 2], ["hex", values])


def layouts():
    ramp = ["affine", 9, 1000, 500, 0.01]
    for shape in [[21], [30], [2, 2, 2, 2], [1, 1, 1], [5, 0, 2], [3, 40], [1001], [1, 1001], [1001, 1], [7, 150], [6, 170], [2, 3, 200],
                  [40, 5, 9], [10, 10, 10], [11, 10, 10], [2, 2, 2, 2, 70]]:
        yield case("float32", shape, ramp)
        yield case("int64", shape, ["affine", 4, 99991, 50000, 1])
    for options in [dict(threshold=5), dict(threshold=0), dict(edgeItems=1, threshold=8), dict(edgeItems=0, threshold=3), dict(lineWidth=40),
                    dict(lineWidth=0), dict(lineWidth=120), dict(precision=1, sciMode=True), dict(edgeItems=0), dict(threshold=2000, lineWidth=200)]:
        for shape in [[30], [5, 4], [2, 3, 4], []]:
            for dtype in ["float32", "float16", "int32", "complex64"]:
                yield case(dtype, shape, ramp if dtype != "int32" else ["affine", 5, 1000, 500, 1], **options)
    yield case("float32", [3, 4], ramp, strides=[0, 1], offset=0)
    yield case("float32", [2000, 3], ramp, strides=[0, 0], offset=2)
    yield case("int16", [3, 3, 2], ["affine", 5, 1000, 500, 1], strides=[1, 3, 9], offset=4)
    for dtype in ["float32", "float16", "complex64", "float64"]:
        for shape in [[3], [14], [2, 2], [0], [], [2000], [0, 2]]:
            yield case(dtype, shape, ramp, requires_grad=True)
        yield case(dtype, [2, 3], ramp, meta=True, requires_grad=True)
    for shape in [[], [5], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]]:
        yield case("float32", shape, ramp, meta=True)
        yield case("bool", shape, ramp, meta=True)


def cases():
    for index, dtype in enumerate(DTYPES):
        yield from every_dtype(dtype, index)
    yield from floats()
    yield from scales()
    yield from layouts()


lines = [json.dumps(row, separators=(",", ":")) + "\n" for row in cases()]
with open(sys.argv[1] if len(sys.argv) > 1 else "printed-tensors.jsonl.gz", "wb") as out:
    out.write(gzip.compress("".join(lines).encode(), 9, mtime=0))
