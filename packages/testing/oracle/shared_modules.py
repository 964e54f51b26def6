"""Records what PyTorch makes of modules, parameters and buffers that have several names.

    py packages/testing/oracle/shared_modules.py packages/testing/fixtures

Writes `capture/shared-modules.json.gz`: for each model, exported in both modes, the texts of the program, the module
stacks of its nodes, the state dict, the module call graph, and the modules, state and graphs of `unflatten`; or the
exception of the first step that fails. Keys of strict module stacks hold addresses: they are numbered here.
"""

import gzip
import json
import os
import re
import sys
import warnings

import torch
from torch import nn
from torch.export import export, unflatten

from program_texts import comparable
from unflattened_programs import graphs, names, stable

warnings.filterwarnings("ignore")
torch._logging.set_logs(all=50)


class TwoNames(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = self.c = nn.Linear(2, 2)


class BThenC(TwoNames):
    def forward(self, x):
        return self.c(self.b(x).relu())


class CThenB(TwoNames):
    def forward(self, x):
        return self.b(self.c(x).relu())


class OnlyB(TwoNames):
    def forward(self, x):
        return self.b(x)


class OnlyC(TwoNames):
    def forward(self, x):
        return self.c(x)


class BTwiceC(TwoNames):
    def forward(self, x):
        return self.b(self.c(self.b(x).relu()).relu())


class ReadFirst(TwoNames):
    def forward(self, x):
        b, c = self.b, self.c
        return b(c(x).relu())


class Captured(nn.Module):
    """Calls a module by a list that is not a container."""

    def __init__(self):
        super().__init__()
        self.b = self.c = nn.Linear(2, 2)
        self.others = [self.c]

    def forward(self, x):
        return self.c(self.others[0](x).relu())


class Block(nn.Module):
    def __init__(self, inner=None):
        super().__init__()
        self.fc = inner or nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x).relu()


class NestedShare(nn.Module):
    """A block with two names: its layer has two paths."""

    def __init__(self):
        super().__init__()
        self.first = self.second = Block()

    def forward(self, x):
        return self.second(self.first(x)) + self.second.fc(x)


class TwoParents(nn.Module):
    """A layer inside two parents."""

    def __init__(self):
        super().__init__()
        fc = nn.Linear(2, 2)
        self.left = Block(fc)
        self.right = Block(fc)

    def forward(self, x):
        return self.right(x) + self.left(x)


class ParentAndRoot(nn.Module):
    """A layer of the root and of a block."""

    def __init__(self):
        super().__init__()
        self.block = Block()
        self.fc = self.block.fc

    def forward(self, x):
        return self.fc(self.block(x))


class RepeatedList(nn.Module):
    def __init__(self):
        super().__init__()
        fc = nn.Linear(2, 2)
        self.layers = nn.ModuleList([fc, nn.ReLU(), fc])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class RepeatedSequence(nn.Module):
    def __init__(self):
        super().__init__()
        fc, act = nn.Linear(2, 2), nn.ReLU()
        self.layers = nn.Sequential(fc, act, fc, act)

    def forward(self, x):
        return self.layers(x)


class IndexedList(nn.Module):
    def __init__(self):
        super().__init__()
        block = Block()
        self.layers = nn.ModuleList([block, Block(), block])

    def forward(self, x):
        return self.layers[0](self.layers[1](self.layers[2](x)))


class RepeatedDict(nn.Module):
    def __init__(self):
        super().__init__()
        fc = nn.Linear(2, 2)
        self.layers = nn.ModuleDict({"a": fc, "b": fc})

    def forward(self, x):
        return self.layers["b"](self.layers["a"](x))


