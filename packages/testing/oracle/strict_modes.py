"""Records how PyTorch's strict exports differ from non-strict ones.

    py packages/testing/oracle/strict_modes.py packages/testing/fixtures/capture/strict-modes.json

Writes for each program of the corpus that both modes export how its text becomes that of the strict mode: new names of
symbols, the inputs that are left by their places, and edits of lines; the guards; and names that saved metadata has.
For programs that one mode refuses it writes the class of the exception.
"""

import contextlib
import difflib
import importlib
import io
import json
import os
import re
import sys
import warnings
import zipfile

import torch
from torch import nn
from torch.export.graph_signature import InputKind

from program_texts import comparable

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "programs"))
import corpus  # noqa: E402

MODULES = ["seed_programs", "language_programs", "control_flow", "networks"]
export = torch.export.export


def lines_of(ep):
    return comparable(str(ep)).split("\n")


def run(make, strict):
    corpus.fresh()
    case = make()

    def chosen(mod, args, kwargs=None, **options):
        return export(mod, args, kwargs, **{**options, "strict": strict})

    torch.export.export = chosen
    try:
        with contextlib.redirect_stdout(None), contextlib.redirect_stderr(None), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return (case.export or corpus.default_export)(case)
    except Exception as error:
        return type(error).__name__
    finally:
        torch.export.export = export


def sizes_of(ep):
    """The sizes of the user's inputs, in order."""
    specs = ep.graph_signature.input_specs
    nodes = ep.graph.find_nodes(op="placeholder")
    values = [node.meta["val"] for node, spec in zip(nodes, specs) if spec.kind == InputKind.USER_INPUT]
    return [str(size) for value in values for size in (value.shape if isinstance(value, torch.Tensor) else [value])]


def symbols(plain, strict):
    pairs = [pair for a, b in zip(sizes_of(plain), sizes_of(strict))
             for pair in zip(re.findall(r"\bs\d+\b", a), re.findall(r"\bs\d+\b", b))]
    return dict(pairs)


def with_symbols(lines, names):
    return [re.sub(r"\bs\d+\b", lambda match: names.get(match[0], match[0]), line) for line in lines]


def with_inputs(lines, order):
    """The text with some of its inputs, in another order."""
    head = next(i for i, line in enumerate(lines) if " def forward(self" in line)
    first = lines.index("    # inputs") + 1
    end = lines.index("    # outputs")
    before, after = re.fullmatch(r"(.*def forward\(self)(.*)\):", lines[head]).groups()
    items = re.findall(r", (\w+(?:: (?:\"[^\"]*\"|'[^']*'))?)", after)
    specs = lines[first:end]
    assert len(items) == len(specs), (items, specs)
    lines = list(lines)
    lines[head] = before + "".join(f", {items[i]}" for i in order) + "):"
    return lines[:first] + [specs[i] for i in order] + lines[end:]


def record(plain, strict):
    entry = {}
    names = symbols(plain, strict)
    if any(a != b for a, b in names.items()):
        entry["symbols"] = names
    base = with_symbols(lines_of(plain), names)
    targets = [(spec.kind, spec.target or spec.arg.name) for spec in plain.graph_signature.input_specs]
    order = [targets.index((spec.kind, spec.target or spec.arg.name)) for spec in strict.graph_signature.input_specs]
    if order != list(range(len(targets))):
        entry["inputs"] = order
        base = with_inputs(base, order)
    wanted = lines_of(strict)
    matcher = difflib.SequenceMatcher(None, base, wanted, autojunk=False)
    edits = [[i, k - i, wanted[j:m]] for tag, i, k, j, m in matcher.get_opcodes() if tag != "equal"]
    if edits:
        entry["edits"] = edits
    if strict._guards_code:
        entry["guards"] = list(strict._guards_code)
    return entry


# ---------------------------------------------------------------- metadata


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.GELU(), nn.Dropout(0.5))
        self.bn = nn.BatchNorm1d(3)
        self.step = nn.GRUCell(3, 3)

    def forward(self, x):
        y = self.bn(self.body(x))
        return self.step(self.step(y))


class Functions(nn.Module):
    def forward(self, x):
        y = torch.add(x.add(1), x.relu())
        y = torch.nn.functional.relu(torch.relu(y))
        y = torch.nn.functional.softsign(torch.nn.functional.gelu(y))
        a, b = torch.split(y, 1)
        c, d = y.chunk(2)
        z = torch.cat([a, b, c, d])[0]
        z = torch.linalg.vector_norm(z).sum().sum()
        w = torch.ops.aten.mul.Tensor(z, 2)
        y[0] = w
        return torch.where(torch.gt(y, 0), y.to(torch.float64), y.neg()), torch.zeros(2), y.softmax(-1)


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return torch.cond(x.sum().gt(0), lambda x: self.fc(x).sin(), lambda x: x.cos(), (x,))


METADATA = {
    "layers": (Layers, (torch.ones(2, 3),)),
    "functions": (Functions, (torch.ones(2, 3),)),
    "branches": (Branches, (torch.ones(2, 3),)),
}


def saved(ep):
    """Names of calls with their functions and modules, as files have them; modules by their order."""
    file = io.BytesIO()
    torch.export.save(ep, file)
    archive = zipfile.ZipFile(file)
    name = next(name for name in archive.namelist() if name.endswith("models/model.json"))
    ids = {}

    def modules(text):
        parts = [part.split(",") for part in text.split(";") if part]
        return [[re.sub(r"^\d+", lambda match: str(ids.setdefault(match[0], len(ids) + 1)), key), path,
                 re.sub(r".*\.", "", kind)] for key, path, kind in parts]

    def rows(graph):
        for node in graph["nodes"]:
            meta = node["metadata"]
            functions = meta.get("source_fn_stack")
            yield [node["target"].removeprefix("torch.ops."), functions and functions.split(";"),
                   modules(meta.get("nn_module_stack", ""))]
            for argument in node["inputs"]:
                if "as_graph" in argument["arg"]:
                    yield from rows(argument["arg"]["as_graph"]["graph"])

    return list(rows(json.loads(archive.read(name))["graph_module"]["graph"]))


def main(path):
    torch._logging.set_logs(all=50)
    torch.set_num_threads(1)
    for module in MODULES:
        importlib.import_module(module)
    programs = {}
    for name, (make, _) in corpus.PROGRAMS.items():
        plain, strict = run(make, False), run(make, True)
        if isinstance(plain, str) or isinstance(strict, str):
            programs[name] = {"refused": [plain if isinstance(plain, str) else None,
                                          strict if isinstance(strict, str) else None]}
        else:
            programs[name] = record(plain, strict)
    metadata = {name: saved(export(make(), args, strict=True)) for name, (make, args) in METADATA.items()}
    with open(path, "w") as out:
        out.write("{\n\"programs\": {\n")
        out.write(",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in programs.items()))
        out.write("\n},\n\"metadata\": {\n")
        out.write(",\n".join(f"{json.dumps(name)}: {json.dumps(rows)}" for name, rows in metadata.items()))
        out.write("\n}\n}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
