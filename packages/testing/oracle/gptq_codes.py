"""Writes fixtures/quantization/gptq.json: codes of the published GPTQ algorithm, computed with PyTorch in float64.

The algorithm is that of Frantar et al., 2022, algorithm 1, with a block of one column: PyTorch has none itself.

Usage (with PyTorch): python3 gptq_codes.py FILE
"""

import json
import sys

import torch
from torch.ao.quantization.utils import determine_qparams

EPS = torch.tensor([torch.finfo(torch.float32).eps])


def codes_of(weight, inputs, group, symmetric):
    rows, columns = weight.shape
    hessian = inputs.T @ inputs
    dead = hessian.diagonal() == 0
    hessian[dead, dead] = 1
    hessian += 0.01 * hessian.diagonal().mean() * torch.eye(columns, dtype=torch.float64)
    factor = torch.linalg.cholesky(torch.linalg.inv(hessian), upper=True)
    current = weight.double().clone()
    codes = torch.zeros(rows, columns, dtype=torch.int64)
    scheme = torch.per_channel_symmetric if symmetric else torch.per_channel_affine
    for column in range(columns):
        if column % group == 0:
            items = current[:, column : column + group].float()
            scale, zero = determine_qparams(items.amin(1), items.amax(1), -8, 7, torch.int8, EPS, False, scheme)
        value = current[:, column].float()
        code = (torch.round(value * (1.0 / scale.float())) + zero).clamp(-8, 7)
        codes[:, column] = code.long()
        expanded = ((code - zero) * scale.float()).double()
        error = (current[:, column] - expanded) / factor[column, column]
        current[:, column:] -= error.unsqueeze(1) * factor[column, column:].unsqueeze(0)
    return codes


def main(path):
    generator = torch.Generator().manual_seed(3)
    weight = torch.randn(6, 32, generator=generator)
    mixed = torch.randn(32, 32, generator=generator, dtype=torch.float64)
    inputs = (torch.randn(64, 32, generator=generator, dtype=torch.float64) @ mixed).float().double()
    inputs[:, 5] = 0
    cases = [
        {"group": group, "symmetric": symmetric, "codes": codes_of(weight, inputs, group, symmetric).flatten().tolist()}
        for group in (8, 32)
        for symmetric in (True, False)
    ]
    with open(path, "w") as file:
        json.dump({"weight": weight.flatten().tolist(), "inputs": inputs.flatten().tolist(), "cases": cases}, file)


main(sys.argv[1])
