"""Writes packages/testing/fixtures/packages: archives of several programs as `package_pt2` makes them, the same with
shared weights stored once (as no PyTorch function writes them, and as `load_pt2` reads them), and what PyTorch computes.

Run with PyTorch 2.14 from the folder that the files shall go to.
"""
import io
import json
import zipfile

import torch
from torch.export import Dim
from torch.export.pt2_archive._package import load_pt2, package_pt2

torch.manual_seed(7)
embedding = torch.nn.Embedding(11, 4)
linear = torch.nn.Linear(4, 4)
buffer = torch.arange(10.0)


class Model(torch.nn.Module):
    """Parameters, buffers that share one storage, a constant, a buffer that is not saved."""

    def __init__(self):
        super().__init__()
        self.embedding = embedding
        self.linear = linear
        self.register_buffer("low", buffer[:4])
        self.register_buffer("high", buffer[6:])
        self.register_buffer("scale", torch.full((4,), 0.5), persistent=False)
        self.shift = torch.tensor([0.25, 0.5, 0.75, 1.0])

    def forward(self, tokens):
        return self.linear(self.embedding(tokens) + self.low) * self.scale


class Decode(Model):
    def forward(self, token, state):
        new = torch.tanh(self.linear(self.embedding(token)) + state + self.high)
        return new, new + self.shift


class Empty(torch.nn.Module):
    def forward(self, x):
        return x.relu()


def tokens(*shape):
    return torch.arange(torch.Size(shape).numel()).reshape(shape) % 11


def exported(model, inputs, **options):
    return torch.export.export(model.eval(), inputs, **options), inputs


class Double(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.none = torch.nn.Parameter(torch.empty(0, 4))
        self.linear = linear

    def forward(self, x):
        return self.linear(x) * 2 + self.none.sum()


dynamic = {"tokens": {0: Dim("batch"), 1: Dim("length", min=2, max=64)}}
ARCHIVES = {
    "methods": {
        "prefill": exported(Model(), (tokens(2, 5),), dynamic_shapes=dynamic),
        "decode": exported(Decode(), (tokens(2), torch.zeros(2, 4))),
    },
    # The names that an ExportPackage gives to the overloads of its methods.
    "overloads": {
        "decoder:prefill": exported(Model(), (tokens(1, 8),)),
        "decoder:decode": exported(Model(), (tokens(1, 1),)),
        "encoder": exported(Empty(), (torch.ones(3),)),
    },
    "with-model": {
        "model": exported(Empty(), (torch.ones(2),)),
        "parts/head": exported(Double(), (torch.ones(2, 4),)),
        # Its configuration counts among the weights of the next.
        "weight_x": exported(Double(), (torch.ones(1, 4),)),
        "last one": exported(Double(), (torch.ones(3, 4),)),
    },
}


def stored_once(data):
    """The archive with equal records of weights and constants of different programs as one record."""
    records, given, configs, out = {}, {}, {}, io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if not name.endswith(".data/serialization_id")]
        for name in names:
            folder, _, last = name.rpartition("/")
            if "/data/weights" in name or "/data/constants" in name:
                if name.endswith("_config.json"):
                    configs[name] = json.loads(archive.read(name))
                else:
                    key = (folder, archive.read(name))
                    given[name] = records.setdefault(key, last) if key[1] else last
        with zipfile.ZipFile(out, "w") as copy:
            for name in names:
                folder, _, last = name.rpartition("/")
                if name in configs:
                    base = "/data/weights/" if "/data/weights/" in name else "/data/constants/"
                    for meta in configs[name]["config"].values():
                        meta["path_name"] = given[name.split("/")[0] + base + meta["path_name"]]
                    copy.writestr(name, json.dumps(configs[name]))
                elif given.get(name, last) == last:
                    copy.writestr(name, archive.read(name))
    return out.getvalue()


def numbers(value):
    return [item.tolist() for item in value] if isinstance(value, tuple) else [value.tolist()]


facts = {}
for archive, programs in ARCHIVES.items():
    extra = {"note.txt": archive}
    package_pt2(f"{archive}.pt2", exported_programs={name: ep for name, (ep, _) in programs.items()}, extra_files=extra)
    data = open(f"{archive}.pt2", "rb").read()
    once = stored_once(data)
    if len(once) < len(data):
        open(f"{archive}-once.pt2", "wb").write(once)
    facts[archive] = {}
    for source in (data, once):
        loaded = load_pt2(io.BytesIO(source))
        assert list(loaded.exported_programs) == list(programs) and loaded.extra_files == extra
        for name, (program, inputs) in programs.items():
            got = loaded.exported_programs[name]
            output = numbers(got.module()(*inputs))
            assert output == numbers(program.module()(*inputs))
            facts[archive][name] = {"text": str(got), "outputs": output}
json.dump(facts, open("facts.json", "w"), indent=1)