class TiedWeights(nn.Module):
    """One parameter of two layers."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.Linear(2, 2)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


class TiedEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 2)
        self.head = nn.Linear(2, 4, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, x):
        return self.head(self.embed(x.long().clamp(0, 3)))


class SharedBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        table = torch.ones(2)
        self.left = Scaled(table)
        self.right = Scaled(table)

    def forward(self, x):
        return self.right(self.left(x))


class Scaled(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.register_buffer("table", table)

    def forward(self, x):
        return x * self.table


class SharedCounter(nn.Module):
    """A module with two names that writes to its buffer."""

    def __init__(self):
        super().__init__()
        self.a = self.b = Counter()

    def forward(self, x):
        return self.b(self.a(x))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(2))

    def forward(self, x):
        self.count.add_(1)
        return x + self.count


class SharedAssignment(nn.Module):
    """A module with two names that assigns its buffer."""

    def __init__(self):
        super().__init__()
        self.a = self.b = Assigns()

    def forward(self, x):
        return self.b(self.a(x))


class Assigns(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(2))

    def forward(self, x):
        self.count = self.count + 1
        return x + self.count


class Helper(nn.Module):
    """A method of a shared module that is not its forward."""

    def __init__(self):
        super().__init__()
        self.first = self.second = WithHelper()

    def forward(self, x):
        return self.second.helped(self.first(x))


class WithHelper(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def helped(self, x):
        return self.fc(x).neg()

    def forward(self, x):
        return self.helped(x)


class Unused(nn.Module):
    """A second name that is never called, and one of a module that is not shared."""

    def __init__(self):
        super().__init__()
        self.a = Block()
        self.b = self.a
        self.other = Block()

    def forward(self, x):
        return self.other(self.a(self.a(x)))


class GivenModule(nn.Module):
    """A module that another one takes as an argument."""

    def __init__(self):
        super().__init__()
        self.b = self.c = nn.Linear(2, 2)
        self.apply_it = Applies()

    def forward(self, x):
        return self.apply_it(self.c, self.apply_it(self.b, x))


class Applies(nn.Module):
    def forward(self, module, x):
        return module(x).relu()


class Children(nn.Module):
    """A loop over the children, each once."""

    def __init__(self):
        super().__init__()
        self.b = self.c = nn.Linear(2, 2)
        self.d = nn.ReLU()

    def forward(self, x):
        for child in self.children():
            x = child(x)
        return x


class ThreeDeep(nn.Module):
    """Two parents of a block that has a layer with two names."""

    def __init__(self):
        super().__init__()
        block = TwoFields()
        self.p = nn.Sequential(block, nn.ReLU())
        self.q = nn.Sequential(nn.ReLU(), block)

    def forward(self, x):
        return self.q(self.p(x))


class TwoFields(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = self.v = nn.Linear(2, 2)

    def forward(self, x):
        return self.v(self.u(x))


class DifferentCalls(nn.Module):
    """Calls whose graphs differ, by both names."""

    def __init__(self):
        super().__init__()
        self.a = self.b = Switch()

    def forward(self, x):
        return self.b(self.a(x, 1), 2) + self.a(x, 2)


class Switch(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x, n):
        y = self.fc(x)
        return y.relu() if n == 1 else y.neg()


MODELS = [
    BThenC, CThenB, OnlyB, OnlyC, BTwiceC, ReadFirst, Captured, NestedShare, TwoParents, ParentAndRoot, RepeatedList,
    RepeatedSequence, IndexedList, RepeatedDict, TiedWeights, TiedEmbedding, SharedBuffer, SharedCounter,
    SharedAssignment, Helper,
    Unused, GivenModule, Children, ThreeDeep, DifferentCalls,
]  # fmt: skip

# Models with the paths whose signatures are preserved.
PRESERVED = [
    (BThenC, ["b"]), (BThenC, ["c"]), (BThenC, ["b", "c"]), (CThenB, ["b", "c"]), (OnlyB, ["b"]), (OnlyB, ["c"]),
    (BTwiceC, ["b"]), (BTwiceC, ["c"]), (BTwiceC, ["c", "b"]), (NestedShare, ["first"]), (NestedShare, ["second.fc"]),
    (NestedShare, ["first", "second", "first.fc", "second.fc"]), (TwoParents, ["left.fc"]), (TwoParents, ["right.fc"]),
    (RepeatedList, ["layers.0"]), (RepeatedList, ["layers.2"]), (Unused, ["a"]), (Unused, ["b"]), (Unused, ["other"]),
    (TiedWeights, ["b"]), (DifferentCalls, ["a", "b"]),
]  # fmt: skip


def numbered(text, ids):
    """Addresses become numbers, in the order in which they come."""
    return re.sub(r"\d{8,}", lambda found: str(ids.setdefault(found[0], len(ids) + 1)), text)


def stacks(program):
    ids = {}
    return [
        [node.name, *[[numbered(str(key), ids), *where] for key, where in node.meta["nn_module_stack"].items()]]
        for node in program.graph.nodes
        if "nn_module_stack" in node.meta
    ]


def without_module(text):
    return text.replace("shared_modules.", "")


def record(model, strict, preserve=()):
    torch.manual_seed(0)
    net, found = model(), {}
    try:
        program = export(net, (torch.ones(2, 2),), strict=strict, preserve_module_call_signature=tuple(preserve))
        found["program"] = comparable(str(program))
        found["stacks"] = stacks(program)
        found["state"] = list(program.state_dict)
        found["calls"] = [str(entry) for entry in program.module_call_graph[1:]]
        module = unflatten(program)
        found["names"] = names(module)
        found["graphs"] = graphs(module)
        same = torch.equal(net(torch.ones(2, 2)), model_again(model, module))
        found["runs"] = same
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return json.loads(without_module(json.dumps(found)))


def model_again(model, module):
    return module(torch.ones(2, 2))


def main(folder):
    stable()
    rows = []
    for strict in (False, True):
        rows += [{"model": model.__name__, "strict": strict, **record(model, strict)} for model in MODELS]
        rows += [
            {"model": model.__name__, "strict": strict, "preserve": paths, **record(model, strict, paths)}
            for model, paths in PRESERVED
        ]
    text = json.dumps(rows, indent=1)
    if folder == "-":
        print(text)
        return
    with gzip.GzipFile(os.path.join(folder, "capture", "shared-modules.json.gz"), "wb", mtime=0) as file:
        file.write(text.encode())


if __name__ == "__main__":
    main(sys.argv[1])
