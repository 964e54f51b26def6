"""Writes fixtures/capture/model-api.json.gz: what PyTorch exports for models that use the API around modules, which are
also written in TypeScript, in `packages/conformance/src/model-api`: mixed precision, hooks, `nn.utils`, distributions,
`torch.func` and others.

A case is as in `twins.py`.

Usage (with PyTorch): python3 model_api.py OUT.json.gz [NAME...]
"""
import gzip
import json
import sys

import torch
import torch.distributions as D
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune
from torch.export import Dim
from torch.func import functional_call, stack_module_state, vmap

from twins import Fn, floats, func, integers, record

TWINS = {}
batched = {"x": {0: Dim("batch")}}
square = lambda: (floats(4, 4),)


def twin(name, make, args=square, shapes=None, **options):
    TWINS[name] = (make, args, shapes, options)


# ---------------------------------------------------------------- mixed precision
class HalfHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 2)
    def forward(self, x):
        y = self.body(x).relu()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = self.head(y)
            w = z.softmax(-1)
        return w + 1, z


class FullInside(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 2)
    def forward(self, x):
        with torch.autocast("cpu", cache_enabled=True):
            y = self.body(x).relu()
            with torch.autocast("cpu", enabled=False):
                z = self.head(y.float())
                w = z.softmax(-1)
            with torch.no_grad():
                v = y.sum()
            return w + 1, z, v


