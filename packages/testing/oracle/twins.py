"""Writes fixtures/capture/twins.json.gz: what PyTorch exports for models that are also written in TypeScript, in
`packages/conformance/src/twins`, as a user would write them.

A case has the text, the guards and the ranges of the program, the text after `run_decompositions()`, and what the
program computes for the example inputs; or PyTorch's refusal. Weights have the seed 7, inputs the seed 11.

Usage (with PyTorch): python3 twins.py OUT.json.gz [NAME...]
"""
import gzip
import json
import logging
import math
import sys
import warnings
from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim, export

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")
TWINS = {}


def twin(name, make, args, shapes=None, **options):
    TWINS[name] = (make, args, shapes, options)


def floats(*sizes):
    return torch.randn(*sizes)


def integers(high, *sizes):
    count = 1
    for size in sizes: count *= size
    return torch.arange(count).mul(7).remainder(high).reshape(sizes)


class Fn(nn.Module):
    """A function as a module, with the names of its arguments."""
    def __new__(cls, fn):
        names = fn.__code__.co_varnames[:fn.__code__.co_argcount]
        body = f"def forward(self, {', '.join(names)}): return fn({', '.join(names)})"
        scope = {"fn": fn}
        exec(body, scope)
        return type("Fn", (nn.Module,), {"forward": scope["forward"]})()


def func(fn):
    return lambda: Fn(fn)


# ---------------------------------------------------------------- attention
batch, time = Dim("batch"), Dim("time", max=64)
sequence = {"x": {0: batch, 1: time}}


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
    def forward(self, x):
        b, t, width = x.shape
        heads = lambda part: part.view(b, t, self.heads, width // self.heads).transpose(1, 2)
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k = heads(q), heads(k)
        scores = q.matmul(k.transpose(-2, -1)).div((width / self.heads) ** 0.5)
        return self.out(scores.softmax(-1).matmul(heads(v)).transpose(1, 2).reshape(b, t, width))


class CrossAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.kv = nn.Linear(8, 8, bias=False), nn.Linear(8, 16, bias=False)
    def forward(self, x, memory, mask):
        k, v = self.kv(memory).split(8, -1)
        scores = self.q(x).matmul(k.transpose(1, 2)).mul(0.25)
        return scores.masked_fill(mask.unsqueeze(1), float("-inf")).softmax(-1).matmul(v)


class Rotary(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("frequencies", torch.arange(0, width, 2).float().div(-width).exp(), persistent=False)
    def forward(self, x):
        angles = torch.arange(x.size(1)).unsqueeze(-1).mul(self.frequencies)
        cos, sin = angles.cos(), angles.sin()
        a, b = x.chunk(2, -1)
        return torch.cat([a.mul(cos).sub(b.mul(sin)), a.mul(sin).add(b.mul(cos))], -1)


class GroupedQuery(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 4), nn.Linear(8, 4)
    def forward(self, x):
        b, t, width = x.size()
        q = self.q(x).view(b, t, 4, 2).transpose(1, 2)
        repeated = lambda part: part.view(b, t, 2, 2).transpose(1, 2).repeat_interleave(2, dim=1)
        mixed = F.scaled_dot_product_attention(q, repeated(self.k(x)), repeated(self.v(x)), is_causal=True)
        return mixed.transpose(1, 2).reshape(b, t, width)


class CausalBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.register_buffer("mask", torch.tril(torch.ones(65, 65)).bool())
        self.up, self.down = nn.Linear(8, 16), nn.Linear(16, 8)
    def forward(self, x):
        t = x.size(1)
        scores = x.matmul(x.transpose(1, 2))
        mask = self.mask[:t, :t]
        mixed = scores.masked_fill(mask.logical_not(), -1000000000).softmax(-1).matmul(x)
        return x.add(self.down(F.gelu(self.up(self.norm(mixed)))))


class RelativeBias(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 2)
    def forward(self, x):
        steps = torch.arange(x.shape[1])
        distance = steps.unsqueeze(0).sub(steps.unsqueeze(1)).clamp(-4, 4).add(4)
        return x.unsqueeze(1).add(self.table(distance).permute(2, 0, 1).sum(-1, True).unsqueeze(0))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(8))
    def forward(self, x):
        return self.encoder(x)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True, norm_first=True)
        self.decoder = nn.TransformerDecoder(layer, 2, norm=nn.LayerNorm(8))
    def forward(self, x, memory):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.decoder(x, memory, tgt_mask=mask, tgt_is_causal=True)


class LinearAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(6, 18)
    def forward(self, x):
        q, k, v = self.qkv(x).split([6, 6, 6], -1)
        context = torch.einsum("btd,bte->bde", F.elu(k).add(1), v)
        scale = torch.einsum("btd,bd->bt", F.elu(q).add(1), k.sum(1))
        return torch.einsum("btd,bde->bte", q, context).div(scale.abs().add(1).unsqueeze(-1))


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Conv2d(3, 8, 4, stride=4)
        self.token, self.position = nn.Parameter(torch.zeros(1, 1, 8)), nn.Parameter(torch.ones(1, 5, 8))
    def forward(self, image):
        patches = self.embed(image).flatten(2).transpose(1, 2)
        token = self.token.expand(patches.size(0), -1, -1)
        return torch.cat([token, patches], 1).add(self.position)


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.query = nn.Parameter(torch.ones(1, 1, 8))
    def forward(self, x):
        query = self.query.expand(x.size(0), 1, 8)
        mixed, weights = self.attention(query, x, x)
        return mixed.squeeze(1), weights


def halves(x):
    return x.narrow(1, 0, x.size(1) // 2).mul(x.shape[2])


twin("self_attention", lambda: SelfAttention(8, 2), lambda: (floats(2, 5, 8),), sequence)
twin("cross_attention", CrossAttention, lambda: (floats(2, 3, 8), floats(2, 4, 8), integers(3, 2, 4).eq(0)))
twin("rotary", lambda: Rotary(8), lambda: (floats(2, 5, 8),), sequence)
twin("grouped_query", GroupedQuery, lambda: (floats(2, 5, 8),), {"x": {0: batch}})
twin("causal_block", CausalBlock, lambda: (floats(2, 5, 8),), sequence)
twin("relative_bias", RelativeBias, lambda: (floats(2, 5, 8),), {"x": {0: batch}})
twin("encoder", lambda: Encoder().eval(), lambda: (floats(2, 3, 8),))
twin("decoder", lambda: Decoder().eval(), lambda: (floats(2, 3, 8), floats(2, 4, 8)))
twin("linear_attention", LinearAttention, lambda: (floats(2, 5, 6),), sequence)
twin("patches", Patches, lambda: (floats(2, 3, 8, 8),), {"image": {0: batch}})
twin("pooled", lambda: Pooled().eval(), lambda: (floats(2, 5, 8),))
# Lengths of queries and of keys: lowering finds those of keys and values equal.
lengths = {name: {0: Dim.AUTO, 2: Dim.AUTO} for name in "qkv"}
bounded = {"q": {2: Dim("queries")}, "k": {2: Dim("keys", max=90)}, "v": {2: Dim("values", min=3, max=100)}}
attend = lambda **options: func(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options))
cross = lambda: (floats(2, 2, 3, 4), floats(2, 2, 5, 4), floats(2, 2, 5, 4))
masked = lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, mask)
twin("lengths", attend(), cross, lengths)
twin("causal_lengths", attend(is_causal=True), cross, lengths)
twin("bounded_lengths", attend(scale=0.25), cross, bounded)
twin("masked_lengths", func(masked), lambda: (*cross(), floats(2, 1, 3, 5)), {**lengths, "mask": {d: Dim.AUTO for d in (0, 2, 3)}})
twin("halves", func(halves), lambda: (floats(2, 6, 4),), {"x": {1: 2 * Dim("even")}})

