"""Writes packages/testing/fixtures/producer-versions: programs in the files of PyTorch 2.5 to 2.14.

Run with PyTorch 2.6 and then with PyTorch 2.14, from the folder that the files shall go to. Each writes `VERSION/NAME.pt2.gz`
as it saves programs, and `VERSION/NAME.txt`, the text of the program that it loads again. PyTorch 2.14 also makes
`made-VERSION` of its own programs: the layout of the archive and the fields of the schema of that version. `results.json`
has the results of the models, and `loads.json` what PyTorch 2.14 makes of each file; where its results are those of the
model, `NAME.2.14.txt` is its text, unless that is the text of its own file.
"""
import contextlib
import gzip
import io
import json
import os
import zipfile

import torch
from torch import nn
from torch.export import Dim

MINE = ".".join(torch.__version__.split("+")[0].split(".")[:2])


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.GELU(), nn.Dropout(0.1), nn.Linear(8, 3))

    def forward(self, x):
        return torch.softmax(self.net(x), dim=-1)


class Calls(nn.Module):
    """Arguments that are passed by keyword, left out or None, and calls with several results."""

    def forward(self, x, n):
        y = torch.add(x, x, alpha=2).clamp(None, 1.5)
        values, indices = torch.topk(y, 2)
        low, high = torch.split(y, [1, 3], dim=1)
        wide = torch.ones(2, 1, dtype=torch.float64) + high.to(torch.float64)
        picked = y[:, torch.tensor([2, 0])]
        return values * n, indices, wide, low.mean(dim=0, dtype=torch.float32), picked, torch.where(y > 0, y, 0.5)


