"""Networks at their real sizes, with random weights: what torch.export makes of them, and in which time.

Usage (with PyTorch): python3 full_size.py FOLDER [--times]

Writes FOLDER/<network>.txt.gz, the text of the program without comments, and FOLDER/outputs.json, the
first outputs of each network with the weights that `torch.manual_seed(0)` gives. With --times it prints
the times of `torch.export.export` instead: the least and the median, in milliseconds.
"""

import gzip
import json
import os
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim, export


def shortcut(cin, cout, stride):
    if stride == 1 and cin == cout:
        return None
    return nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))


class BasicBlock(nn.Module):
    def __init__(self, cin, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = shortcut(cin, width, stride)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += x if self.downsample is None else self.downsample(x)
        return F.relu(y, inplace=True)


class Bottleneck(nn.Module):
    def __init__(self, cin, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.downsample = shortcut(cin, 4 * width, stride)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = F.relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        y += x if self.downsample is None else self.downsample(x)
        return F.relu(y, inplace=True)


class ResNet(nn.Module):
    def __init__(self, block, expansion, counts, classes=1000):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layers = nn.Sequential()
        cin = 64
        for i, count in enumerate(counts):
            for j in range(count):
                self.layers.append(block(cin, 64 * 2**i, 2 if i > 0 and j == 0 else 1))
                cin = 64 * 2**i * expansion
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(cin, classes)

    def forward(self, x):
        x = self.maxpool(F.relu(self.bn1(self.conv1(x)), inplace=True))
        return self.fc(torch.flatten(self.avgpool(self.layers(x)), 1))


class CausalAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(dim, 3 * dim)
        self.c_proj = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in self.c_attn(x).split(c, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.dropout(self.c_proj(y.transpose(1, 2).reshape(b, t, c)))


class DecoderBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(dim)
        self.attn = CausalAttention(dim, heads)
        self.ln_2 = nn.LayerNorm(dim)
        self.c_fc = nn.Linear(dim, 4 * dim)
        self.c_proj = nn.Linear(4 * dim, dim)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.dropout(self.c_proj(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh")))


class GPT2(nn.Module):
    def __init__(self, vocab=50257, dim=768, length=1024, heads=12, depth=12):
        super().__init__()
        self.wte = nn.Embedding(vocab, dim)
        self.wpe = nn.Embedding(length, dim)
        self.dropout = nn.Dropout(0.1)
        self.h = nn.ModuleList(DecoderBlock(dim, heads) for _ in range(depth))
        self.ln_f = nn.LayerNorm(dim)
        self.lm_head = nn.Linear(dim, vocab, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, ids):
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.dropout(self.wte(ids) + self.wpe(positions))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class EncoderBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(dim, eps=1e-6)
        self.attention = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ln_2 = nn.LayerNorm(dim, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        y = self.ln_1(x)
        y, _ = self.attention(y, y, y, need_weights=False)
        x = x + y
        return x + self.mlp(self.ln_2(x))


class ViT(nn.Module):
    def __init__(self, size=224, patch=16, dim=768, heads=12, depth=12, classes=1000):
        super().__init__()
        self.conv_proj = nn.Conv2d(3, dim, patch, patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embedding = nn.Parameter(torch.zeros(1, (size // patch) ** 2 + 1, dim))
        self.layers = nn.Sequential(*(EncoderBlock(dim, heads) for _ in range(depth)))
        self.ln = nn.LayerNorm(dim, eps=1e-6)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.conv_proj(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], 1) + self.pos_embedding
        return self.head(self.ln(self.layers(x))[:, 0])


def image():
    return torch.linspace(-1, 1, 2 * 3 * 224 * 224).reshape(2, 3, 224, 224)


def tokens():
    return torch.arange(2 * 8).reshape(2, 8) * 3001


NETWORKS = {
    "resnet18": (lambda: ResNet(BasicBlock, 1, [2, 2, 2, 2]), image, None),
    "resnet50": (lambda: ResNet(Bottleneck, 4, [3, 4, 6, 3]), image, {"x": {0: Dim("batch")}}),
    "gpt2": (GPT2, tokens, {"ids": {0: Dim("batch"), 1: Dim("seq", max=1024)}}),
    "vit_b_16": (ViT, image, None),
}


def without_comments(text):
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    return "\n".join(lines)


def record(folder):
    outputs = {}
    for name, (make, inputs, dynamic) in NETWORKS.items():
        if name == "resnet18":
            continue
        torch.manual_seed(0)
        model, given = make().eval(), (inputs(),)
        text = without_comments(str(export(model, given, dynamic_shapes=dynamic)))
        with open(os.path.join(folder, f"{name}.txt.gz"), "wb") as file:
            file.write(gzip.compress(text.encode(), 9, mtime=0))
        with torch.no_grad():
            values = model(*given).flatten()
        outputs[name] = {"first": values[:8].tolist(), "last": values[-8:].tolist()}
    with open(os.path.join(folder, "outputs.json"), "w") as file:
        json.dump(outputs, file)


def times():
    for name, (make, inputs, dynamic) in NETWORKS.items():
        model, given, wall, cpu = make().eval(), (inputs(),), [], []
        for _ in range(9):
            start = time.perf_counter(), time.process_time()
            program = export(model, given, dynamic_shapes=dynamic)
            wall.append(1000 * (time.perf_counter() - start[0]))
            cpu.append(1000 * (time.process_time() - start[1]))
        print(name, len(program.graph.nodes), "nodes;", *(f"{min(t):.0f} {statistics.median(t):.0f}" for t in (wall, cpu)))


if __name__ == "__main__":
    times() if "--times" in sys.argv else record(sys.argv[1])