# ---------------------------------------------------------------- vision
batched = {"x": {0: batch}}


def image(channels=3, size=8):
    return lambda: (floats(2, channels, size, size),)


class Unpooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool, self.unpool = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
    def forward(self, x):
        pooled, index = self.pool(self.conv(x))
        return self.unpool(pooled.relu(), index)


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(3, 4, 1)
        self.three = nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1))
        self.pool = nn.MaxPool2d(3, stride=1, padding=1)
    def forward(self, x):
        return torch.cat([self.one(x), self.three(x), self.pool(x)], 1)


class SqueezeExcite(nn.Module):
    def __init__(self, channels, reduced):
        super().__init__()
        self.down, self.up = nn.Linear(channels, reduced), nn.Linear(reduced, channels)
    def forward(self, x):
        gate = self.up(self.down(x.mean([2, 3])).relu()).sigmoid()
        return x.mul(gate[..., None, None])


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)])
        self.up, self.head = nn.ConvTranspose2d(8, 4, 2, stride=2), nn.Conv2d(8, 1, 1)
    def forward(self, x):
        first = self.down[0](x).relu()
        second = self.down[1](F.max_pool2d(first, 2)).relu()
        return self.head(torch.cat([first, self.up(second)], 1))


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 6, 3, groups=3), nn.BatchNorm2d(6), nn.Hardswish(), nn.AdaptiveAvgPool2d(2))
    def forward(self, x):
        y = self.features[0](x)
        for layer in self.features[1:]: y = layer(y)
        return y.flatten(1)


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.lateral = nn.ModuleList([nn.AdaptiveAvgPool2d(size) for size in (4, 2)])
    def forward(self, x):
        height, width = x.shape[2:]
        levels = [F.interpolate(pool(x), size=[height, width], mode="nearest") for pool in self.lateral]
        return torch.cat([x, *levels], 1)


class SuperResolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.shuffle = nn.Conv2d(3, 12, 3, padding="same"), nn.PixelShuffle(2)
    def forward(self, x):
        return self.shuffle(self.conv(x)).clamp(0, 1)


class Folded(nn.Module):
    def forward(self, x):
        columns = F.unfold(x, kernel_size=2, stride=2)
        return F.fold(columns.mul(0.5), output_size=8, kernel_size=2, stride=2)


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.act = nn.Conv2d(4, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.SiLU()
    def forward(self, x):
        y = x
        for child in self.children(): y = child(y)
        return x.add(y)


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 4, 1), nn.Conv2d(4, 3, 1)
    def forward(self, x):
        for name, child in self.named_children(): x = child(x).relu() if name == "first" else child(x)
        return x


class Grid(nn.Module):
    def __init__(self):
        super().__init__()
        self.theta = nn.Parameter(torch.tensor([[[1, 0, 0.5], [0, 1, 0]]], dtype=torch.float32))
    def forward(self, x):
        grid = F.affine_grid(self.theta, [1, 3, 4, 4], align_corners=False)
        return F.grid_sample(x, grid, align_corners=False, padding_mode="border")


class Half(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)
        self.register_buffer("scale", torch.ones(4, 1, 1))
    def forward(self, x):
        return self.conv(x.to(torch.float16)).mul(self.scale).to(torch.float32)


class Downsample(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("filter", torch.tensor([1, 2, 1]).float().div(4), persistent=False)
    def forward(self, x):
        kernel = torch.outer(self.filter, self.filter).expand(x.shape[1], 1, 3, 3)
        return F.conv2d(F.pad(x, [1, 1, 1, 1], mode="reflect"), kernel, stride=2, groups=x.shape[1])


twin("unpooled", Unpooled, image(), batched)
twin("branches", Branches, image(), batched)
twin("squeeze_excite", lambda: SqueezeExcite(4, 2), image(4), batched)
twin("unet", Unet, image(), batched)
twin("features", lambda: Features().eval(), image(), batched)
twin("pyramid", Pyramid, image(), batched)
twin("super_resolution", SuperResolution, image(), batched)
twin("folded", Folded, image(), batched)
twin("chain", Chain, image(4), batched)
twin("named", Named, image(), batched)
twin("grid", Grid, lambda: (floats(1, 3, 8, 8),))
twin("half", lambda: Half().half(), image())
twin("downsample", Downsample, image(), batched)

# ---------------------------------------------------------------- sequences


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 4)
        self.lstm, self.head = nn.LSTM(4, 6, batch_first=True, bidirectional=True), nn.Linear(12, 3)
    def forward(self, x):
        output, (hidden, _) = self.lstm(self.embed(x))
        return self.head(output.mean(1)).add(hidden.sum())


class Unrolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.unit = nn.GRUCell(3, 4)
    def forward(self, x):
        state, states = torch.zeros(x.size(0), 4), []
        for t in range(x.shape[1]):
            state = self.unit(x.select(1, t), state)
            states.append(state)
        return torch.stack(states, 1)


class Units(nn.Module):
    def __init__(self):
        super().__init__()
        self.unit = nn.LSTMCell(3, 4)
    def forward(self, x):
        zeros = torch.zeros(x.size(0), 4)
        h, c = self.unit(x[:, 0], (zeros, zeros))
        for step in x.unbind(1)[1:]: h, c = self.unit(step, (h, c))
        return h, c


class Temporal(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv1d(3, 3, 2, dilation=dilation) for dilation in (1, 2, 4)])
    def forward(self, x):
        y = x
        for i, conv in enumerate(self.layers): y = y.add(conv(F.pad(y, [2 ** i, 0])).relu())
        return y


class Forward(nn.Module):
    def __init__(self):
        super().__init__()
        self.transitions = nn.Parameter(torch.zeros(4, 4))
    def forward(self, x):
        alpha, *rest = x.unbind(1)
        for step in rest: alpha = alpha.unsqueeze(2).add(self.transitions).logsumexp(1).add(step)
        return alpha.logsumexp(1)


class Beam(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 7)
    def forward(self, x):
        best = self.head(x).log_softmax(-1).topk(3, -1)
        return best.values, best.indices


def extremes(x):
    return x.max(1).values.sub(x.min(1).values).add(x.median(1).values)


def sorted_(x):
    values, indices = x.sort(-1, True)
    return values.mul(indices.to(values.dtype)).cummax(1).values


def spectrum(x):
    u, s, vh = torch.linalg.svd(x.matmul(x.transpose(1, 2)))
    return s.add(u.abs().sum(-1)).add(vh.abs().sum(-1))


def pairs(x):
    a, b = torch.meshgrid(torch.arange(3), torch.arange(2), indexing="ij")
    return x.add(a.flatten().mul(b.flatten()))


class Recurrence(nn.Module):
    def __init__(self):
        super().__init__()
        self.decay = nn.Parameter(torch.zeros(4))
    def forward(self, x):
        gate = self.decay.sigmoid()
        state = x.select(1, 0)
        for step in x.unbind(1): state = torch.lerp(step, state, gate)
        return state


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 8, 3, padding="same")
    def forward(self, x):
        value, gate = self.conv(x).split(4, 1)
        return value.tanh().mul(gate.sigmoid())


def windows(x):
    return x.unfold(1, 4, 2).mean(-1)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.GRU(4, 5, num_layers=2, batch_first=True), nn.Linear(5, 3)
    def forward(self, x, lengths):
        output, last = self.rnn(x)
        steps = torch.arange(x.shape[1])
        mask = steps.unsqueeze(0).lt(lengths.unsqueeze(1))
        return self.head(output.mul(mask.unsqueeze(-1))).add(self.head(last[-1]).unsqueeze(1))


