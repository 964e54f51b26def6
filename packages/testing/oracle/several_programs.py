"""Writes packages/testing/fixtures/several-programs: an archive with two programs that share a weight, and what
PyTorch computes with each.

Run with PyTorch 2.14 from the folder that the files shall go to.
"""
import json

import torch
from torch.export.pt2_archive._package import load_pt2, package_pt2

linear = torch.nn.Linear(4, 3)
with torch.no_grad():
    linear.weight.copy_(torch.arange(12.0).reshape(3, 4) / 8)
    linear.bias.copy_(torch.tensor([0.5, -20.0, 1.0]))


class Prefill(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = linear

    def forward(self, x):
        return self.linear(x)


class Decode(Prefill):
    def forward(self, x):
        return torch.relu(self.linear(x))


inputs = {"prefill": torch.arange(8.0).reshape(2, 4), "decode": torch.arange(4.0).reshape(1, 4)}
models = {"prefill": Prefill().eval(), "decode": Decode().eval()}
programs = {name: torch.export.export(model, (inputs[name],)) for name, model in models.items()}
package_pt2("two.pt2", exported_programs=programs)

loaded = load_pt2("two.pt2").exported_programs
values = {}
for name, program in loaded.items():
    output = program.module()(inputs[name])
    torch.testing.assert_close(output, models[name](inputs[name]))
    values[name] = {"x": inputs[name].tolist(), "output": output.tolist()}
json.dump(values, open("values.json", "w"))
