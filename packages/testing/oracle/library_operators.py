"""Writes fixtures/torch-libraries/cases.json.gz: calls of operators of torchvision and transformers, with PyTorch's results.

Usage (with PyTorch, torchvision and transformers): python3 library_operators.py FILE
"""

import gzip
import itertools
import json
import math
import os
import sys

import torch
import torchvision  # noqa: F401  (registers the operators)
import transformers.integrations.moe  # noqa: F401

CASES = []
F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
NAN, INF = math.nan, math.inf


def plain(value):
    if isinstance(value, torch.Tensor):
        flat = value.detach().reshape(-1).tolist()
        return {"dtype": str(value.dtype)[6:], "shape": list(value.shape), "values": [number(v, value.dtype) for v in flat]}
    if isinstance(value, float):
        return {"float": number(value)}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value


def number(value, dtype=None):
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, float) and dtype is not None and dtype != torch.float64:
        value = float(f"{value:.9g}")
    if isinstance(value, float) and value == 0 and math.copysign(1, value) < 0:
        return "-0"
    return value


def record(note, op, *args):
    """One call: the result, or the first line of the reason why PyTorch refuses it."""
    namespace, name = op.split("::")
    case = {"note": note, "target": f"{namespace}.{name}.default", "args": [plain(arg) for arg in args]}
    outcome = in_child(lambda: getattr(getattr(torch.ops, namespace), name).default(*args))
    if outcome is None:
        print("PyTorch crashes:", op, note)
    else:
        CASES.append({**case, **outcome})