twin("classifier", Classifier, lambda: (integers(11, 2, 5),))
twin("unrolled", Unrolled, lambda: (floats(2, 4, 3),), batched)
twin("units", Units, lambda: (floats(2, 4, 3),), batched)
twin("temporal", Temporal, lambda: (floats(2, 3, 6),), {"x": {0: batch, 2: Dim("time")}})
twin("forward_algorithm", Forward, lambda: (floats(2, 3, 4),), batched)
twin("beam", Beam, lambda: (floats(3, 4),), batched)
twin("extremes", func(extremes), lambda: (floats(3, 5),), batched)
twin("sorted", func(sorted_), lambda: (floats(3, 5),), batched)
twin("spectrum", func(spectrum), lambda: (floats(2, 3, 4),))
twin("pairs", func(pairs), lambda: (floats(2, 6),), batched)
twin("recurrence", Recurrence, lambda: (floats(2, 3, 4),), batched)
twin("gated", Gated, lambda: (floats(2, 3, 6),), batched)
twin("windows", func(windows), lambda: (floats(2, 8),), batched)
twin("tagger", Tagger, lambda: (floats(2, 4, 4), torch.tensor([4, 2])))

# ---------------------------------------------------------------- state and containers


class Average(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("steps", torch.zeros(1))
    def forward(self, x):
        self.steps = self.steps.add_(1)
        self.mean.mul_(0.9).add_(x.mean(0).mul(0.1))
        return x.sub(self.mean)


class Codebook(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Parameter(torch.eye(4))
    def forward(self, x):
        nearest = torch.cdist(x, self.codes).argmin(1)
        return F.embedding(nearest, self.codes), nearest


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.experts = nn.Linear(4, 3), nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    def forward(self, x):
        values, indices = self.gate(x).softmax(-1).topk(2, -1)
        outputs = torch.stack([expert(x) for expert in self.experts], 1)
        chosen = outputs.gather(1, indices.unsqueeze(-1).expand(-1, -1, 4))
        return chosen.mul(values.unsqueeze(-1)).sum(1)


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"left": nn.Linear(4, 2)})
        self.heads["right"] = nn.Linear(4, 3)
    def forward(self, x):
        right = self.heads["right"](x) if "right" in self.heads else x
        return {"left": self.heads["left"](x), "right": right}


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList([torch.ones(4), torch.zeros(4), torch.ones(1)])
    def forward(self, x):
        y = x.mul(self.weights[0])
        for weight in self.weights: y = y.add(weight)
        return y


