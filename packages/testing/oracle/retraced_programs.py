"""Records what PyTorch exports for `ep.module()` of the programs in fixtures/programs.

    py packages/testing/oracle/retraced_programs.py packages/testing/fixtures [TEXTS]

Writes `capture/retraced.json`: for each program that PyTorch exports again, the fingerprints of the program without
comments, and of the modules that its nodes name; for the others the class of the exception. Sizes that are symbolic
are `Dim.AUTO`. TEXTS is a folder for the texts themselves.
"""

import hashlib
import json
import os
import sys
import warnings

import torch
from torch.export import Dim, export, load

from program_texts import comparable

warnings.filterwarnings("ignore")
torch._logging.set_logs(all=50)


def automatic(meta):
    if isinstance(meta, torch.Tensor):
        return {i: Dim.AUTO for i, size in enumerate(meta.shape) if isinstance(size, torch.SymInt)} or None
    return Dim.AUTO if isinstance(meta, torch.SymInt) else None


def retraced(program):
    args, kwargs = program.example_inputs
    users = set(program.graph_signature.user_inputs)
    metas = [
        node.meta["val"]
        for node, spec in zip(program.graph.find_nodes(op="placeholder"), program.graph_signature.input_specs)
        if spec.kind == torch.export.graph_signature.InputKind.USER_INPUT
    ]
    tree = torch.utils._pytree
    shapes, own = tree.tree_unflatten([automatic(meta) for meta in metas], program.call_spec.in_spec)
    names = program.module_call_graph[0].signature.forward_arg_names
    shapes = dict(zip(names, [*shapes, *own.values()]))
    again = export(program.module(), args, kwargs, dynamic_shapes=shapes if users else None)
    modules = [f"{node.name} {' '.join(node.meta['nn_module_stack'])}"
               for node in again.graph.nodes if node.op == "call_function" and "nn_module_stack" in node.meta]
    calls = " ".join(entry.fqn for entry in again.module_call_graph)
    return comparable(str(again)), "\n".join([calls, *modules])


def fingerprint(text):
    return hashlib.sha1(text.encode()).hexdigest()[:10]


def main(fixtures, texts=None):
    records = {}
    folder = os.path.join(fixtures, "programs")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "program.pt2")
        if not os.path.exists(path):
            continue
        try:
            program = load(path)
        except Exception:
            continue
        if program.example_inputs is None:
            continue
        try:
            both = retraced(program)
        except Exception as error:
            records[name] = {"error": type(error).__name__}
            if texts:
                open(os.path.join(texts, name + ".error"), "w").write(str(error))
            continue
        records[name] = dict(zip(("program", "modules"), map(fingerprint, both)))
        if texts:
            open(os.path.join(texts, name), "w").write("\n====\n".join(both))
    with open(os.path.join(fixtures, "capture", "retraced.json"), "w") as file:
        lines = [f"  {json.dumps(name)}: {json.dumps(record)}" for name, record in records.items()]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


main(*sys.argv[1:])