def in_child(call):
    """What a call gives, computed in a child process: some calls with NaN read outside of their tensors and crash."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            outcome = {"result": plain(call())}
        except Exception as error:
            outcome = {"error": str(error).splitlines()[0]}
        with os.fdopen(write, "w") as file:
            json.dump(outcome, file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def boxes(n, size=8.0):
    corner = torch.rand(n, 2) * size * 0.6
    return torch.cat([corner, corner + torch.rand(n, 2) * size * 0.5], 1)


def regions(n, batch, size=8.0):
    return torch.cat([torch.randint(0, batch, (n, 1)).float(), boxes(n, size)], 1)


def edge_regions():
    return torch.tensor(
        [
            [0, 0, 0, 8, 6],
            [1, -3, -2, 4, 4],
            [0, 5, 4, 20, 30],
            [1, 3, 3, 3, 3],
            [0, 6, 5, 2, 1],
            [1, 100, 100, 120, 120],
            [0, -50, -50, -40, -40],
            [1, 1.5, 2.5, 4.5, 3.5],
            [0, 7.999, 5.999, 8.001, 6.001],
        ]
    )


def nms():
    op = "torchvision::nms"
    for n, threshold in itertools.product((0, 1, 7, 24), (0.0, 0.3, 0.5, 1.0)):
        record(f"{n} boxes", op, boxes(n), torch.rand(n), threshold)
    record("float64", op, boxes(15).double(), torch.rand(15).double(), 0.4)
    for dtype in (F16, BF16, torch.int64):
        record(f"{dtype}", op, (boxes(6) * 8).to(dtype), torch.rand(6).to(dtype), 0.4)
    tied = torch.tensor([0.5, 0.5, 0.5, 0.9, 0.9, 0.1, 0.5])
    record("ties", op, torch.cat([boxes(4), boxes(4)])[:7], tied, 0.2)
    record("equal boxes and scores", op, torch.tensor([[0.0, 0, 2, 2]]).repeat(4, 1), torch.ones(4), 0.5)
    record("overlap equal to the threshold", op, torch.tensor([[0.0, 0, 2, 2], [0.0, 0, 2, 4]]), torch.tensor([1.0, 0.5]), 0.5)
    record("threshold below the float32 overlap", op, torch.tensor([[0.0, 0, 1, 1], [0.0, 0, 1, 3]]), torch.tensor([1.0, 0.5]), 1 / 3)
    record("empty boxes", op, torch.tensor([[1.0, 1, 1, 1], [1, 1, 1, 1], [0, 0, 2, 2], [2, 2, 0, 0]]), torch.tensor([0.1, 0.2, 0.3, 0.4]), 0.0)
    record("nan scores", op, boxes(6), torch.tensor([0.1, NAN, 0.7, -INF, INF, NAN]), 0.3)
    nan_boxes = boxes(6)
    nan_boxes[2, 0] = NAN
    nan_boxes[4, 3] = INF
    record("nan and infinite boxes", op, nan_boxes, torch.rand(6), 0.3)
    record("negative threshold", op, boxes(5), torch.rand(5), -1.0)
    record("strides", op, boxes(6).t().contiguous().t(), torch.rand(12)[::2], 0.3)
    record("boxes of one dimension", op, torch.rand(4), torch.rand(1), 0.3)
    record("five columns", op, torch.rand(3, 5), torch.rand(3), 0.3)
    record("scores of two dimensions", op, boxes(3), torch.rand(3, 1), 0.3)
    record("other number of scores", op, boxes(3), torch.rand(4), 0.3)
    record("other dtype of scores", op, boxes(3), torch.rand(3).double(), 0.3)


def roi_align():
    op = "torchvision::roi_align"
    x = torch.randn(2, 3, 6, 8)
    for aligned, ratio, scale in itertools.product((False, True), (-1, 0, 2), (1.0, 0.5)):
        record("random", op, x, regions(4, 2), scale, 2, 3, ratio, aligned)
    for aligned, ratio in itertools.product((False, True), (-1, 1, 3)):
        record("edges", op, x[:, :1], edge_regions(), 1.0, 2, 2, ratio, aligned)
    for dtype in (F16, BF16, F64, torch.int32):
        record(f"{dtype}", op, (x * 4).to(dtype), regions(3, 2).to(dtype), 0.5, 2, 2, 2, True)
        record(f"{dtype} adaptive", op, (x * 4).to(dtype), regions(3, 2).to(dtype), 1.0, 3, 2, -1, False)
    record("a scale that float32 rounds", op, x, regions(3, 2), 0.1, 2, 2, 2, False)
    record("no regions", op, x, torch.zeros(0, 5), 1.0, 2, 2, 2, True)
    record("no batch, no regions", op, x[:0], torch.zeros(0, 5), 1.0, 2, 2, 2, True)
    record("no channels", op, x[:, :0], regions(2, 2), 1.0, 2, 2, 2, True)
    record("one pixel", op, x[:, :, :1, :1], regions(3, 2), 1.0, 2, 2, 2, True)
    bad = regions(3, 2)
    bad[0, 1], bad[1, 4] = NAN, INF
    record("nan and infinite boxes, adaptive", op, x, bad, 1.0, 2, 2, -1, True)
    record("nan and infinite boxes, fixed", op, x, bad, 1.0, 2, 2, 2, True)
    special = x.clone()
    special[0, 0, 2, 3], special[1, 1, 4, 4] = NAN, INF
    record("nan and infinity in the image", op, special, regions(5, 2), 1.0, 2, 2, 2, True)
    record("strides", op, x.permute(0, 1, 3, 2).contiguous().permute(0, 1, 3, 2), regions(3, 2), 1.0, 2, 2, 2, True)
    record("four columns", op, x, torch.rand(3, 4), 1.0, 2, 2, 2, True)
    record("dtypes differ", op, x, regions(2, 2).double(), 1.0, 2, 2, 2, True)


def pools():
    x = torch.randn(2, 8, 6, 8)
    for op, extra in (("torchvision::roi_pool", [()]), ("torchvision::ps_roi_pool", [()]), ("torchvision::ps_roi_align", [(-1,), (0,), (2,)])):
        for more, scale in itertools.product(extra, (1.0, 0.5)):
            record("random", op, x, regions(4, 2), scale, 2, 2, *more)
            record("edges", op, x[:, :4], edge_regions(), scale, 2, 2, *more)
        first = extra[-1]
        for dtype in (F16, BF16, F64):
            record(f"{dtype}", op, x.to(dtype), regions(3, 2).to(dtype), 0.5, 2, 2, *first)
        record("other window", op, x, regions(3, 2), 1.0, 4, 1, *first)
        record("halves are rounded away from zero", op, x, torch.tensor([[0, -0.5, 0.5, 2.5, 3.5], [1, 1.5, -1.5, 4.5, 5.5]]), 1.0, 2, 2, *first)
        record("no regions", op, x, torch.zeros(0, 5), 1.0, 2, 2, *first)
        bad = regions(3, 2)
        bad[0, 1] = NAN
        if op == "torchvision::ps_roi_align":
            record("nan boxes", op, x, bad, 1.0, 2, 2, 2)
            record("nan boxes, adaptive", op, x, bad, 1.0, 2, 2, -1)
        special = x.clone()
        special[0, 0, 2, 3], special[1, 1, 4, 4], special[1, 0] = NAN, INF, -INF
        record("nan and infinity in the image", op, special, regions(5, 2), 1.0, 2, 2, *first)
        if op != "torchvision::roi_pool":  # which reads outside of the tensor
            record("four columns", op, x, torch.rand(3, 4), 1.0, 2, 2, *first)
        record("dtypes differ", op, x, regions(2, 2).double(), 1.0, 2, 2, *first)
        record("channels that do not divide", op, x, regions(2, 2), 1.0, 3, 1, *first)


def deform(note, x, out, kernel=(3, 3), stride=(1, 1), pad=(1, 1), dilation=(1, 1), groups=1, offset_groups=1, mask=True, change=None):
    size = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(x.shape[2:], kernel, stride, pad, dilation)]
    taps = offset_groups * kernel[0] * kernel[1]
    values = {
        "input": x,
        "weight": torch.randn(out, x.shape[1] // groups, *kernel).to(x.dtype),
        "offset": (torch.randn(x.shape[0], 2 * taps, *size) * 2).to(x.dtype),
        "mask": torch.rand(x.shape[0], taps, *size).to(x.dtype) if mask else torch.zeros(x.shape[0], 1).to(x.dtype),
        "bias": torch.randn(out).to(x.dtype),
    }
    if change:
        change(values)
    numbers = [*stride, *pad, *dilation, groups, offset_groups]
    record(note, "torchvision::deform_conv2d", *values.values(), *numbers, mask)


def deform_conv2d():
    x = torch.randn(2, 4, 5, 6)
    deform("plain", x, 3)
    deform("without masks", x, 3, mask=False)
    deform("groups", x, 4, groups=2)
    deform("offset groups", x, 4, offset_groups=2)
    deform("both", x, 4, groups=2, offset_groups=4)
    deform("stride, padding, dilation", x, 2, stride=(2, 1), pad=(2, 0), dilation=(1, 2))
    deform("other kernel", x, 2, kernel=(2, 1), pad=(0, 1))
    deform("one by one", x, 2, kernel=(1, 1), pad=(0, 0))
    for dtype in (F16, BF16, F64):
        deform(f"{dtype}", x.to(dtype), 2)
    deform("no batch", x[:0], 2)

    def whole(values):
        values["offset"] = values["offset"].round()

    deform("whole offsets", x, 2, change=whole)

    deform("infinite offsets", x, 2, change=lambda values: values["offset"].__setitem__((1, 3, 2, 2), INF))
    deform("nan image", x.index_fill(3, torch.tensor([2]), NAN), 2)
    for key, wrong in (
        ("offset", lambda v: v[:, 1:]),
        ("offset", lambda v: v[:, :, 1:]),
        ("offset", lambda v: v[:1]),
        ("mask", lambda v: v[:, 1:]),
        ("mask", lambda v: v[:, :, 1:]),
        ("weight", lambda v: v[:, 1:]),
        ("input", lambda v: v[0]),
        ("bias", lambda v: v[1:]),
        ("weight", lambda v: v.double()),
    ):
        deform(f"wrong {key}", x, 3, change=lambda values: values.__setitem__(key, wrong(values[key])))
    deform("stride of zero", x, 2, change=None, stride=(1, 1), pad=(1, 1), dilation=(1, 1), groups=3)


def grouped_mm():
    op = "transformers::grouped_mm_fallback"
    for dtype in (F32, F64, BF16, F16):
        x, weight = torch.randn(7, 5).to(dtype), torch.randn(4, 5, 3).to(dtype)
        record(f"{dtype}", op, x, weight, torch.tensor([2, 2, 5, 7], dtype=torch.int32))
    record("int64 offsets", op, x, weight, torch.tensor([0, 3, 3, 7]))
    record("rows past the last offset are zero", op, x, weight, torch.tensor([1, 2, 3, 4]))
    record("offsets past the end", op, x, weight, torch.tensor([1, 2, 9, 12]))
    record("decreasing offsets", op, x, weight, torch.tensor([5, 2, 6, 7]))
    record("negative offsets", op, x, weight, torch.tensor([1, -2, 6, 7]))
    record("no rows", op, x[:0], weight, torch.tensor([0, 0, 0, 0]))
    record("no experts", op, x, weight[:0], torch.tensor([], dtype=torch.int64))
    record("transposed weights", op, x.float(), torch.randn(4, 3, 5).transpose(1, 2), torch.tensor([1, 4, 5, 7]))
    record("integers", op, torch.randint(-4, 4, (7, 5)), torch.randint(-4, 4, (4, 5, 3)), torch.tensor([1, 4, 5, 7]))
    record("dtypes differ", op, x.float(), weight.double(), torch.tensor([1, 4, 5, 7]))


torch.set_num_threads(1)
torch.manual_seed(0)
for make in (nms, roi_align, pools, deform_conv2d, grouped_mm):
    make()
with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
    file.write(("[\n" + ",\n".join(json.dumps(case) for case in CASES) + "\n]\n").encode())
print(len(CASES), "cases")
