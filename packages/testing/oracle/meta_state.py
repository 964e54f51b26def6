"""Writes packages/testing/fixtures/meta-state: programs whose state has no values, as PyTorch saves them.

Modules on the `meta` device, modules made under FakeTensorMode, and a program of which only a part was replaced, in the
archive layout of today and in those of torch 2.7 (flat) and torch 2.8 (pickled weights). `values.safetensors` holds
values for the state of all of them, `inputs.safetensors` an input, and `expected.safetensors` what PyTorch computes.

Run with PyTorch 2.14 from the folder that the files shall go to.
"""
import json
import struct
import zipfile

import torch
from torch import nn
from torch._export.serde.serialize import serialize
from torch._subclasses.fake_tensor import FakeTensorMode


class Model(nn.Module):
    """A tied weight, an integer buffer, a buffer that is not saved, a lifted constant, a branch, a written buffer."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4)
        self.second.weight = self.first.weight
        self.norm = nn.BatchNorm1d(4)
        self.branch = nn.Linear(4, 4)
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self.register_buffer("scale", torch.ones(4), persistent=False)
        self.offset = torch.ones(4)
        self.register_buffer("unread", torch.ones(2))

    def forward(self, x):
        self.steps.add_(1)
        y = self.norm(self.second(torch.relu(self.first(x)))) * self.scale + self.offset
        return torch.cond(x.shape[0] > 3, lambda y: self.branch(y), lambda y: y - 1, (y,))


class Channels(nn.Module):
    """A weight with strides of its own, a convolution and the batch norm behind it, and two constants that fold."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.conv.weight = nn.Parameter(self.conv.weight.to(memory_format=torch.channels_last))
        self.norm = nn.BatchNorm2d(4)
        self.table = torch.ones(2, 4)

    def forward(self, x):
        y = self.norm(self.conv(x)).mean((2, 3))
        return y @ self.table.t()


def safetensors(name, tensors):
    codes = {torch.float32: "F32", torch.int64: "I64"}
    header, data = {}, b""
    for key, tensor in sorted(tensors.items(), key=lambda item: -item[1].element_size()):
        raw = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
        raw = bytes(raw.tolist())
        header[key] = {"dtype": codes[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(name, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def write_flat(name, artifact):
    document = json.loads(artifact.exported_program)
    with zipfile.ZipFile(name, "w") as archive:
        archive.writestr("version", ".".join(str(document["schema_version"][k]) for k in ("major", "minor")))
        archive.writestr("serialized_exported_program.json", json.dumps(document))
        archive.writestr("serialized_state_dict.pt", artifact.state_dict)
        archive.writestr("serialized_constants.pt", artifact.constants)
        archive.writestr("serialized_example_inputs.pt", artifact.example_inputs)


def write_pickled_weights(name, artifact):
    with zipfile.ZipFile(name, "w") as archive:
        root = name.removesuffix(".pt2") + "/"
        archive.writestr(root + "archive_format", "pt2")
        archive.writestr(root + "archive_version", "0")
        archive.writestr(root + ".data/version", "6\n")
        archive.writestr(root + "byteorder", "little")
        archive.writestr(root + "models/model.json", artifact.exported_program)
        archive.writestr(root + "data/weights/model.pt", artifact.state_dict)
        archive.writestr(root + "data/constants/model.pt", artifact.constants)
        archive.writestr(root + "data/sample_inputs/model.pt", artifact.example_inputs)


def fill(module):
    """Values that are easy to recognize; tied tensors get theirs once."""
    with torch.no_grad():
        for i, tensor in enumerate([*module.parameters(), *module.buffers()]):
            if tensor.dtype == torch.int64:
                tensor.fill_(i)
            else:
                tensor.copy_(torch.linspace(0.1, 1 + i / 8, tensor.numel()).reshape(tensor.shape))
    return module.eval()


def export(make, *args, meta=True, **options):
    if meta:
        with torch.device("meta"):
            return torch.export.export(make().eval(), tuple(a.to("meta") for a in args), strict=False, **options)
    return torch.export.export(make().eval(), args, strict=False, **options)


torch.manual_seed(0)
x = torch.linspace(-1, 1, 20).reshape(5, 4)
dynamic = {"dynamic_shapes": ({0: torch.export.Dim("batch", min=1, max=64)},)}

meta = export(Model, x, **dynamic)
torch.export.save(meta, "meta.pt2")
write_flat("meta_flat.pt2", serialize(meta))
write_pickled_weights("meta_pickled.pt2", serialize(meta))

with FakeTensorMode():
    fake = torch.export.export(Model().eval(), (torch.ones(5, 4),), strict=False, **dynamic)
torch.export.save(fake, "fake.pt2")
write_flat("fake_flat.pt2", serialize(fake))

# Everything is there but one parameter, one buffer and one constant.
part = export(lambda: fill(Model()), x, meta=False, **dynamic)
part.state_dict["branch.weight"] = nn.Parameter(part.state_dict["branch.weight"].to("meta"))
part.state_dict["norm.running_var"] = part.state_dict["norm.running_var"].to("meta")
part.constants["offset"] = part.constants["offset"].to("meta")
torch.export.save(part, "part.pt2")

images = torch.linspace(-1, 1, 2 * 3 * 4 * 4).reshape(2, 3, 4, 4)
torch.export.save(export(Channels, images), "channels.pt2")

model = fill(Model())
values = dict(model.named_parameters(remove_duplicate=True)) | dict(model.named_buffers())
safetensors("values.safetensors", values | {"offset": model.offset})
safetensors("inputs.safetensors", {"i0": x})
safetensors("expected.safetensors", {"o0": model(x)})

channels = fill(Channels())
values = dict(channels.named_parameters()) | dict(channels.named_buffers())
safetensors("channels-values.safetensors", values | {"table": channels.table})
safetensors("channels-inputs.safetensors", {"i0": images})
safetensors("channels-expected.safetensors", {"o0": channels(images)})
