"""What `run_decompositions` makes of writes to all parts of a tensor that is divided.

    python3 split_writes.py OUT.json

Each write makes the parts anew. PyTorch drops those that nothing reads, but later nodes have numbers after them.
`graph` is the exported program as Sconce's IR text, `default` and `none` are the texts of the lowered ones: with the
default table, and with an empty one.
"""
import json
import logging
import sys
import warnings

import torch

logging.disable(logging.ERROR)
warnings.filterwarnings("ignore")

x = torch.arange(24.0).reshape(4, 6)
aten = torch.ops.aten

# Calls on the value before; each part of the last one is written to.
CASES = [
    [("split.Tensor", 1)],
    [("split.Tensor", 3)],
    [("split.Tensor", 4, 1)],
    [("split.sizes", [1, 0, 3])],
    [("split_with_sizes.default", [2, 1, 3], 1)],
    [("chunk.default", 3)],
    [("chunk.default", 4, -1)],
    [("unbind.int",)],
    [("unbind.int", 1)],
    [("tensor_split.sections", 3, 1)],
    [("tensor_split.indices", [1, 3])],
    [("hsplit.int", 3)],
    [("t.default",), ("split.Tensor", 2)],
    [("t.default",), ("unbind.int",)],
    [("slice.Tensor", 0, 1, 3), ("unbind.int",)],
    [("slice.Tensor", 1, 0, 6, 2), ("split.Tensor", 1)],
    [("split.Tensor", 2), ("split.Tensor", 2, 1)],
    [("unbind.int",), ("unbind.int",)],
    [("unbind.int",), ("unsqueeze.default", 0), ("chunk.default", 2, 1)],
    [("chunk.default", 2), ("t.default",), ("unbind.int",)],
]


# The lines of the graph; an attribute of the model would be copied.
LINES = ["  %clone = aten.clone.default(%x)"]


def packet(name):
    part, overload = name.rsplit(".", 1)
    return getattr(getattr(aten, part), overload)


def literal(value):
    return "[" + ", ".join(map(literal, value)) + "]" if isinstance(value, list) else repr(value)


class Module(torch.nn.Module):
    def __init__(self, calls, with_reads):
        super().__init__()
        self.calls, self.with_reads = calls, with_reads

    def call(self, name, value, text, args):
        """Runs a call, and writes it down."""
        result = packet(name)(value, *args)
        shown = f"%v{len(LINES)}"
        given = ", ".join([text, *map(literal, args)])
        LINES.append(f"  {shown} = aten.{name}({given})")
        return result, shown

    def parts(self, values, name, *args):
        for value, text in values:
            result, shown = self.call(name, value, text, args)
            if isinstance(result, torch.Tensor):
                yield result, shown
                continue
            for at, item in enumerate(result):
                place = f"%v{len(LINES)}"
                LINES.append(f"  {place} = operator.getitem({shown}, {at})")
                yield item, place

    def forward(self, x):
        del LINES[1:]
        base = aten.clone.default(x)
        values = [(base, "%clone")]
        for call in self.calls:
            values = list(self.parts(values, *call))
        reads = []
        for value, text in values:
            self.call("add_.Tensor", value, text, [1])
            if self.with_reads:
                reads.append(self.call("mul.Tensor", base, "%clone", [2]))
        self.returned = ", ".join(["%clone", *(text for _, text in reads)])
        return [base, *(value for value, _ in reads)]


def record(calls, with_reads):
    module = Module(calls, with_reads)
    program = torch.export.export(module, (x.clone(),))
    graph = "\n".join(["graph(%x: f32[4, 6]) {", *LINES, f"  return ({module.returned})", "}"])
    lowered = {"default": program.run_decompositions(), "none": program.run_decompositions({})}
    texts = {name: one.graph_module.code.strip() for name, one in lowered.items()}
    return {"name": ", ".join(call[0] for call in calls) + (", read" if with_reads else ""), "graph": graph, **texts}


json.dump([record(calls, reads) for calls in CASES for reads in (False, True)], open(sys.argv[1], "w"), indent=1)
