"""Writes fixtures/decompositions/lowered-names.json.gz: what PyTorch makes of saved programs when it loads and lowers them.

"corpus" has the text of each program of fixtures/programs with symbolic sizes, by its name. "models" has, by name, small
programs as PyTorch saves them (base64) and their texts. Programs that PyTorch cannot load or lower are left out.

Usage (with PyTorch): python3 lowered_names.py FIXTURES
"""

import base64
import gzip
import io
import json
import logging
import os
import sys
import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim, export, load, save

from program_texts import comparable

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
torch.manual_seed(0)
D = Dim.DYNAMIC
x43 = (torch.arange(12.0).reshape(4, 3).clone(),)
x235 = (torch.randn(2, 3, 5),)
image = (torch.randn(2, 3, 8, 8),)
ROWS, BOTH = {0: D}, {0: D, 1: D}
MODELS = {}


def model(args, dims=None):
    def add(function):
        MODELS[function.__name__] = (function, args, None if dims is None else (dims,))
        return function

    return add


@model(x43)
def masked_sum(self, x): return x[x > 2].sum() + x
@model(x43)
def two_masks(self, x): return x[x > 2].sum() + x[x > 3].sum() * x.sum().to(torch.int64).item()
@model(x43)
def masked_chain(self, x): return (x[x > 2] + 1) * 2
@model(x43)
def masks_of_branches(self, x):
    return torch.cond(x.sum() > 0, lambda x: x[x > 0].sum() + x, lambda x: (x[x > 1] + 1).sum() * x, (x,))
@model(x43)
def counted_factory(self, x):
    n = x.max().to(torch.int64).item()
    torch._check(n <= 50)
    return torch.ones(n, 2) * n + torch.zeros(n, 1)
@model(x43, BOTH)
def pointwise(self, x): return (x + 1) * 2 + x.sum()
@model(x43, ROWS)
def rows_pointwise(self, x): return (x + 1) * 2 - x.mean(0) + (x > 1)
@model((torch.randn(4, 6),), BOTH)
def inferred_view(self, x): return F.gelu(x.reshape(-1, 2) * 3 + 1) + x.mean()
@model(x235, BOTH)
def flattened(self, x): return x.flatten(1) * 2 + x.flatten(1).sum(), x.flatten() + 1
@model(x235, BOTH)
def rows_of_linear(self, x): return self.linear(x) * 2 + 1
@model(x235, BOTH)
def layers(self, x): return self.norm(self.linear(x).relu()) + x * 2
@model(image, ROWS)
def convolved(self, x): return self.batch(self.conv(x)).relu_().add_(1).flatten(1) * 2 + 1
@model(image, ROWS)
def convolved_twice(self, x):
    y = self.batch(self.conv(x))
    return (y.add_(self.conv(x)) * 2).mean((2, 3)) + 1
@model((torch.randn(4, 3, dtype=torch.float64), ), BOTH)
def doubles(self, x): return x * 2 + x.cumsum(0) * x.t().sum() + 1
@model((torch.tensor([[1, 2, 3], [3, 2, 1]]),), BOTH)
def embedded(self, x): return self.table(x) * 2 + 1
@model(x43, BOTH)
def booleans(self, x): return ((x > 1) & (x < 5)) * x + (x == 2) * 2
@model(x43, ROWS)
def expanded(self, x): return x.unsqueeze(1).expand(-1, 2, -1) * 2 + x.unsqueeze(1) * 3 + 1
@model(x43, ROWS)
def sliced(self, x): return x[1:] * 2 + x[:-1] + 1
@model(x43, ROWS)
def concatenated(self, x): return torch.cat([x, x * 2]) + torch.stack([x, x]).sum() * 3



def gradient(name, run):
    run.__name__ = f"gradient_{name}"
    model(image if "norm" in name else x43, ROWS)(run)


A, MEAN, ALL = torch.ops.aten, 1, [True, True, True]
gradient("mse", lambda self, x: A.mse_loss_backward(x.sum(), x, x * 2, MEAN))
gradient("smooth_l1", lambda self, x: A.smooth_l1_loss_backward(x.sum(), x, x * 2, MEAN, 1.0))
gradient("huber", lambda self, x: A.huber_loss_backward(x.sum(), x, x * 2, MEAN, 1.5))
gradient("soft_margin", lambda self, x: A.soft_margin_loss_backward(x.sum(), x, x.sign(), MEAN))
gradient("cross_entropy", lambda self, x: A.binary_cross_entropy_backward(x.sum(), x.sigmoid(), x.sign(), None, MEAN))
gradient("batch_norm", lambda self, x: A.native_batch_norm_backward(
    x, x * 2, self.batch.weight[:3], None, None, x.mean((0, 2, 3)), x.amax((0, 2, 3)), True, 1e-5, ALL))
gradient("group_norm", lambda self, x: A.native_group_norm_backward(
    x, x * 2, x.mean((2, 3)), x.amax((2, 3)), None, x.shape[0], 3, 64, 3, [True, False, False]))


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.linear, self.norm = nn.Linear(5, 5), nn.LayerNorm(5)
        self.conv, self.batch = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
        self.table = nn.Embedding(5, 4)
        self.eval()

    def forward(self, x):
        return self.function(self, x)


def lowered(data):
    try:
        return comparable(str(load(io.BytesIO(data)).run_decompositions()))
    except Exception:
        return None


def main(folder):
    corpus = {}
    for name in sorted(os.listdir(os.path.join(folder, "programs"))):
        path = os.path.join(folder, "programs", name, "program.pt2")
        if os.path.exists(path):
            with open(path, "rb") as file:
                text = lowered(file.read())
            if text is not None and "Range constraints: {}" not in text:
                corpus[name] = text
    models = {}
    for name, (function, args, dims) in MODELS.items():
        buffer = io.BytesIO()
        save(export(Model(function), args, dynamic_shapes=dims), buffer)
        data = buffer.getvalue()
        models[name] = {"file": base64.b64encode(data).decode(), "text": lowered(data)}
    path = os.path.join(folder, "decompositions", "lowered-names.json.gz")
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(json.dumps({"corpus": corpus, "models": models}, indent=1).encode())


main(*sys.argv[1:])
