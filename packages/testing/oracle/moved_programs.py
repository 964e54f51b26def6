"""Writes packages/testing/fixtures/moved: programs that PyTorch exported for CUDA devices, and what
`move_to_device_pass` makes of them.

Run with PyTorch 2.14 from the folder that the files shall go to. No CUDA device is needed: weights and inputs are fake
tensors of the device while a program is exported, and `Tensor.to` gives fake tensors of the other device. The archives
hold the values, as those that were saved on such a device.
"""
import dataclasses
import gzip
import io
import json
import operator
import zipfile

import torch
import torch.export.pt2_archive._package as package
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.export import Dim
from torch.export.passes import move_to_device_pass

torch.cuda._lazy_init = lambda: None
MODE = FakeTensorMode(allow_non_fake_inputs=True)
VALUES = {}
convert = torch.Tensor.to


def fake_on(tensor, device):
    """What `Tensor.to` gives on a machine with the device, without its values."""
    mode = tensor.fake_mode if isinstance(tensor, FakeTensor) else MODE
    size = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")
    fake = FakeTensor(mode, size, torch.device(device)).requires_grad_(tensor.requires_grad)
    VALUES[id(fake)] = (fake, VALUES.get(id(tensor), (None, tensor))[1])
    return fake


def to(self, *args, **kwargs):
    is_device = len(args) == 1 and not kwargs and isinstance(args[0], (str, torch.device))
    if is_device:
        return self if torch.device(args[0]) == self.device else fake_on(self, args[0])
    return convert(self, *args, **kwargs)


def real(tensor):
    """The tensor with its values, on the CPU."""
    values = VALUES.get(id(tensor), (None, tensor))[1]
    if isinstance(tensor, torch.nn.Parameter) and not isinstance(values, torch.nn.Parameter):
        return torch.nn.Parameter(values, requires_grad=tensor.requires_grad)
    return values


def on_device(model, device):
    shared, kept = {}, []
    for module in model.modules():
        for entries in (module._parameters, module._buffers):
            for name, tensor in entries.items():
                kept.append(tensor)  # Otherwise another tensor could get its id.
                fake = shared.setdefault(id(tensor), fake_on(tensor.detach(), device))
                if isinstance(tensor, torch.nn.Parameter):
                    fake = shared.setdefault(id(fake), torch.nn.Parameter(fake, requires_grad=False))
                    VALUES[id(fake)] = (fake, tensor.detach())
                entries[name] = fake
        for name, tensor in list(vars(module).items()):
            if isinstance(tensor, torch.Tensor):
                setattr(module, name, fake_on(tensor, device))
    return model


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 4)
        with torch.no_grad():
            self.linear.weight.copy_(torch.arange(12.0).reshape(4, 3) / 8)
            self.linear.bias.copy_(torch.tensor([0.5, -1.0, 1.0, 0.25]))
        self.register_buffer("scale", torch.full((4,), 0.5))
        self.register_buffer("steps", torch.arange(4.0), persistent=False)
        self.shift = torch.tensor([0.25, 0.5, 0.75, 1.0])


class Factories(Model):
    def forward(self, x):
        y = self.linear(x) * self.scale + self.steps + self.shift
        ones = torch.ones(4, device=x.device) + torch.full((4,), 2.0, device=x.device)
        return y + ones + torch.arange(4, device=x.device), torch.zeros_like(x), x.new_zeros(2), torch.eye(3, device=x.device)


class Conversions(Model):
    def forward(self, x):
        y = self.linear(x.to(self.scale.device))
        a = y.to(y.device, torch.float64)
        b = y.to("cpu").sum().to(x.device)
        c = torch.zeros(4, device="cpu").to(x.device)
        return a, y.to(torch.float16) + b.half(), c + y, y.double()


class Counter(Model):
    def forward(self, x):
        self.scale.add_(1)
        return self.linear(x) * self.scale


class Branches(Model):
    def forward(self, x):
        def yes(v):
            return v + torch.ones(4, device=v.device)

        def no(v):
            return v - torch.arange(4, device=v.device)

        return torch.cond(x.sum() > 0, yes, no, (self.linear(x),))


class Nested(Model):
    def forward(self, x):
        y = self.linear(x) + torch.ones(4, device=x.device)
        with torch.autocast("cuda", torch.bfloat16, enabled=False):
            return y * torch.full((1,), 3.0, device=x.device)


class Views(torch.nn.Module):
    def __init__(self):
        super().__init__()
        whole = torch.arange(8.0)
        self.register_buffer("low", whole[:4])
        self.register_buffer("high", whole[4:])
        self.tied = torch.nn.Parameter(torch.ones(4))
        self.other = self.tied

    def forward(self, pair, *, add):
        row = (pair["a"] + self.low).expand(3, 4) + pair["b"].t()
        return {"sum": row + add, "high": self.high * self.other, "row": pair["a"].expand(2, 4)}


class Loop(torch.nn.Module):
    def forward(self, n, x):
        def go(n, x):
            return n > 0

        def step(n, x):
            return n - 1, x * 2 + torch.ones(3, device=x.device)

        return torch._higher_order_ops.while_loop(go, step, (n, x))


