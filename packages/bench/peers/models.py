"""Writes the models of `npm run bench:peers`: programs (.pt2), ONNX models, inputs and PyTorch's outputs.

Usage (with PyTorch, torchvision and onnx): python3 models.py [FOLDER] [NAME...]

Weights are random, from a fixed seed. The folder, `cache` by default, takes about 1 GB.
"""
import json
import os
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F


class Call(nn.Module):
    """A module that calls one function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


class BertLayer(nn.Module):
    """A post-norm layer of an encoder, as in BERT."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def split(self, x):
        batch, length, width = x.shape
        return x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = query @ key.transpose(-1, -2) * (query.shape[-1] ** -0.5)
        mixed = F.softmax(scores, -1) @ value
        x = self.norm1(x + self.out(mixed.transpose(1, 2).reshape(x.shape)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """The encoder of BERT-base: hidden size 768, 12 heads."""

    def __init__(self, layers=4, width=768, heads=12, vocabulary=30522, positions=512):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(BertLayer(width, heads) for _ in range(layers))

    def forward(self, ids):
        x = self.norm(self.token(ids) + self.position(torch.arange(ids.shape[1])))
        for layer in self.layers:
            x = layer(x)
        return x


class GptLayer(nn.Module):
    """A pre-norm layer of a decoder, as in GPT-2."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def split(self, x):
        batch, length, width = x.shape
        return x.reshape(batch, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x, mask):
        query, key, value = map(self.split, self.qkv(self.norm1(x)).split(x.shape[-1], -1))
        scores = query @ key.transpose(-1, -2) * (query.shape[-1] ** -0.5) + mask
        x = x + self.out((F.softmax(scores, -1) @ value).transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    """The decoder of GPT-2 small, with the head over all tokens."""

    def __init__(self, layers=4, width=768, heads=12, vocabulary=50257, positions=1024):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.layers = nn.ModuleList(GptLayer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.register_buffer("mask", torch.full((positions, positions), -1e9).triu(1))

    def forward(self, ids):
        length = ids.shape[1]
        x = self.token(ids) + self.position(torch.arange(length))
        for layer in self.layers:
            x = layer(x, self.mask[:length, :length])
        return self.norm(x) @ self.token.weight.t()


def network(name):
    """A network of torchvision, its batch norms away from the identity."""
    import torchvision

    model = getattr(torchvision.models, name)(weights=None)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.running_mean, -0.1, 0.1)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
    return model


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def matmul(size):
    return lambda: (Call(torch.matmul), (torch.randn(size, size), torch.randn(size, size)))


def image(name):
    return lambda: (network(name), (torch.randn(1, 3, 224, 224),))


MODELS = {
    "mlp": lambda: (mlp(), (torch.randn(64, 784),)),
    "matmul_256": matmul(256),
    "matmul_512": matmul(512),
    "matmul_1024": matmul(1024),
    "conv3x3": lambda: (nn.Conv2d(64, 64, 3, padding=1), (torch.randn(1, 64, 56, 56),)),
    "conv1x1": lambda: (nn.Conv2d(256, 256, 1), (torch.randn(1, 256, 14, 14),)),
    "depthwise": lambda: (nn.Conv2d(96, 96, 3, padding=1, groups=96), (torch.randn(1, 96, 112, 112),)),
    "softmax": lambda: (nn.Softmax(-1), (torch.randn(1024, 1024),)),
    "layer_norm": lambda: (nn.LayerNorm(768), (torch.randn(1024, 768),)),
    "gelu": lambda: (nn.GELU(), (torch.randn(1024, 1024),)),
    "add": lambda: (Call(torch.add), (torch.randn(1024, 1024), torch.randn(1024, 1024))),
    "resnet18": image("resnet18"),
    "resnet50": image("resnet50"),
    "mobilenet_v2": image("mobilenet_v2"),
    "mobilenet_v3_small": image("mobilenet_v3_small"),
    "bert4": lambda: (Bert(), (torch.randint(0, 30000, (1, 128)),)),
    "gpt4": lambda: (Gpt(), (torch.randint(0, 50000, (1, 64)),)),
}


def make(name):
    """A model for inference, and its inputs."""
    torch.manual_seed(0)
    model, inputs = MODELS[name]()
    return model.eval(), inputs


def write(folder, name, meta):
    model, inputs = make(name)
    path = os.path.join(folder, name)
    with torch.no_grad():
        torch.export.save(torch.export.export(model, inputs), f"{path}.pt2")
        names = [f"x{i}" for i in range(len(inputs))]
        options = dict(input_names=names, output_names=["y"], opset_version=17, dynamo=False)
        torch.onnx.export(model, inputs, f"{path}.onnx", do_constant_folding=True, **options)
        result = model(*inputs)
    for input_name, value in zip(names, inputs):
        value.numpy().tofile(f"{path}.{input_name}.bin")
    result.numpy().tofile(f"{path}.y.bin")
    shapes = [dict(shape=list(value.shape), dtype=str(value.dtype)[6:]) for value in inputs]
    meta[name] = dict(inputs=shapes, output=list(result.shape))


def main(folder="cache", *names):
    os.makedirs(folder, exist_ok=True)
    index = os.path.join(folder, "models.json")
    meta = json.load(open(index)) if os.path.exists(index) else {}
    for name in names or MODELS:
        print(name, file=sys.stderr, flush=True)
        write(folder, name, meta)
        with open(index, "w") as file:
            json.dump(meta, file, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
