"""Writes packages/testing/fixtures/pt2-layouts: one program in the layouts of torch 2.7 (flat) and torch 2.8 (pickled
weights), as torch 2.14 still loads them, and with the schema details of the time (older argument kinds, no node names).

Run with PyTorch 2.14 from the folder that the files shall go to.
"""
import io
import json
import zipfile

import torch
from torch._export.serde.serialize import serialize


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.register_buffer("scale", torch.arange(3, dtype=torch.bfloat16))
        self.register_buffer("mask", torch.tensor([True, False, True]), persistent=False)
        self.offsets = torch.tensor([1, 2, 2**40])
        self.tied = self.linear.bias

    def forward(self, x, n):
        y = torch.add(self.linear(x), self.scale, alpha=2)
        values, indices = torch.topk(torch.where(self.mask, y, torch.softmax(y, dim=-1, dtype=torch.float32)), 2)
        return values * n, indices + self.offsets[:2], y.to(torch.float64)


torch.manual_seed(0)
model = Block().eval()
args = (torch.randn(2, 4), 3)
batch = torch.export.Dim("batch", min=2, max=64)
program = torch.export.export(model, args, dynamic_shapes={"x": {0: batch}, "n": None}, strict=False)
artifact = serialize(program)
current = json.loads(artifact.exported_program)


def old_schema(document):
    """The document as schema 8.5 had it: kinds one lower, no node names, fewer fields."""
    document = json.loads(json.dumps(document))
    document["schema_version"] = {"major": 8, "minor": 5}
    document["torch_version"] = "2.7.0"
    del document["guards_code"]
    del document["graph_module"]["treespec_namedtuple_fields"]
    for node in document["graph_module"]["graph"]["nodes"]:
        del node["name"]
        del node["is_hop_single_tensor_return"]
        for argument in node["inputs"]:
            argument["kind"] -= 1
    return document


def write_flat(name, document):
    with zipfile.ZipFile(name, "w") as archive:
        archive.writestr("version", ".".join(str(document["schema_version"][k]) for k in ("major", "minor")))
        archive.writestr("serialized_exported_program.json", json.dumps(document))
        archive.writestr("serialized_state_dict.pt", artifact.state_dict)
        archive.writestr("serialized_constants.pt", artifact.constants)
        archive.writestr("serialized_example_inputs.pt", artifact.example_inputs)
        archive.writestr("extra_files/note.txt", "hello")


def write_pickled_weights(name, document):
    with zipfile.ZipFile(name, "w") as archive:
        root = name.removesuffix(".pt2") + "/"
        archive.writestr(root + "archive_format", "pt2")
        archive.writestr(root + "archive_version", "0")
        archive.writestr(root + ".data/version", "6\n")
        archive.writestr(root + "byteorder", "little")
        archive.writestr(root + "models/model.json", json.dumps(document))
        archive.writestr(root + "data/weights/model.pt", artifact.state_dict)
        archive.writestr(root + "data/constants/model.pt", artifact.constants)
        archive.writestr(root + "data/sample_inputs/model.pt", artifact.example_inputs)


torch.export.save(program, "current.pt2")
with zipfile.ZipFile("current.pt2") as source, zipfile.ZipFile("deflated.pt2", "w", zipfile.ZIP_DEFLATED) as target:
    for info in source.infolist():
        target.writestr(info.filename, source.read(info))
write_flat("flat.pt2", current)
write_flat("flat_old_schema.pt2", old_schema(current))
write_pickled_weights("pickled_weights.pt2", current)

want = model(*args)
for name in ("current", "deflated", "flat", "pickled_weights"):
    loaded = torch.export.load(name + ".pt2")
    for a, b in zip(loaded.module()(*args), want):
        torch.testing.assert_close(a, b)
open("graph.txt", "w").write(str(torch.export.load("current.pt2").graph))
open("program.txt", "w").write(str(torch.export.load("current.pt2")))
json.dump({
    "x": args[0].flatten().tolist(),
    "scale": model.scale.tolist(),
    "linear.bias": model.linear.bias.tolist(),
    "linear.weight": model.linear.weight.flatten().tolist(),
    "mask": model.mask.tolist(),
    "offsets": model.offsets.tolist(),
}, open("values.json", "w"))
