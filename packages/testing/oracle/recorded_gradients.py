"""Prints which inputs of exported programs ask for gradients: the cases of
packages/capture/src/export/recorded-gradients.test.ts. Needs PyTorch 2.14.

    python3 recorded_gradients.py
"""

import torch
from torch import nn


class Base(nn.Module):
    def __init__(self, run):
        super().__init__()
        self.run = run
        self.w = nn.Parameter(torch.rand(3))
        self.register_buffer("b", torch.rand(3))

    def forward(self, x):
        return self.run(self, x)


def without_grad(m, x):
    with torch.no_grad():
        m.b.add_(m.w)
    return x + m.b


CASES = {
    "a write to a buffer": lambda m, x: x + m.b.add_(m.w),
    "a write to a view": lambda m, x: (m.b[0:2].copy_(m.w[0:2]), x + m.b)[1],
    "a write without gradients": without_grad,
    "a write to an input": lambda m, x: x.mul_(m.w) + 1,
    "a write to a view of an input": lambda m, x: (x.view(3, 1).mul_(m.w.view(3, 1)), x + 1)[1],
    "a write to a detached buffer": lambda m, x: (m.b.detach().add_(m.w), x + m.b)[1],
    "a write of detached values": lambda m, x: x + m.b.add_(m.w.detach()),
    "a buffer detached after it": lambda m, x: (m.b.add_(m.w), m.b.detach_(), x + 1)[2],
    "a chain of writes": lambda m, x: (x.add_(m.w), m.b.add_(x), x + 1)[2],
    "a buffer set to zero after it": lambda m, x: (m.b.add_(m.w), m.b.zero_(), x + 1)[2],
    "a write to a new tensor": lambda m, x: x + torch.zeros(3).add_(m.w),
}


def main():
    for name, run in CASES.items():
        program = torch.export.export(Base(run), (torch.rand(3),))
        values = {node.name: node.meta.get("val") for node in program.graph.nodes}
        print(name, [key for key, value in values.items() if getattr(value, "requires_grad", False)])


main()