class Mask(torch.nn.Module):
    """Sizes that are known when the program runs."""

    def forward(self, x):
        steps = torch.arange(x.shape[0], device=x.device)
        mask = steps.unsqueeze(1) >= steps
        return x * mask + torch.zeros(x.shape[0], x.shape[0], device=x.device)


X = torch.tensor([[0.5, 1.0, -1.5], [2.0, 0.25, 1.0]])
square = {"x": {0: (n := Dim("n", min=2, max=32)), 1: n}}
CASES = {
    "factories": (Factories, (X,), {}, {}),
    "conversions": (Conversions, (X,), {}, {}),
    "counter": (Counter, (X,), {}, {}),
    "branches": (Branches, (X,), {}, {}),
    "nested": (Nested, (X,), {}, {}),
    "views": (Views, ({"a": torch.ones(4), "b": torch.arange(12.0).reshape(4, 3)},), {"add": torch.full((3, 1), 2.0)}, {}),
    "loop": (Loop, (torch.tensor(3), torch.arange(3.0)), {}, {}),
    "mask": (Mask, (torch.arange(9.0).reshape(3, 3),), {}, {"dynamic_shapes": square}),
}
# The device of the export, whether it is lowered, where it goes.
MOVES = {
    "factories": [("cuda:0", False, "cpu"), ("cuda:0", True, "cpu"), ("cuda:1", False, {"cuda:1": "cuda:0"}),
                  ("cuda:0", False, {"cuda": "cpu"}), ("cpu", False, "cuda:0"), ("cpu", False, "meta")],
    "conversions": [("cuda:0", False, "cpu"), ("cuda:0", True, "cpu"), ("cuda:0", False, {"cuda:0": "cpu"}),
                    ("cuda:0", False, {"cpu": "cuda:1", "cuda:0": "cpu"}), ("cpu", False, {"cpu": "xpu:0"})],
}
DEFAULT = [("cuda:0", False, "cpu"), ("cuda:0", True, "cpu")]


def leaves(device, inputs):
    def placed(tensor):
        return tensor if device == "cpu" else fake_on(tensor, device)

    return torch.utils._pytree.tree_map_only(torch.Tensor, placed, inputs)


def exported(build, args, kwargs, options, device, is_lowered):
    with torch.no_grad():
        model = build().eval()
        if device != "cpu":
            model = on_device(model, device)
        program = torch.export.export(model, leaves(device, args), leaves(device, kwargs), **options)
        return as_in_files(program.run_decompositions() if is_lowered else program)


def as_in_files(program):
    """Files have lists where control flow has tuples. They have no names for the graphs that a call takes, and one
    line for all items of a call."""
    for node in program.graph.nodes:
        if node.op == "get_attr":
            node.name = node.target
        if node.target is operator.getitem:
            node.meta["stack_trace"] = node.args[0].meta.get("stack_trace")
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            node.args = tuple(list(arg) if isinstance(arg, tuple) else arg for arg in node.args)
    program.graph_module.recompile()
    return program


def saved(program, inputs, device):
    """The bytes of the archive; sample inputs lie where the program has them."""
    program._example_inputs = inputs
    for entries in (program._state_dict, program._constants):
        entries.update({name: real(tensor) for name, tensor in entries.items()})
    tensor_meta = package.serialize_tensor_meta

    def placed(tensor):
        meta = tensor_meta(tensor)
        place = torch.device(device)
        return dataclasses.replace(meta, device=dataclasses.replace(meta.device, type=place.type, index=place.index))

    package.serialize_tensor_meta = placed
    location_tag, torch.serialization.location_tag = torch.serialization.location_tag, lambda storage: device
    try:
        buffer = io.BytesIO()
        torch.export.save(program, buffer)
        return buffer.getvalue()
    finally:
        package.serialize_tensor_meta = tensor_meta
        torch.serialization.location_tag = location_tag


def document(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return json.loads(archive.read("archive/models/model.json"))


def compressed(file, data):
    with open(file, "wb") as out:
        out.write(gzip.compress(data, mtime=0))


def numbers(value):
    return [[str(leaf.dtype), list(leaf.shape), leaf.flatten().tolist()] for leaf in torch.utils._pytree.tree_leaves(value)]


facts = []
for name, (build, args, kwargs, options) in CASES.items():
    for at, (device, is_lowered, location) in enumerate(MOVES.get(name, DEFAULT)):
        file = f"{name}-{at}"
        program = exported(build, args, kwargs, options, device, is_lowered)
        data = saved(program, (args, kwargs), device)
        compressed(f"{file}.pt2.gz", data)
        before = str(program)
        torch.Tensor.to = to
        with torch.no_grad():
            program._example_inputs = None
            moved = move_to_device_pass(program, location)
        torch.Tensor.to = convert
        facts.append({
            "file": file, "location": location, "before": before, "text": str(moved),
            "document": document(saved(moved, (args, kwargs), "cpu")),
            "outputs": numbers(build().eval()(*torch.utils._pytree.tree_map_only(torch.Tensor, torch.clone, args), **kwargs)),
        })
compressed("facts.json.gz", json.dumps(facts, separators=(",", ":")).encode())
print(len(facts))