class NestedHalf(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(4)
        self.register_buffer("shift", torch.ones(4), persistent=False)
    def forward(self, x):
        with torch.autocast("cpu"):
            pass
        with torch.autocast("cpu", dtype=torch.float16):
            y = x.matmul(x).add(self.scale).add(self.shift)
            with torch.autocast("cpu"):
                y = y.matmul(x)
            z = x.matmul(y)
        with torch.no_grad(), torch.autocast("cpu"):
            w = x.matmul(x)
        return y, z, w


def grad_outside(x):
    with torch.no_grad():
        with torch.autocast("cpu"):
            y = x.matmul(x)
            with torch.enable_grad():
                z = y.matmul(y)
    return y.sum(), z


def grad_inside(x):
    with torch.autocast("cpu"):
        with torch.autocast("cpu", enabled=False):
            pass
        with torch.no_grad():
            return x.matmul(x)


def several_values(x):
    with torch.no_grad():
        a, b = x.sin(), x.cos()
        with torch.autocast("cpu"):
            c, d = a.matmul(b), b.matmul(a)
        e, f = c.add(1), d.add(1)
    return a, b, c, d, e, f


class Lists(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("calls", torch.ones(4))
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            values, indices = self.fc(x).topk(2)
            self.calls.add_(1)
            y = x.clone()
            y.add_(1)
        a, b = y.chunk(2)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            c = a.matmul(b.t())
            d = torch.tensor([1.5, 2.5])
        return values.add(c.sum()), indices, y, d


def half_items(x):
    with torch.autocast("cpu"):
        a, b = x.matmul(x).chunk(2)
        c = x.topk(2)
    return a.add(1), b, c[1], c[0]


def sized(x):
    with torch.autocast("cpu"):
        n = x.size(0) * 2
        y = torch.ones(n, 4).matmul(x.t())
    return y.view(-1), x.new_zeros(n)


def not_half(x):
    with torch.autocast("cpu", dtype=torch.float64):
        return x.matmul(x)


def on_cuda(x):
    with torch.autocast("cuda"):
        return x.matmul(x)


def within_branch(x):
    def half(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x.matmul(x).float()
    return torch.cond(x.sum() > 0, half, lambda x: x.matmul(x).sin(), (x,))


class HalfVision(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.fc = nn.Conv2d(2, 3, 3, padding=1), nn.BatchNorm2d(3), nn.Linear(3, 5)
    def forward(self, x, labels):
        with torch.autocast("cpu"):
            y = F.max_pool2d(F.gelu(self.norm(self.conv(x))), 2)
            logits = self.fc(y.mean([2, 3]))
            return F.cross_entropy(logits, labels), logits


class HalfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.norm = nn.MultiheadAttention(4, 2, batch_first=True), nn.LayerNorm(4)
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y, _ = self.attention(x, x, x, need_weights=False)
            return self.norm(x.add(y))


HALF = {
    "einsum": lambda x: torch.einsum("ij,jk->ik", x, x),
    "inner": lambda x: torch.inner(x, x),
    "contracted": lambda x: torch.tensordot(x, x, 1),
    "chained": lambda x: torch.linalg.multi_dot([x, x, x]),
    "vector": lambda x: torch.mv(x, x[0]),
    "normed": lambda x: F.layer_norm(x.matmul(x), [4], x[0], x[0]),
    "attended": lambda x: F.scaled_dot_product_attention(x.unsqueeze(0), x.unsqueeze(0), x.unsqueeze(0)),
    "powered": lambda x: torch.linalg.matrix_power(x, 3),
    "conv_same": lambda x: F.conv1d(x.unsqueeze(0), x.unsqueeze(2), padding="same"),
    "joined": lambda x: torch.cat([x.matmul(x), x]),
    "joined_half": lambda x: torch.cat([x.matmul(x), x.matmul(x)]),
    "promoted": lambda x: x.matmul(x).add(x),
    "stacked": lambda x: torch.vstack([x.matmul(x), x]),
    "double": lambda x: x.double().matmul(x.double()),
    "trapezoid": lambda x: torch.trapezoid(x.matmul(x)),
    "written": lambda x: x.matmul(x).add_(x),
    "grouped": lambda x: F.group_norm(x.unsqueeze(0).matmul(x), 2),
    "logits": lambda x: F.binary_cross_entropy_with_logits(x.matmul(x), x.sigmoid()),
    "squared": lambda x: F.mse_loss(x.matmul(x), x),
    "distances": lambda x: torch.cdist(x, x),
    "prelu": lambda x: torch.prelu(x.matmul(x), x[0, :1]),
    "spread": lambda x: x.matmul(x).std(),
    "bilinear": lambda x: F.bilinear(x, x, x.view(1, 4, 4)),
    "bilinear_biased": lambda x: F.bilinear(x, x, x.view(2, 2, 4)[:, :1].expand(2, 4, 4), x[0, :2]),
    "affine_grid": lambda x: F.affine_grid(x[:, :3].view(2, 2, 3), [2, 1, 3, 2], align_corners=False),
    "affine_volume": lambda x: F.affine_grid(x[:3].unsqueeze(0), [1, 1, 2, 3, 2], align_corners=True),
    "pseudoinverse": lambda x: torch.linalg.pinv(x),
    "pseudoinverse_hermitian": lambda x: torch.linalg.pinv(x.add(x.t()), hermitian=True),
    "euclidean": lambda x: torch.ops.aten._euclidean_dist(x, x.add(1)),
    "joined_mixed": lambda x: torch.cat([x, x.half()]),
    "joined_double": lambda x: torch.cat([x.double(), x.bfloat16()]),
}
RECURRENT = {
    "lstm": lambda: nn.LSTM(4, 3),
    "lstm_deep": lambda: nn.LSTM(4, 3, num_layers=2, bidirectional=True, batch_first=True),
    "lstm_without_bias": lambda: nn.LSTM(4, 3, bias=False),
    "lstm_projected": lambda: nn.LSTM(4, 3, proj_size=2),
    "gru": lambda: nn.GRU(4, 3),
    "gru_deep": lambda: nn.GRU(4, 3, num_layers=2, bidirectional=True),
    "rnn": lambda: nn.RNN(4, 3),
    "rnn_relu": lambda: nn.RNN(4, 3, nonlinearity="relu", batch_first=True),
    "lstm_cell": lambda: nn.LSTMCell(4, 3),
    "gru_cell": lambda: nn.GRUCell(4, 3),
    "rnn_tanh_cell": lambda: nn.RNNCell(4, 3),
}


class HalfLayer(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
    def forward(self, x):
        with torch.autocast("cpu"):
            return self.layer(x)


def half_state(x, h, c, w, v):
    with torch.autocast("cpu"):
        return torch.lstm(x.bfloat16(), (h, c), [w, v], False, 1, 0.0, False, False, False)


def half(fn):
    def forward(x):
        with torch.autocast("cpu"):
            return fn(x)
    return forward


twin("half_head", HalfHead)
twin("half_head_strict", HalfHead, strict=True)
twin("full_inside", FullInside)
twin("nested_half", NestedHalf)
twin("grad_outside", func(grad_outside))
twin("grad_inside", func(grad_inside))
twin("several_values", func(several_values))
twin("several_items", func(lambda x: several_items(x)))
twin("half_items", func(half_items))
twin("several_values_strict", func(several_values), strict=True)
twin("half_lists", Lists)
twin("half_sized", func(sized), shapes=batched)
twin("not_half", func(not_half))
twin("on_cuda", func(on_cuda))
twin("within_branch", func(within_branch))
twin("half_vision", HalfVision, lambda: (floats(2, 2, 4, 4), integers(5, 2)))
twin("half_attention", lambda: HalfAttention().eval(), lambda: (floats(2, 3, 4),))
for name, fn in HALF.items(): twin(f"half_{name}", func(half(fn)))
for name, make in RECURRENT.items():
    twin(f"half_{name}", lambda make=make: HalfLayer(make()), square if name.endswith("cell") else lambda: (floats(3, 2, 4),))
twin("half_lstm_dynamic", lambda: HalfLayer(nn.LSTM(4, 3)), lambda: (floats(3, 2, 4),), shapes={"x": {1: Dim("batch")}})
twin("half_lstm_state", lambda: Fn(half_state), lambda: (floats(1, 2, 4), floats(1, 2, 3), floats(1, 2, 3), floats(12, 4), floats(12, 3)))

# ---------------------------------------------------------------- hooks and nn.utils
class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.a.register_forward_pre_hook(lambda module, args: (args[0].mul(2),))
        self.a.register_forward_pre_hook(lambda module, args: args[0].add(1), prepend=True)
        self.a.register_forward_hook(lambda module, args, output: output.relu())
        self.b.register_forward_hook(lambda module, args, output: output.add(args[0]))
        removed = self.b.register_forward_hook(lambda module, args, output: output.sin())
        removed.remove()
    def forward(self, x):
        return self.b(self.a(x))


class Gained(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x, *, gain):
        return self.fc(x).mul(gain)


class HookedKeywords(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Gained()
        self.inner.register_forward_pre_hook(
            lambda module, args, kwargs: (args, {"gain": kwargs["gain"] + 1}), with_kwargs=True)
        self.inner.register_forward_hook(
            lambda module, args, kwargs, output: output.div(kwargs["gain"]), with_kwargs=True)
    def forward(self, x):
        return self.inner(x, gain=2)


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
        self.features = []
        for layer in self.body:
            layer.register_forward_hook(lambda module, args, output: self.features.append(output))
    def forward(self, x):
        self.features.clear()
        self.body(x)
        return list(self.features)


class Twice(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
    def forward(self, x):
        return self.layer(x).add(self.layer(x))


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu().add(x.triu(1).transpose(-1, -2))


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.full((4, 1), 2.0))
    def forward(self, x):
        return x.mul(self.scale)


class RankOne(nn.Module):
    def forward(self, x, y):
        return x.unsqueeze(-1).mul(y.unsqueeze(-2))
    def right_inverse(self, z):
        return z[:, 0], z[0]


def symmetric(layer):
    parametrize.register_parametrization(layer, "weight", Symmetric())
    return parametrize.register_parametrization(layer, "weight", Scaled())


class CachedTwice(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = symmetric(nn.Linear(4, 4))
    def forward(self, x):
        with parametrize.cached():
            return self.layer(x).add(self.layer(x))


def plain(layer):
    return parametrize.remove_parametrizations(symmetric(layer), "weight")


def vector(layer):
    flat = nn.utils.parameters_to_vector(layer.parameters())
    nn.utils.vector_to_parameters(flat.mul(2).detach(), layer.parameters())
    return layer


images = lambda: (floats(1, 2, 4, 4),)
twin("hooked", Hooked)
twin("hooked_keywords", HookedKeywords)
twin("features", Features)
twin("weight_norm", lambda: Twice(parametrizations.weight_norm(nn.Linear(4, 4))))
twin("weight_norm_dim", lambda: Twice(parametrizations.weight_norm(nn.Linear(4, 4), dim=1)))
twin("weight_norm_all", lambda: Twice(parametrizations.weight_norm(nn.Linear(4, 4), "bias", dim=None)))
twin("weight_norm_hook", lambda: Twice(nn.utils.weight_norm(nn.Linear(4, 4))))
twin("weight_norm_removed", lambda: Twice(nn.utils.remove_weight_norm(nn.utils.weight_norm(nn.Linear(4, 4)))))
twin("weight_norm_conv", lambda: parametrizations.weight_norm(nn.Conv2d(2, 3, 3)), images)
twin("spectral_norm", lambda: Twice(parametrizations.spectral_norm(nn.Linear(4, 4))))
twin("spectral_norm_eval", lambda: Twice(parametrizations.spectral_norm(nn.Linear(4, 4))).eval())
twin("spectral_norm_conv", lambda: parametrizations.spectral_norm(nn.Conv2d(2, 3, 3), n_power_iterations=2), images)
twin("spectral_norm_transposed", lambda: parametrizations.spectral_norm(nn.ConvTranspose2d(2, 3, 3)).eval(), images)
twin("spectral_norm_hook", lambda: Twice(nn.utils.spectral_norm(nn.Linear(4, 4))))
twin("spectral_norm_hook_eval", lambda: Twice(nn.utils.spectral_norm(nn.Linear(4, 4))).eval())
twin("symmetric", lambda: Twice(symmetric(nn.Linear(4, 4))))
twin("symmetric_cached", CachedTwice)
twin("rank_one", lambda: parametrize.register_parametrization(nn.Linear(4, 4), "weight", RankOne()))
twin("parametrization_removed", lambda: plain(nn.Linear(4, 4)))
twin("vector", lambda: vector(nn.Linear(4, 4)))
twin("padded", func(lambda x: nn.utils.rnn.pad_sequence([x[:, 0], x[:2, 1]], batch_first=True, padding_value=1.5)))

# ---------------------------------------------------------------- orthogonal weights and pruning
for how in ("matrix_exp", "cayley", "householder"):
    for kind, sizes in {"square": (4, 4), "tall": (2, 4), "wide": (4, 3)}.items():
        twin(f"orthogonal_{how}_{kind}", lambda how=how, sizes=sizes:
            parametrizations.orthogonal(nn.Linear(*sizes), "weight", how), lambda sizes=sizes: (floats(3, sizes[0]),))
twin("orthogonal", lambda: Twice(parametrizations.orthogonal(nn.Linear(4, 4))))
twin("orthogonal_default_tall", lambda: parametrizations.orthogonal(nn.Linear(2, 4)), lambda: (floats(3, 2),))
twin("orthogonal_batch", lambda: parametrizations.orthogonal(nn.Conv2d(2, 3, 3)), images)
twin("orthogonal_batch_wide", lambda: parametrizations.orthogonal(nn.Conv2d(2, 3, (2, 3)), orthogonal_map="cayley"), images)


def plainly(how, sizes):
    return parametrizations.orthogonal(nn.Linear(*sizes), orthogonal_map=how, use_trivialization=False)


twin("orthogonal_plain_exp", lambda: plainly("matrix_exp", (2, 4)), lambda: (floats(3, 2),))
twin("orthogonal_plain_cayley", lambda: plainly("cayley", (4, 4)))
twin("orthogonal_plain_householder", lambda: plainly("householder", (2, 4)), lambda: (floats(3, 2),))
twin("orthogonal_plain_householder_wide", lambda: plainly("householder", (4, 3)))


def assigned():
    layer = parametrizations.orthogonal(nn.Linear(4, 4))
    layer.weight = parametrizations.orthogonal(nn.Linear(4, 4)).weight.detach()
    return layer


twin("orthogonal_assigned", assigned)
twin("orthogonal_removed", lambda: parametrize.remove_parametrizations(parametrizations.orthogonal(nn.Linear(4, 4)), "weight"))


class TwoLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 5), nn.Linear(5, 3)
    def forward(self, x):
        return self.b(self.a(x).relu())


def globally(method, **options):
    model = TwoLayers()
    prune.l1_unstructured(model.a, "weight", 0.25)
    prune.global_unstructured([(model.a, "weight"), (model.b, "weight"), (model.b, "bias")], method, **options)
    return model


def scored():
    model = TwoLayers()
    prune.global_unstructured(((model.a, "weight"), (model.b, "weight")), prune.L1Unstructured, {(model.a, "weight"): torch.randn(5, 4)}, amount=9)
    return model


class Checkers(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"
    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


def custom(layer):
    Checkers.apply(layer, "weight")
    Checkers.apply(layer, "weight")
    return layer


def several(layer):
    prune.l1_unstructured(layer, "weight", 0.3)
    prune.random_unstructured(layer, "weight", 3)
    prune.ln_structured(layer, "weight", 0.3, 2, 0)
    prune.random_structured(layer, "weight", 1, -1)
    prune.l1_unstructured(layer, "bias", 0.5)
    return layer


def pruned_hooked(layer):
    layer.register_forward_pre_hook(lambda module, args: args[0].mul(2))
    prune.identity(layer, "weight")
    prune.custom_from_mask(layer, "weight", torch.eye(4))
    return prune.custom_from_mask(layer, "bias", torch.tensor([1, 0, 1, 0]))


PRUNED = {
    "identity": lambda layer: prune.identity(layer, "weight"),
    "random": lambda layer: prune.random_unstructured(layer, "weight", 0.4),
    "l1": lambda layer: prune.l1_unstructured(layer, "weight", 5),
    "l1_half_even": lambda layer: prune.l1_unstructured(layer, "bias", 0.625),
    "l1_scored": lambda layer: prune.l1_unstructured(layer, "weight", 0.5, torch.randn(4, 4)),
    "l1_all": lambda layer: prune.l1_unstructured(layer, "weight", 1.0),
    "l1_none": lambda layer: prune.l1_unstructured(layer, "weight", 0),
    "random_rows": lambda layer: prune.random_structured(layer, "weight", 2, 0),
    "random_none": lambda layer: prune.random_structured(layer, "weight", 0, 0),
    "ln_columns": lambda layer: prune.ln_structured(layer, "weight", 0.5, 2, -1),
    "ln_largest": lambda layer: prune.ln_structured(layer, "weight", 1, float("inf"), 0),
    "ln_scored": lambda layer: prune.ln_structured(layer, "weight", 1, 1, 0, torch.randn(4, 4)),
    "mask": lambda layer: prune.custom_from_mask(layer, "bias", torch.tensor([1, 0, 0, 1])),
    "bool_mask": lambda layer: prune.custom_from_mask(layer, "weight", torch.eye(4) > 0),
    "several": several,
    "hooked": pruned_hooked,
    "custom": custom,
    "removed": lambda layer: prune.remove(prune.l1_unstructured(layer, "weight", 0.5), "weight"),
    "half": lambda layer: several(layer.half()).float(),
    "normed": lambda layer: parametrizations.weight_norm(prune.l1_unstructured(layer, "bias", 0.5)),
}
for name, change in PRUNED.items(): twin(f"pruned_{name}", lambda change=change: Twice(change(nn.Linear(4, 4))))
twin("pruned_conv", lambda: prune.ln_structured(nn.Conv2d(2, 3, 3), "weight", 0.4, "fro", 0), images)
twin("pruned_conv_nuclear", lambda: prune.ln_structured(nn.Conv1d(2, 3, 2), "weight", 1, "nuc", 0), lambda: (floats(1, 2, 4),))
twin("pruned_conv_random", lambda: prune.random_structured(nn.Conv2d(2, 3, 3), "weight", 1, 1), images)
twin("pruned_globally", lambda: globally(prune.L1Unstructured, amount=0.5))
twin("pruned_globally_random", lambda: globally(prune.RandomUnstructured, amount=7))
twin("pruned_globally_scored", scored)
twin("pruned_strict", lambda: prune.l1_unstructured(nn.Linear(4, 4), "weight", 5), strict=True)
twin("pruned_grouped", lambda: prune.l1_unstructured(nn.Linear(4, 4), "weight", 5), shapes={"input": {0: Dim("batch")}})

# ---------------------------------------------------------------- models without values
class OnMeta(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.norm = nn.Embedding(7, 4, device="meta"), nn.LayerNorm(4, device="meta")
        self.fc = nn.Linear(4, 2, device="meta")
        self.offset = torch.ones(2, device="meta")
        self.register_buffer("scale", torch.tensor([1.0, 2.0], device="meta"))
    def forward(self, x):
        y = self.fc(self.norm(self.embed(x))).add(self.offset)
        return y.mul(self.scale), y.new_zeros(2), torch.arange(x.size(0), device=x.device).add(x)


class MetaVision(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(2, 3, 3, device="meta"), nn.BatchNorm2d(3, device="meta")
    def forward(self, x):
        return F.max_pool2d(self.bn(self.conv(x)).relu(), 2).to(torch.float16)


meta = lambda *sizes: lambda: (floats(*sizes).to("meta"),)
twin("meta_model", OnMeta, lambda: (integers(7, 4).to("meta"),))
twin("meta_model_dynamic", OnMeta, lambda: (integers(7, 4).to("meta"),), {"x": {0: Dim("batch")}})
twin("meta_vision", lambda: MetaVision().eval(), meta(1, 2, 6, 6))
twin("meta_vision_training", MetaVision, meta(1, 2, 6, 6))
twin("meta_lstm", lambda: nn.LSTM(4, 3, device="meta"), meta(2, 1, 4))
twin("meta_gru_cell", lambda: nn.GRUCell(4, 3, device="meta"), meta(2, 4))
twin("meta_encoder", lambda: nn.TransformerEncoderLayer(4, 2, 8, device="meta", batch_first=True).eval(), meta(1, 3, 4))
twin("meta_decoder", lambda: nn.TransformerDecoderLayer(4, 2, 8, device="meta").eval(), lambda: (floats(3, 1, 4).to("meta"), floats(2, 1, 4).to("meta")))
twin("meta_moved", lambda: TwoLayers().to("meta"), meta(3, 4))
twin("meta_half", lambda: TwoLayers().half().to_empty(device="meta"), lambda: (floats(3, 4).half().to("meta"),))
twin("meta_group_norm", lambda: nn.Sequential(nn.GroupNorm(2, 4, device="meta"), nn.PReLU(4, device="meta")), meta(1, 4, 3))
twin("meta_bilinear", lambda: nn.Bilinear(4, 4, 2, device="meta"), lambda: (floats(3, 4).to("meta"), floats(3, 4).to("meta")))
twin("meta_bag", lambda: nn.EmbeddingBag(7, 4, device="meta"), lambda: (integers(7, 2, 3).to("meta"),))
twin("meta_strict", lambda: TwoLayers().to("meta"), meta(3, 4), strict=True)
twin("meta_function", func(lambda x: torch.cat([x, torch.zeros_like(x)]).sort(0)), meta(3, 4))


# ---------------------------------------------------------------- distributions
off = {"validate_args": False}
scale = lambda x: F.softplus(x)
bits = lambda x: (x > 0).to(x.dtype)
others = lambda x: scale(x.mul(2)).add(0.5)
DISTRIBUTIONS = {
    "normal": (lambda x: D.Normal(x, scale(x), **off), lambda x: x.add(1)),
    "normal_of_numbers": (lambda x: D.Normal(0.5, scale(x), **off), lambda x: x),
    "laplace": (lambda x: D.Laplace(x, scale(x), **off), lambda x: x.add(1)),
    "uniform": (lambda x: D.Uniform(x, x.add(2), **off), lambda x: x.add(1)),
    "exponential": (lambda x: D.Exponential(scale(x), **off), lambda x: x.abs()),
    "gamma": (lambda x: D.Gamma(scale(x), others(x), **off), lambda x: x.abs()),
    "beta": (lambda x: D.Beta(scale(x), others(x), **off), lambda x: x.sigmoid()),
    "dirichlet": (lambda x: D.Dirichlet(scale(x), **off), lambda x: x.softmax(-1)),
    "bernoulli": (lambda x: D.Bernoulli(logits=x, **off), bits),
    "bernoulli_probs": (lambda x: D.Bernoulli(x.sigmoid(), **off), bits),
    "categorical": (lambda x: D.Categorical(logits=x, **off), lambda x: torch.arange(4)),
    "categorical_probs": (lambda x: D.Categorical(x.softmax(-1), **off), lambda x: torch.arange(4)),
    "independent": (lambda x: D.Independent(D.Normal(x, scale(x), **off), 1, **off), lambda x: x.add(1)),
    "multivariate": (lambda x: D.MultivariateNormal(x, torch.eye(4).mul(2), **off), lambda x: x.add(1)),
    "multivariate_factor": (
        lambda x: D.MultivariateNormal(x, scale_tril=x.tril(-1).add(torch.eye(4)), **off), lambda x: x.add(1)),
    "multivariate_precision": (
        lambda x: D.MultivariateNormal(x[0], precision_matrix=torch.eye(4).mul(2), **off), lambda x: x.add(1)),
}


def described(make, value):
    def forward(x):
        own = make(x)
        return own.log_prob(value(x)), own.entropy(), own.mean, own.variance, own.stddev
    return forward


def drawn(make):
    def forward(x):
        own = make(x)
        return own.sample(), own.sample((2,))
    return forward


def reparametrized(make):
    return lambda x: make(x).rsample((2,))


def cumulative(make, value):
    def forward(x):
        own = make(x)
        return own.cdf(value(x))
    return forward


def inverse(make):
    return lambda x: make(x).icdf(x.sigmoid())


def likeliest(make):
    return lambda x: make(x).mode


def divergence(p, q):
    return lambda x: D.kl_divergence(p(x), q(x))


ODDS = ["normal", "laplace", "uniform", "exponential"]
for name, (make, value) in DISTRIBUTIONS.items():
    twin(f"{name}_described", func(described(make, value)))
    twin(f"{name}_drawn", func(drawn(make)))
for name in ["normal", "laplace", "uniform", "exponential", "gamma", "beta", "dirichlet", "independent", "multivariate"]:
    twin(f"{name}_reparametrized", func(reparametrized(DISTRIBUTIONS[name][0])))
for name in [*ODDS, "gamma"]: twin(f"{name}_cdf", func(cumulative(*DISTRIBUTIONS[name])))
for name in ODDS:
    twin(f"{name}_icdf", func(inverse(DISTRIBUTIONS[name][0])))
for name in ["normal", "laplace", "exponential", "gamma", "categorical", "bernoulli", "beta", "dirichlet", "uniform",
             "independent", "multivariate"]:
    twin(f"{name}_mode", func(likeliest(DISTRIBUTIONS[name][0])))
twin("bernoulli_support", func(lambda x: DISTRIBUTIONS["bernoulli"][0](x).enumerate_support()))
twin("categorical_support", func(lambda x: DISTRIBUTIONS["categorical"][0](x).enumerate_support(False)))
twin("normal_dynamic", func(lambda x: D.Normal(x, scale(x), **off).rsample((3,))), shapes=batched)
twin("categorical_dynamic", func(lambda x: D.Categorical(logits=x, **off).log_prob(torch.zeros(x.size(0)))), shapes=batched)
twin("normal_strict", func(lambda x: D.Normal(x, scale(x)).log_prob(x)), strict=True)
shifted = lambda x: x.roll(1, 0)
KL = {
    **{name: (make, lambda x, make=make: make(shifted(x)))
       for name, (make, _) in DISTRIBUTIONS.items() if not name.startswith(("normal_of", "multivariate_", "bernoulli_", "categorical_"))},
    "uniforms": (lambda x: D.Uniform(x, x.add(1), **off), lambda x: D.Uniform(x.sub(1), x.add(2), **off)),
    "factors": (DISTRIBUTIONS["multivariate"][0], DISTRIBUTIONS["multivariate_factor"][0]),
    "normal_laplace": (DISTRIBUTIONS["normal"][0], DISTRIBUTIONS["laplace"][0]),
    "uniform_normal": (DISTRIBUTIONS["uniform"][0], DISTRIBUTIONS["normal"][0]),
    "exponential_normal": (DISTRIBUTIONS["exponential"][0], DISTRIBUTIONS["normal"][0]),
    "exponential_gamma": (DISTRIBUTIONS["exponential"][0], DISTRIBUTIONS["gamma"][0]),
    "gamma_exponential": (DISTRIBUTIONS["gamma"][0], DISTRIBUTIONS["exponential"][0]),
    **{f"{p}_{q}": (DISTRIBUTIONS[p][0], DISTRIBUTIONS[q][0]) for p, q in [
        ("laplace", "normal"), ("gamma", "normal"), ("beta", "exponential"), ("beta", "gamma"), ("beta", "normal"),
        ("beta", "uniform"), ("uniform", "beta"), ("uniform", "exponential"), ("uniform", "gamma"), ("normal", "beta"),
        ("exponential", "uniform"), ("gamma", "beta"), ("laplace", "gamma")]},
    "beta_wide": (DISTRIBUTIONS["beta"][0], lambda x: D.Uniform(x.abs().neg(), x.abs().add(1), **off)),
    "narrow_beta": (lambda x: D.Uniform(x.sigmoid().mul(0.5), x.sigmoid(), **off), DISTRIBUTIONS["beta"][0]),
    "positive_gamma": (lambda x: D.Uniform(x.abs(), x.abs().add(1), **off), DISTRIBUTIONS["gamma"][0]),
}
for name, (p, q) in KL.items(): twin(f"{name}_kl", func(divergence(p, q)))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.spread, self.decoder = nn.Linear(4, 2), nn.Linear(4, 2), nn.Linear(2, 4)
    def forward(self, x):
        latent = D.Independent(D.Normal(self.mean(x), self.spread(x).exp(), **off), 1, **off)
        mean = latent.mean
        prior = D.Independent(D.Normal(torch.zeros_like(mean), torch.ones_like(mean), **off), 1, **off)
        z = latent.rsample()
        pixels = D.Bernoulli(logits=self.decoder(z), **off)
        return pixels.log_prob(bits(x)).sum(-1).sub(D.kl_divergence(latent, prior))


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
    def forward(self, x):
        actions = D.Categorical(logits=self.fc(x), **off)
        action = actions.sample()
        return action, actions.log_prob(action), actions.entropy()


twin("encoder", Encoder)
twin("policy", Policy)

# ---------------------------------------------------------------- vmap and torch.func
class PerExample(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        return vmap(lambda row: self.fc(row).relu())(x)


class Ensemble(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2))
        models = [nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)) for _ in range(3)]
        params, _ = stack_module_state(models)
        self.params = nn.ParameterDict(sorted((name.replace(".", "_"), value.detach()) for name, value in params.items()))
    def forward(self, x):
        named = {name: self.params[name.replace(".", "_")] for name, _ in self.base.named_parameters()}
        return vmap(lambda state: functional_call(self.base, state, (x,)))(named)


class Reused(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        return functional_call(self.fc, {"weight": x.mul(2), "bias": x[0]}, (x,)).add(self.fc(x))


class ReusedTensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        return functional_call(self.fc, ({"weight": x.mul(2)}, {"bias": x[0]}), x)


class TiedPair(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
        self.b.weight = self.a.weight
    def forward(self, x):
        return self.b(self.a(x))


class ReusedTied(nn.Module):
    def __init__(self, tie):
        super().__init__()
        self.pair, self.tie = TiedPair(), tie
    def forward(self, x):
        return functional_call(self.pair, {"a.weight": x.sin()}, x, tie_weights=self.tie)


class ReusedPart(nn.Module):
    def __init__(self, tie):
        super().__init__()
        self.fc, self.norm, self.pair, self.tie = nn.Linear(4, 4), nn.BatchNorm1d(4).eval(), TiedPair(), tie
    def forward(self, x):
        y = functional_call(self.norm, {"bias": x[0]}, x, tie_weights=self.tie)
        y = functional_call(self.fc, {"bias": x[0]}, y, tie_weights=self.tie)
        return self.pair.b(y)


class StackedInside(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
    def forward(self, x):
        params, _ = stack_module_state([self.a, self.b])
        return params["weight"].sum(0) + x


def several_items(x):
    with torch.no_grad():
        best, _ = x.topk(2)
        return x.sin(), best, x.max(1)


MAPPED = {
    "dots": lambda x: vmap(torch.dot)(x, x),
    "shared": lambda x: vmap(lambda a, b: a.add(b).sum(), in_dims=(0, None))(x, x),
    "columns": lambda x: vmap(lambda a: a.cumsum(0), in_dims=-1)(x),
    "nested": lambda x: vmap(lambda row: vmap(lambda cell: torch.outer(row, row).mul(cell).sum())(x[:, 0]))(x),
    "pair": lambda x: vmap(lambda row: (row.sum(), row.mul(2)))(x),
    "dicts": lambda x: vmap(lambda both: both["a"].mul(both["b"]))({"a": x, "b": x}),
    "chosen": lambda x: vmap(lambda row: torch.where(row.gt(0), row, 0.0))(x),
    "viewed": lambda x: vmap(lambda row: row.view(2, 2).t().reshape(-1))(x),
    "rows": lambda x: vmap(lambda i: x[i])(torch.arange(4)),
    "zeros": lambda x: vmap(lambda row: torch.zeros(row.shape[0]).add(row))(x),
    "unbatched": lambda x: vmap(lambda row: torch.ones(2))(x),
    "constant": lambda x: vmap(lambda row: row.mul(torch.tensor([1.5, 2.5, 3.5, 4.5])))(x),
    "twice": lambda x: vmap(torch.sin)(vmap(torch.cos)(x)),
    "attended": lambda x: vmap(lambda q, k: q.matmul(k.t()).softmax(-1))(x.view(2, 2, 4), x.view(2, 2, 4)),
    "normed": lambda x: vmap(lambda row: F.layer_norm(row, [4]))(x),
}
REDUCED = {
    "argmax": lambda row: row.argmax(),
    "argmax_dim": lambda row: row.argmax(0),
    "argmin": lambda row: row.argmin(),
    "prod": lambda row: row.prod(),
    "prod_dim": lambda row: row.prod(0),
    "std": lambda row: row.std(),
    "std_dim": lambda row: row.std(0, correction=0),
    "var": lambda row: row.var(),
    "var_mean": lambda row: torch.var_mean(row),
    "mean": lambda row: row.mean(),
    "mean_dim": lambda row: row.mean(0, True),
    "max": lambda row: row.max(),
    "max_dim": lambda row: row.max(0),
    "amax": lambda row: row.amax(),
    "any": lambda row: row.gt(0).any(),
    "all": lambda row: row.gt(0).all(),
    "norm": lambda row: row.norm(),
    "vector_norm": lambda row: torch.linalg.vector_norm(row),
    "logsumexp": lambda row: row.logsumexp(0),
    "log_softmax": lambda row: row.log_softmax(0),
    "count": lambda row: row.count_nonzero(),
    "median": lambda row: row.median(),
    "sort": lambda row: row.sort(),
    "topk": lambda row: row.topk(2),
    "cumprod": lambda row: row.cumprod(0),
    "mse": lambda row: F.mse_loss(row, row.mul(2)),
    "smooth": lambda row: F.smooth_l1_loss(row, row.mul(2)),
    "entropy": lambda row: F.cross_entropy(row, torch.tensor(1)),
    "entropy_soft": lambda row: F.cross_entropy(row, row.softmax(0)),
    "nll": lambda row: F.nll_loss(row.log_softmax(0), torch.tensor(1)),
    "flip": lambda row: row.flip(0),
    "diag": lambda row: torch.diag(row),
    "cat": lambda row: torch.cat([row, row]),
    "stack": lambda row: torch.stack([row, row]),
    "gelu": lambda row: F.gelu(row),
    "clamp": lambda row: row.clamp(0, 1),
    "masked": lambda row: row.masked_fill(row > 0, 1.0),
    "one_hot": lambda row: F.one_hot(row.argmax(0), 4),
}
SHARED = {
    "dot": lambda row, x: torch.dot(row, x[0]),
    "dot_first": lambda row, x: torch.dot(x[0], row),
    "mv_matrix": lambda row, x: torch.outer(row, row).mv(x[0]),
    "mm": lambda row, x: torch.outer(row, row).mm(x),
    "matmul": lambda row, x: row.matmul(x),
    "outer": lambda row, x: torch.outer(row, x[0]),
    "linear": lambda row, x: F.linear(row, x),
    "linear_bias": lambda row, x: F.linear(row, x, x[0]),
    "add": lambda row, x: row.add(x),
    "where": lambda row, x: torch.where(x > 0, row, x),
    "cat": lambda row, x: torch.cat([row, x[0]]),
    "take": lambda row, x: x[row.argsort()],
    "entropy": lambda row, x: F.cross_entropy(x, row.argsort()),
    "embedding": lambda row, x: F.embedding(row.argsort(), x),
}
PLANES = {
    **{name: REDUCED[name] for name in "argmax argmin prod std var_mean mean max amax any all norm vector_norm count median mse".split()},
    "sum_max": lambda plane: plane.sum().max(),
    "sum_prod": lambda plane: plane.sum().prod(),
    "sum_argmax": lambda plane: plane.sum().argmax(),
    "sum_mean": lambda plane: plane.sum().mean(),
    "sum_var": lambda plane: plane.sum().var(correction=0),
    "mse_sum": lambda plane: F.mse_loss(plane, plane.mul(2), reduction="sum"),
    "mse_scalar": lambda plane: F.mse_loss(plane.sum(), plane.mean()),
    "any_dims": lambda plane: torch.any(plane > 0, dim=(0, 1)),
    "nansum": lambda plane: plane.nansum(),
    "one_hot": lambda plane: F.one_hot(plane.argmax(0), 2),
}
planes = lambda fn: lambda x: vmap(fn)(x.view(2, 2, 4))
over = lambda fn: lambda x: vmap(fn)(x)
beside = lambda fn: lambda x: vmap(fn, in_dims=(0, None))(x, x)
for name, fn in PLANES.items(): MAPPED[f"plane_{name}"] = planes(fn)
for name, fn in REDUCED.items(): MAPPED[f"of_{name}"] = over(fn)
for name, fn in SHARED.items(): MAPPED[f"with_{name}"] = beside(fn)
MAPPED["with_entropies"] = lambda x: vmap(F.cross_entropy)(x, torch.arange(4))
MAPPED["with_targets"] = lambda x: vmap(lambda row, t: F.cross_entropy(row.unsqueeze(0), t.unsqueeze(0)))(x, torch.arange(4))
for name, fn in MAPPED.items(): twin(f"mapped_{name}", func(fn))
twin("mapped_dots_strict", func(MAPPED["dots"]), strict=True)
twin("per_example", PerExample)
twin("per_example_dynamic", PerExample, shapes=batched)
twin("mapped_inner_dynamic", func(lambda x: vmap(lambda row: row.view(row.shape[0], 1).sum())(x)), shapes={"x": {1: Dim("n")}})
twin("ensemble", Ensemble)
twin("reused", Reused)
for tie in (True, False):
    name = "reused_tied" if tie else "reused_untied"
    twin(name, lambda tie=tie: ReusedTied(tie))
    twin(f"{name}_strict", lambda tie=tie: ReusedTied(tie), strict=True)
twin("stacked_inside", StackedInside)
twin("reused_strict", Reused, strict=True)
for tie in (True, False): twin(f"reused_part_{'tied' if tie else 'untied'}_strict", lambda tie=tie: ReusedPart(tie), strict=True)
twin("reused_tensor", ReusedTensor)

# ---------------------------------------------------------------- arguments and indices
class Variadic(nn.Module):
    def forward(self, x, *rest, scale=1, **more):
        y = x
        for each in rest: y = y.add(each)
        for value in more.values(): y = y.mul(value)
        return y.mul(scale)


ends = lambda: (floats(4, 4), torch.tensor(1), torch.tensor(3))
twin("variadic", Variadic, lambda: (floats(4), floats(4), floats(4)), kwargs=lambda: {"scale": 2, "gain": floats(4), "bias": floats(4)})
twin("variadic_without", Variadic, lambda: (floats(4),), kwargs=lambda: {"gain": floats(4)})
twin("sliced", func(lambda x, a, b: x[a:b].sum(0)), ends)
twin("sliced_from", func(lambda x, a: x[:, a:].sum()), lambda: ends()[:2])
twin("sliced_sums", func(lambda x, a: x[a:a + 2]), lambda: ends()[:2])
twin("sliced_column", func(lambda x, a, b: x[a:b, 0]), ends)

# ---------------------------------------------------------------- lazy layers
class LazyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.LazyConv2d(3, 3, padding=1)
        self.norm, self.instance = nn.LazyBatchNorm2d(), nn.LazyInstanceNorm2d(affine=True)
        self.up, self.fc = nn.LazyConvTranspose2d(2, 2, stride=2), nn.LazyLinear(5, bias=False)
    def forward(self, x):
        return self.fc(self.up(self.instance(self.norm(self.conv(x)).relu())).flatten(1))


class LazyLine(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.up = nn.LazyConv1d(3, 2), nn.LazyBatchNorm1d(), nn.LazyConvTranspose1d(2, 3)
    def forward(self, x):
        return self.up(self.norm(self.conv(x)))


def begun(make, *sizes):
    def model():
        lazy = make()
        lazy(torch.ones(*sizes))
        return lazy.eval()
    return model


twin("lazy_net", begun(LazyNet, 2, 2, 4, 4), lambda: (floats(2, 2, 4, 4),))
twin("lazy_line", begun(LazyLine, 2, 4, 5), lambda: (floats(2, 4, 5),))


def main(path, *names):
    cases = {name: record(*TWINS[name]) for name in (names or TWINS)}
    refused = {name: case["message"] for name, case in cases.items() if "error" in case}
    assert refused == {}, refused
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(json.dumps(cases, separators=(",", ":")).encode())


if __name__ == "__main__": main(*sys.argv[1:])