class Ring(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("memory", torch.zeros(4, 3))
    def forward(self, x):
        self.memory.copy_(self.memory.roll(1, 0))
        self.memory[0] = x.mean(0)
        return self.memory.clone()


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(10, 3, mode="sum")
    def forward(self, x):
        return self.bag(x)


class Bias(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 2)
    def forward(self, x):
        h = self.head.bias
        return self.head(self.body(x)).sub(h)


@dataclass
class Sample:
    x: torch.Tensor
    mask: Optional[torch.Tensor] = None


torch.export.register_dataclass(Sample, serialized_type_name="Sample")


def optional(sample):
    return sample.x.mul(2) if sample.mask is None else sample.x.mul(sample.mask)


def numbered(x):
    return {"1": x.add(1), "2": x.mul(2), "10": x.neg()}


def named_inputs(all):
    total = torch.zeros(3)
    for name, value in all.items(): total = total.mul(value) if name.startswith("mul") else total.add(value)
    return total


def updates(x):
    y = x.clone()
    y[0] += 1
    y[:, 1:] *= 2
    return y


def inference(x):
    with torch.inference_mode():
        first = x.mul(2)
    with torch.no_grad():
        second = x.sin()
    return first.add(second)


def reduced(x):
    index = torch.tensor([0, 1, 0, 1, 2])
    sums = torch.zeros(3).scatter_reduce(0, index, x, reduce="amax", include_self=False)
    return sums.index_add(0, index, x, alpha=2)


def masks(x):
    inside = (x > 0) & (x < 1)
    filled = torch.full([3, 4], -1000000000, dtype=torch.float32)
    return torch.where(inside, 1 - x, filled).add(torch.max(x, -x))


def constants(x):
    return x.mul(torch.pi).add(torch.tensor([1, 2, 3, 4], dtype=torch.double).to(x.dtype)).to(torch.float16).float()


def scalars(x):
    return (2 ** x).add(2 / x).sub(x ** 2 % 3)


twin("average", Average, lambda: (floats(2, 4),))
twin("codebook", Codebook, lambda: (floats(3, 4),), {"x": {0: Dim("batch", max=25)}})
twin("experts", Experts, lambda: (floats(3, 4),), batched)
twin("heads", Heads, lambda: (floats(3, 4),), batched)
twin("mixture", Mixture, lambda: (floats(3, 4),), batched)
twin("ring", Ring, lambda: (floats(2, 3),))
twin("bag", Bag, lambda: (integers(10, 3, 4),))
twin("bias", Bias, lambda: (floats(3, 4),), batched)
twin("bias_strict", Bias, lambda: (floats(3, 4),), strict=True)
twin("optional", func(optional), lambda: (Sample(floats(3, 4)),))
twin("optional_given", func(optional), lambda: (Sample(floats(3, 4), floats(3, 4)),))
twin("numbered", func(numbered), lambda: (floats(3, 4),), batched)
twin("named_inputs", func(named_inputs), lambda: ({"mul_1": floats(3), "add_1": floats(3), "mul_2": floats(3)},))
twin("updates", func(updates), lambda: (floats(3, 4),))
twin("inference", func(inference), lambda: (floats(3, 4),), batched)
twin("reduced", func(reduced), lambda: (floats(5),))
twin("masks", func(masks), lambda: (floats(3, 4),))
twin("constants", func(constants), lambda: (floats(3, 4),), batched)
twin("scalars", func(scalars), lambda: (floats(3, 4),), batched)


class Buffers(nn.Module):
    """Buffers that get the memory of others, and are assigned one after the other."""
    def __init__(self, step):
        super().__init__()
        self.register_buffer("a", torch.ones(3))
        self.register_buffer("b", torch.full((3,), 2.0))
        self.step = step

    def forward(self, x): return self.step(self, x)


def assigned_written(s, x):
    s.a = s.b.add_(x)
    s.b = s.a.mul(2)
    return s.a + s.b


def assigned_slice(s, x):
    s.a = s.b[:]
    s.b = x * 1
    return s.a + s.b


def assigned_view(s, x):
    s.a = s.b.view(3)
    s.b = s.b + x
    return s.a + s.b


def assigned_flipped(s, x):
    s.a = s.b.flip(0)
    s.b = s.a[:]
    return s.a + s.b


def assigned_later(s, x):
    s.a = s.b.add_(x)
    s.b.mul_(2)
    s.b = s.b.clone()
    return s.a + s.b


for step in (assigned_written, assigned_slice, assigned_view, assigned_flipped, assigned_later):
    twin(step.__name__, lambda step=step: Buffers(step), lambda: (floats(3),))

# ---------------------------------------------------------------- two equal sizes, views
n = Dim("n")
both, first = {"x": {0: n}, "y": {0: n}}, {"x": {0: Dim.AUTO}}


def two(*sizes):
    return lambda: (floats(*sizes), floats(*sizes))


PAIRS = {
    "chosen": lambda x, y: torch.where(x > 0, x, y),
    "added": lambda x, y: x.add(y).relu(),
    "in_place": lambda x, y: x.clone().add_(y),
    "mixed": lambda x, y: torch.lerp(x, y, 0.25),
    "weighted": lambda x, y: torch.lerp(x, x + 1, y),
    "expanded": lambda x, y: x.expand_as(y) + 1,
    "copied": lambda x, y: x.clone().copy_(y),
    "combined": lambda x, y: torch.addcmul(x, x, y, value=0.5),
    "clamped": lambda x, y: torch.clamp(x, min=y),
    "similar": lambda x, y: F.cosine_similarity(x, y, dim=1),
    "compared": lambda x, y: F.mse_loss(x, y).add(F.smooth_l1_loss(x, y)),
    "filled": lambda x, y: x.masked_fill(y > 0, 0),
    "scattered": lambda x, y: x.scatter(1, y.argsort(1), y),
    "gathered": lambda x, y: x.gather(0, y.argsort(0)),
    "mapped": lambda x, y: torch._higher_order_ops.map(lambda row, other: row + other, x, y),
    "outer": lambda x, y: torch.hypot(x, y) / (torch.maximum(x, y).abs() + 1),
}
for name, fn in PAIRS.items(): twin(name, func(fn), two(4, 3), both)
twin("multiplied", func(lambda x, y: torch.bmm(x, y.transpose(1, 2))), two(4, 3, 2), both)
twin("contracted", func(lambda x, y: torch.einsum("nij,nik->njk", x, y)), two(4, 3, 2), both)
twin("picked_all", func(lambda x, y: x[y.argsort(0)[..., 0, 0]] + y), two(4, 3, 2), both)
twin("dotted", func(lambda x, y: x.matmul(y.transpose(-1, -2)).sum(-1)), two(4, 3, 2), both)
twin("reshaped", func(lambda x: x.reshape(-1, 3, 2).sum(1)), lambda: (floats(6, 2),), first)
twin("halved", func(lambda x: x.view(2, -1).sum(0)), lambda: (floats(6, 2),), first)
twin("split", func(lambda x: x.unflatten(0, [-1, 2]).sum(1)), lambda: (floats(6, 2),), first)
twin("short", func(lambda x: torch.stft(x, 4, hop_length=2, window=torch.ones(4), return_complex=True).abs()), lambda: (floats(12),), first)
twin("tabled", func(lambda x: F.one_hot(x, 5).sum(0)), lambda: (integers(5, 6),), first)
twin("trailing", func(lambda x: x.reshape(x.size(0), -1).sum(1)), lambda: (floats(4, 3, 2),), {"x": {0: n, 1: Dim("m")}})
twin("rows", func(lambda x: x.reshape(x.size(0) * 2, x.shape[1] // 2)), lambda: (floats(4, 6),), {"x": {0: n}})


def text(program):
    """The text without comments about the source, without empty lines, and without ranges of symbols of other exports,
    which PyTorch keeps from cached fakes."""
    lines = [line for line in str(program).split("\n") if line.strip() and not line.strip().startswith("#")]
    body = "\n".join(line for line in lines if not line.startswith("Range constraints"))
    used = {symbol: str(interval) for symbol, interval in program.range_constraints.items() if str(symbol) in body}
    return "\n".join(f"Range constraints: {{{', '.join(f'{s}: {r}' for s, r in used.items())}}}" if line.startswith("Range constraints") else line for line in lines)


def leaves(value):
    return torch.utils._pytree.tree_leaves(value)


def rounded(value):
    """A number as JSON has it: NaN and infinities as texts."""
    return round(value, 6) if math.isfinite(value) else {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]


def record(make, args, shapes, options):
    options = dict(options)
    torch.manual_seed(7)
    model = make()
    torch.manual_seed(11)
    inputs = args()
    keywords = options.pop("kwargs", dict)()
    try:
        program = export(model, inputs, keywords, dynamic_shapes=shapes, **{"strict": False, **options})
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error).split("\n")[0]}
    # Lowering may find two sizes equal, and PyTorch then prints them so in both programs.
    before = text(program)
    lowered = program.run_decompositions()
    results = leaves(program.module()(*inputs, **keywords))
    outputs = [[] if value.is_meta else value.detach().double().flatten().tolist() for value in results]
    return {
        "text": before,
        "guards": program._guards_code,
        "lowered": text(lowered),
        "outputs": [[rounded(value) for value in values[:40]] for values in outputs],
    }


def main(path, *names):
    cases = {name: record(*TWINS[name]) for name in (names or TWINS)}
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(json.dumps(cases, separators=(",", ":")).encode())


if __name__ == "__main__": main(*sys.argv[1:])