class State(nn.Module):
    """Tied parameters, buffers that are written, saved and not saved, and constants of several dtypes."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3)
        self.second.weight = self.first.weight
        self.register_buffer("steps", torch.tensor(2, dtype=torch.int64))
        self.register_buffer("scale", torch.tensor([1.0, 2.0, 0.5], dtype=torch.bfloat16))
        self.register_buffer("mask", torch.tensor([True, False, True]), persistent=False)
        self.offsets = torch.tensor([1, 2, 2**40])

    def forward(self, x):
        self.steps.add_(1)
        y = self.second(torch.relu(self.first(x))) * self.scale
        return torch.where(self.mask, y, -y) + self.steps, self.offsets + 1


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.linear(x), lambda x: (x - 1).relu(), (x,))


class Trees(nn.Module):
    def forward(self, pair, *, options):
        a, b = pair
        return {"sum": a + b * options["factor"], "both": [a, b.neg()]}


class Shapes(nn.Module):
    def forward(self, x, y):
        n = x.shape[0]
        z = torch.cat([x, y])
        return z.view(-1, 2), torch.arange(n) + n * 2, x.new_zeros(n, x.shape[1] + 1)


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3, padding=1)
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x):
        return torch.nn.functional.max_pool2d(torch.relu(self.norm(self.conv(x))), 2).flatten(1)


def programs():
    torch.manual_seed(0)
    batch = Dim("batch", min=2, max=64)
    yield "mlp", Mlp(), (torch.randn(3, 4),), {}, ({0: batch},)
    yield "calls", Calls(), (torch.randn(2, 4), 3), {}, None
    yield "state", State(), (torch.randn(2, 3),), {}, None
    yield "branch", Branch(), (torch.ones(2, 3),), {}, None
    yield "trees", Trees(), ((torch.randn(2), torch.randn(2)),), {"options": {"factor": torch.tensor(2.0)}}, None
    yield "shapes", Shapes(), (torch.randn(4, 2), torch.randn(4, 2)), {}, ({0: batch}, {0: batch})
    yield "convolution", Convolution(), (torch.randn(1, 2, 4, 4),), {}, None


def plain(value):
    """A tensor as JSON."""
    return {"dtype": str(value.dtype).removeprefix("torch."), "shape": list(value.shape), "values": value.double().flatten().tolist()}


def tensors_of(value):
    return [plain(leaf.detach()) for leaf in torch.utils._pytree.tree_leaves(value)]


def write(name, program):
    saved = io.BytesIO()
    torch.export.save(program, saved, extra_files={"note.txt": f"written by {MINE}"})
    pack(f"{MINE}/{name}", saved.getvalue())
    with open(f"{MINE}/{name}.txt", "w") as text:
        text.write(str(torch.export.load(saved)))


def pack(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.pt2.gz", "wb") as packed:
        packed.write(gzip.compress(content, mtime=0))


# What the schema lacked, by its minor version, and what was written in another form.
LATER_NODE_FIELDS = {"name": 15, "is_hop_single_tensor_return": 6}
LATER_FIELDS = {"guards_code": 9}
LATER_MODULE_FIELDS = {"treespec_namedtuple_fields": 8}


def old_argument(value, minor):
    """An argument: None was an empty tuple before schema 8.2."""
    if isinstance(value, list):
        return [old_argument(item, minor) for item in value]
    if not isinstance(value, dict):
        return value
    if minor < 2 and value == {"as_none": True}:
        return {"as_none": []}
    return {key: old_argument(item, minor) for key, item in value.items()}


def old_graph(graph, minor):
    for node in graph["nodes"]:
        if minor < 6 and node["is_hop_single_tensor_return"] is False:
            # The result of a higher-order call was a list, unless it is a bare tensor.
            node["outputs"] = [{"as_tensors": [output["as_tensor"] for output in node["outputs"]]}]
        for field, since in LATER_NODE_FIELDS.items():
            if minor < since:
                node.pop(field, None)
        for argument in node["inputs"]:
            if minor < 4:
                argument.pop("kind", None)
            elif minor < 7:
                argument["kind"] -= 1
            inner = argument["arg"].get("as_graph")
            if inner is not None:
                old_graph(inner["graph"], minor)
    if minor < 2:
        graph.pop("sym_float_values", None)


def old_document(text, minor, version):
    document = json.loads(text)
    document["schema_version"] = {"major": 8, "minor": minor}
    document["torch_version"] = version
    for field, since in LATER_FIELDS.items():
        if minor < since:
            document.pop(field, None)
    for field, since in LATER_MODULE_FIELDS.items():
        if minor < since:
            document["graph_module"].pop(field, None)
    old_graph(document["graph_module"]["graph"], minor)
    return json.dumps(old_argument(document, minor))


def made(name, program):
    """The program in the layouts and schemas of versions that did not write it."""
    from torch._export.serde.serialize import serialize

    artifact = serialize(program)
    parts = {"state_dict": artifact.state_dict, "constants": artifact.constants, "example_inputs": artifact.example_inputs}
    for version, minor in (("2.5.1", 1), ("2.7.1", 5)):
        with made_file(version, name) as archive:
            archive.writestr("version", f"8.{minor}")
            archive.writestr("serialized_exported_program.json", old_document(artifact.exported_program, minor, version))
            for part, content in parts.items():
                archive.writestr(f"serialized_{part}.pt", content)
            archive.writestr("extra_files/note.txt", f"made as {version}")
    with made_file("2.8.0", name) as archive:
        entries = {
            "archive_format": "pt2",
            "archive_version": "0",
            ".data/version": "6\n",
            "byteorder": "little",
            "models/model.json": old_document(artifact.exported_program, 8, "2.8.0"),
            "data/weights/model.pt": artifact.state_dict,
            "data/constants/model.pt": artifact.constants,
            "data/sample_inputs/model.pt": artifact.example_inputs,
            "extra/note.txt": "made as 2.8.0",
        }
        for entry, content in entries.items():
            archive.writestr(f"{name}/{entry}", content)
    saved = io.BytesIO()
    torch.export.save(program, saved)
    for version, minor in (("2.9.1", 14), ("2.10.0", 16), ("2.11.0", 17), ("2.12.0", 18), ("2.13.0", 19)):
        with zipfile.ZipFile(saved) as source, made_file(version, name) as archive:
            for info in source.infolist():
                content = source.read(info)
                if info.filename.endswith("models/model.json"):
                    content = old_document(content, minor, version)
                if not info.filename.endswith("serialization_id"):
                    archive.writestr(info.filename, content)
            archive.writestr("archive/extra/note.txt", f"made as {version}")


@contextlib.contextmanager
def made_file(version, name):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        yield archive
    pack(f"made-{'.'.join(version.split('.')[:2])}/{name}", content.getvalue())


def loads():
    """Which files PyTorch loads, and whether the results are those of the model."""
    results = json.load(open("results.json"))
    found = {}
    for folder in sorted(os.listdir(".")):
        if os.path.isdir(folder):
            for entry in sorted(os.listdir(folder)):
                if entry.endswith(".pt2.gz"):
                    name = entry[: -len(".pt2.gz")]
                    found[f"{folder}/{name}"] = load(folder, name, results)
    return found


def load(folder, name, results):
    try:
        program = torch.export.load(io.BytesIO(gzip.open(f"{folder}/{name}.pt2.gz").read()))
        args, kwargs = program.example_inputs
        got = tensors_of(program.module()(*args, **kwargs))
        same = close(got, results[f"{'2.14' if folder.startswith('made-') else folder}/{name}"])
        # It misreads the kinds of arguments in files of 2.7.
        if folder not in (MINE, "made-2.7") and same and str(program) != open(f"{MINE}/{name}.txt").read():
            open(f"{folder}/{name}.2.14.txt", "w").write(str(program))
        return "same" if same else "differs"
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"


def close(got, want):
    return len(got) == len(want) and all(
        a["shape"] == b["shape"] and a["dtype"] == b["dtype"] and torch.allclose(torch.tensor(a["values"]), torch.tensor(b["values"]))
        for a, b in zip(got, want)
    )


os.makedirs(MINE, exist_ok=True)
results = json.load(open("results.json")) if os.path.exists("results.json") else {}
for name, model, args, kwargs, dynamic in programs():
    model.eval()
    program = torch.export.export(model, args, kwargs, dynamic_shapes=dynamic, strict=False)
    write(name, program)
    if MINE == "2.14":
        made(name, program)
    results[f"{MINE}/{name}"] = tensors_of(model(*args, **kwargs))
json.dump(results, open("results.json", "w"))
if MINE == "2.14":
    json.dump(loads(), open("loads.json", "w"), indent=1)
