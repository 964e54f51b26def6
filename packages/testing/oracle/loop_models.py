"""Writes the three models that loops are made of in the tests, at their usual sizes and at reduced ones, as .pt2 files.

Usage (with PyTorch, torchvision and transformers): python3 loop_models.py FOLDER
Then, for each FILE.pt2: sconce print FILE.pt2 --format ir --passes strip-metadata | gzip -9n > ../fixtures/models/FILE.sir.gz
The texts hold no weights: tests fill them with numbers of a fixed seed.
"""
import os
import sys

import torch
import torchvision
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel


class Logits(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model(input_ids=ids, use_cache=False).logits


def small_resnet():
    return torchvision.models.ResNet(torchvision.models.resnet.BasicBlock, [2, 2, 2, 2], num_classes=10)


def narrow(model):
    """ResNet-18 with an eighth of the channels."""
    for module in model.modules():
        if isinstance(module, torch.nn.Conv2d):
            module.in_channels = max(3, module.in_channels // 8) if module.in_channels > 3 else 3
            module.out_channels //= 8
            shape = (module.out_channels, module.in_channels, *module.kernel_size)
            module.weight = torch.nn.Parameter(torch.zeros(shape))
        elif isinstance(module, torch.nn.BatchNorm2d):
            module.__init__(module.num_features // 8)
        elif isinstance(module, torch.nn.Linear):
            module.__init__(module.in_features // 8, module.out_features)
    return model


def bert(**sizes):
    return BertModel(BertConfig(num_hidden_layers=4, **sizes))


def gpt2(**sizes):
    return Logits(GPT2LMHeadModel(GPT2Config(n_layer=4, **sizes)))


def main(folder):
    def save(name, model, args, **options):
        with torch.no_grad():
            program = torch.export.export(model.eval(), args, **options)
        torch.export.save(program, os.path.join(folder, f"{name}.pt2"))

    ids, mask = (lambda n, top: torch.randint(0, top, (1, n))), (lambda n: torch.ones(1, n, dtype=torch.long))
    small = {"hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 200, "max_position_embeddings": 32}
    save("resnet18", torchvision.models.resnet18(weights=None), (torch.randn(1, 3, 224, 224),))
    save("resnet18-small", narrow(small_resnet()), (torch.randn(1, 3, 64, 64),))
    save("bert4", bert(), (ids(128, 30000), mask(128)), strict=False)
    save("bert4-small", bert(**small), (ids(16, 200), mask(16)), strict=False)
    save("gpt2", gpt2(), (ids(64, 50000),), strict=False)
    save("gpt2-small", gpt2(n_embd=64, n_head=4, vocab_size=200, n_positions=32), (ids(16, 200),), strict=False)


main(sys.argv[1])
