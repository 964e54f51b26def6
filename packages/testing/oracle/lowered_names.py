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


def model(args, dims=None, with_layers=True):
    def add(function):
        dynamic = dims if dims is None or isinstance(dims, tuple) else (dims,)
        MODELS[function.__name__] = (function, args, dynamic, with_layers)
        return function

    return add


GROUPS = {}


def plain(args, dims=None):
    """A function of a program that several functions share: its outputs."""
    def add(function):
        _, _, functions = GROUPS.setdefault((id(args), repr(dims)), (args, dims, []))
        functions.append(function)
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


def whole(n, most=4):
    n = n.item()
    torch._check(n >= 0)
    torch._check(n <= most)
    return n


count = (torch.randn(6, 3), torch.tensor(2))
heads = (torch.randn(2, 2, 5, 8),)
# Calls that show the numbers of what was asked before: sums, products, comparisons.
def shown(x): return (x + 1) * 2 - (x == 2) * (x >= 0)


@plain(count)
def narrowed(self, x, n): return shown(x.narrow(0, 0, whole(n)))
@plain(count)
def narrowed_from_number(self, x, n): return shown(x.narrow(0, whole(n), 1))
@plain(x43, ROWS)
def halves(self, x): return shown(x.chunk(2)[0]) + shown(x.split(x.shape[0] // 2)[0]).sum()
@plain(heads, {0: D, 2: D})
def attention(self, x): return shown(F.scaled_dot_product_attention(x, x * 2, x * 3))
@plain(heads, {0: D, 2: D})
def attention_of_transposed(self, x):
    y = x.transpose(1, 2)
    return shown(F.scaled_dot_product_attention(y, y * 2, y).transpose(1, 2).reshape(x.shape[0], -1, 16))
@plain((torch.randn(6, 3), torch.tensor([1, 4])), None)
def copied_rows(self, x, at): return shown((x * 2).index_copy_(0, at, x[:2]))
@plain((torch.tensor([1, 2, 1]), x43[0][:3]), (ROWS, ROWS))
def repeated_by_data(self, n, x): return shown(x.repeat_interleave(n, 0))


for args, dims, functions in GROUPS.values():
    def together(self, *args, functions=functions): return tuple(one(self, *args) for one in functions)
    together.__name__ = functions[0].__name__ if len(functions) == 1 else f"{functions[0].__name__}_and_more"
    model(args, dims, with_layers=False)(together)


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


class Plain(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(self, x)


class OfTwo(Plain):
    def forward(self, x, y):
        return self.function(self, x, y)


class Model(Plain):
    def __init__(self, function):
        super().__init__(function)
        self.linear, self.norm = nn.Linear(5, 5), nn.LayerNorm(5)
        self.conv, self.batch = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
        self.table = nn.Embedding(5, 4)
        self.eval()


def bare(program):
    """A program without what names do not depend on, which makes files small."""
    for module in program.graph_module.modules():
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
            for key in ("stack_trace", "torch_fn", "source_fn_stack", "nn_module_stack"):
                node.meta.pop(key, None)
    return program


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
    for name, (function, args, dims, with_layers) in MODELS.items():
        buffer = io.BytesIO()
        of = Model if with_layers else Plain if len(args) == 1 else OfTwo
        save(bare(export(of(function), args, dynamic_shapes=dims)), buffer)
        data = buffer.getvalue()
        models[name] = {"file": base64.b64encode(data).decode(), "text": lowered(data)}
    path = os.path.join(folder, "decompositions", "lowered-names.json.gz")
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(json.dumps({"corpus": corpus, "models": models}, indent=1).encode())


main(*sys.argv[1:])
