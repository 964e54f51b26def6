"""Writes fixtures/capture/meta-tensors.json.gz: what calls give on tensors of the `meta` device: dtype, shape and strides of
each result, or the error. The calls are also written in TypeScript, in
`packages/conformance/src/model-api/meta.test.ts`, under the same names.

Usage (with PyTorch): python3 meta_tensors.py OUT.json.gz
"""
import gzip
import json
import sys
import warnings

import torch
import torch.nn.functional as F
from torch import nn

x, y = torch.ones(2, 3, device="meta"), torch.ones(3, 4, device="meta")
n = torch.arange(6, device="meta").view(2, 3)
image = torch.ones(1, 2, 6, 6, device="meta")
linear = nn.Linear(3, 4, device="meta")
CALLS = {
    "empty": lambda: torch.empty(2, 3, device="meta"),
    "rand": lambda: torch.rand(2, 3, device="meta", dtype=torch.float64),
    "tensor": lambda: torch.tensor([1, 2], device="meta"),
    "eye": lambda: torch.eye(3, device="meta"),
    "arange": lambda: torch.arange(1, 9, 2, device="meta"),
    "to_meta": lambda: torch.ones(3).to("meta"),
    "none": lambda: torch.zeros(0, 3, device="meta").add(1),
    "add": lambda: x + 1,
    "add_float": lambda: n + 1.5,
    "add_scalar_tensor": lambda: x + torch.tensor(1.0),
    "compare": lambda: x > n,
    "matmul": lambda: x @ y,
    "einsum": lambda: torch.einsum("ij,jk->ki", x, y),
    "sum": lambda: x.sum(0, keepdim=True),
    "mean": lambda: x.mean(),
    "softmax": lambda: x.softmax(-1),
    "var": lambda: x.var(0),
    "max": lambda: x.max(1),
    "sort": lambda: x.sort(0),
    "topk": lambda: y.topk(2),
    "cumsum": lambda: n.cumsum(0),
    "transpose": lambda: y.t(),
    "reshape": lambda: y.t().reshape(2, 6),
    "view": lambda: y.view(2, 6),
    "select": lambda: x[0],
    "slice": lambda: y[1:, ::2],
    "expand": lambda: x.unsqueeze(0).expand(4, 2, 3),
    "chunk": lambda: y.chunk(2, 1),
    "unbind": lambda: x.unbind(1),
    "cat": lambda: torch.cat([x, n]),
    "stack": lambda: torch.stack([x, x], -1),
    "where": lambda: torch.where(x > 0, x, torch.tensor(0.0)),
    "index": lambda: y[torch.tensor([0, 2, 1])],
    "gather": lambda: x.gather(1, n.clamp(0, 2)),
    "scatter": lambda: x.scatter(1, n, 1.0),
    "add_": lambda: x.clone().add_(1),
    "t_": lambda: y.clone().t_(),
    "unsqueeze_": lambda: x.clone().unsqueeze_(1),
    "copy_": lambda: x.clone().copy_(torch.ones(3)),
    "normal_": lambda: x.clone().normal_(),
    "fill": lambda: x.clone().fill_(2),
    "set_item": lambda: (lambda z: (z.__setitem__(0, 1), z)[1])(x.clone()),
    "out": lambda: torch.add(x, x, out=torch.empty(0, device="meta")),
    "half": lambda: x.half(),
    "int": lambda: x.int(),
    "complex": lambda: torch.complex(x, x),
    "fft": lambda: torch.fft.rfft(x),
    "solve": lambda: torch.linalg.solve(x[:, :2], x),
    "qr": lambda: torch.linalg.qr(y),
    "svdvals": lambda: torch.linalg.svdvals(y),
    "conv": lambda: F.conv2d(image, torch.ones(3, 2, 3, 3, device="meta")),
    "channels_last": lambda: F.relu(image.contiguous(memory_format=torch.channels_last)),
    "pool": lambda: F.max_pool2d(image, 2),
    "interpolate": lambda: F.interpolate(image, scale_factor=2.0, mode="bilinear"),
    "attention": lambda: F.scaled_dot_product_attention(image, image, image),
    "layer_norm": lambda: F.layer_norm(x, [3]),
    "cross_entropy": lambda: F.cross_entropy(x, torch.zeros(2, dtype=torch.int64, device="meta")),
    "linear": lambda: linear(x),
    "lstm": lambda: nn.LSTM(3, 4, device="meta")(x)[0],
    "dropout": lambda: F.dropout(x),
    "zeros_like": lambda: torch.zeros_like(y.t()),
    "ones_like_cpu": lambda: torch.ones_like(y.t(), device="cpu"),
    "new_tensor": lambda: x.new_tensor([1.0]),
    "new_full": lambda: x.new_full((2,), 3),
    "one_hot": lambda: F.one_hot(n, 7),
    "pinv": lambda: torch.linalg.pinv(y),
    "item": lambda: x.sum().item(),
    "bool": lambda: bool(x.sum() > 0),
    "to_cpu": lambda: x.to("cpu"),
    "cpu": lambda: x.cpu(),
    "tolist": lambda: x.tolist(),
    "nonzero": lambda: x.nonzero(),
    "masked": lambda: x[x > 0],
    "unique": lambda: torch.unique(x),
    "equal": lambda: torch.equal(x, x),
    "allclose": lambda: torch.allclose(x, x),
    "mixed": lambda: x + torch.ones(2, 3),
    "mixed_cat": lambda: torch.cat([x, torch.ones(1, 3)]),
    "mixed_module": lambda: linear(torch.ones(2, 3)),
    "copy_to_cpu": lambda: torch.ones(2, 3).copy_(x),
    "model_to_cpu": lambda: nn.Linear(3, 4, device="meta").to("cpu"),
    "shapes": lambda: x @ x,
}


def fact(value):
    if isinstance(value, torch.Tensor):
        place = {} if value.is_meta else {"device": "cpu"}
        return {"dtype": str(value.dtype)[6:], "shape": list(value.shape), "strides": list(value.stride()), **place}
    return [fact(item) for item in value]


def record(call):
    try:
        return fact(call())
    except Exception as error:
        return {"error": str(error).split("\n")[0].split(" Please use")[0]}


def main(path):
    warnings.simplefilter("ignore")
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(json.dumps({name: record(call) for name, call in CALLS.items()}, separators=(",", ":")).encode())


if __name__ == "__main__": main(*sys.argv[1:])
