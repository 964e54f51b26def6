"""Weights of layers and of torch.nn.init after a seed, as packages/torch/src/nn/init.test.ts has them.

    python packages/testing/oracle/initializations.py
"""

import torch
from torch import nn
from torch.nn import init

E = torch.empty
CASES = {
    "Linear(3, 4).weight": lambda: nn.Linear(3, 4).weight,
    "Linear(3, 4).bias": lambda: nn.Linear(3, 4).bias,
    "Linear(8, 3).weight": lambda: nn.Linear(8, 3).weight,
    "Conv2d(2, 3, 3).weight": lambda: nn.Conv2d(2, 3, 3).weight,
    "Embedding(5, 4).weight": lambda: nn.Embedding(5, 4).weight,
    "Embedding(3, 4).weight": lambda: nn.Embedding(3, 4).weight,
    "uniform_": lambda: init.uniform_(E(2, 3), -1, 2),
    "normal_": lambda: init.normal_(E(2, 3), 1, 2),
    "normal_ 20": lambda: init.normal_(E(4, 5)),
    "kaimingUniform_": lambda: init.kaiming_uniform_(E(3, 4), a=0.5, mode="fan_out"),
    "kaimingNormal_": lambda: init.kaiming_normal_(E(3, 4), nonlinearity="relu"),
    "xavierUniform_": lambda: init.xavier_uniform_(E(3, 4), 2),
    "xavierNormal_": lambda: init.xavier_normal_(E(3, 4, 2)),
    "truncNormal_": lambda: init.trunc_normal_(E(3, 4), std=1.5, a=-1, b=1),
    "truncNormal_ 20": lambda: init.trunc_normal_(E(4, 5), a=-0.9, b=1),
    "truncNormal_ far": lambda: init.trunc_normal_(E(3, 4), a=1.5, b=2.5),
    "truncNormal_ far 20": lambda: init.trunc_normal_(E(4, 5), a=1.5, b=2.5),
    "orthogonal_": lambda: init.orthogonal_(E(3, 4), 2),
    "orthogonal_ tall": lambda: init.orthogonal_(E(4, 1, 2)),
    "dirac_": lambda: init.dirac_(E(4, 2, 3), 2),
    "dirac_ 4": lambda: init.dirac_(E(2, 2, 2, 3)),
    "eye_": lambda: init.eye_(E(2, 3)),
    "sparse_": lambda: init.sparse_(E(4, 5), 0.4, 0.5),
}

for name, make in CASES.items():
    torch.manual_seed(7)
    values = make().detach().double().flatten().tolist()
    print(name, [round(value, 9) for value in values[:24]])
