"""Writes the two models of docs/performance.md: resnet18.pt2 (47 MB) and bert4.pt2 (211 MB), random weights.

Usage (with PyTorch, torchvision and transformers): python3 models.py [FOLDER]
"""
import os
import sys

import torch
import torchvision
from transformers import BertConfig, BertModel


def main(folder):
    torch.manual_seed(0)
    resnet = torchvision.models.resnet18(weights=None).eval()
    bert = BertModel(BertConfig(num_hidden_layers=4)).eval()
    ids, mask = torch.randint(0, 30000, (1, 128)), torch.ones(1, 128, dtype=torch.long)
    with torch.no_grad():
        torch.export.save(torch.export.export(resnet, (torch.randn(1, 3, 224, 224),)), os.path.join(folder, "resnet18.pt2"))
        torch.export.save(torch.export.export(bert, (ids, mask), strict=False), os.path.join(folder, "bert4.pt2"))


main(sys.argv[1] if len(sys.argv) > 1 else ".")
