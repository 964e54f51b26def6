"""Records what PyTorch's `unflatten` makes of the programs in fixtures/programs.

    py packages/testing/oracle/unflattened_programs.py packages/testing/fixtures [TEXTS]

Writes `capture/unflattened.json`: for each `program.pt2` and `decomposed.pt2` the fingerprints of the names (modules
with their classes, parameters, buffers, state dict), of the graphs of all modules, of `print_readable()`, and of what
PyTorch exports for the module, without comments. `fails` is for the last where a call of the module fails, and
`refused` for all where `unflatten` fails. TEXTS is a folder for the texts themselves.
"""

import contextlib
import hashlib
import io
import json
import os
import sys
import warnings

import torch
from torch.export import Dim, export, load, unflatten

from program_texts import comparable

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "programs"))
try:
    import make_programs

    for _module in make_programs.MODULES:  # registers the containers and custom operators
        __import__(_module)
except ImportError as _error:
    print("without the modules of the programs:", _error)

warnings.filterwarnings("ignore")
torch._logging.set_logs(all=50)


def in_order(found, known):
    """The names of a set in an order that does not depend on the run."""
    known = list(known)
    return dict.fromkeys(sorted(found, key=lambda name: known.index(name)))


def stable():
    """Makes PyTorch go through two sets of names in the order of the program."""
    module = sys.modules[unflatten.__module__]
    copy_attributes, create = module._copy_graph_attrs, module.InterpreterModuleDispatcher.__init__

    def copied(gm, root, seen):
        read = [node.target for node in gm.graph.nodes if node.op == "get_attr"]
        copy_attributes(gm, root, {path: in_order(names, read) for path, names in seen.items()})

    def created(self, attributes, calls):
        own = [*calls[0]._parameters, *calls[0]._buffers, *calls[0].__dict__]
        create(self, in_order(attributes, own), calls)

    module._copy_graph_attrs, module.InterpreterModuleDispatcher.__init__ = copied, created


def module_lines(module):
    for name, child in module.named_modules(remove_duplicate=False):
        kind = type(child).__name__
        yield f"{name}: {'Module' if kind in ('Module', 'GraphModule') else kind} {getattr(child, '_ty', None)}"


def names(module):
    tensors = [f"{kind} {name}" for kind, found in (
        ("parameter", module.named_parameters()),
        ("buffer", module.named_buffers()),
        ("state", module.state_dict().items()),
    ) for name, _ in found]
    return "\n".join([*module_lines(module), *tensors])


def graphs(module):
    parts = []
    for name, child in module.named_modules(remove_duplicate=False):
        calls = child.call_modules() if hasattr(child, "call_modules") else [child]
        for call in calls:
            if hasattr(call, "graph"):
                parts.append(f"{name}:\n{call.graph}")
    return "\n\n".join(parts)


def readable(module):
    text = module.print_readable(print_output=False)
    lines = [line.rstrip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)


def automatic(meta):
    if isinstance(meta, torch.Tensor):
        return {i: Dim.AUTO for i, size in enumerate(meta.shape) if isinstance(size, torch.SymInt)} or None
    return Dim.AUTO if isinstance(meta, torch.SymInt) else None


def again(module, program):
    """What PyTorch exports for the module. Its arguments are `*args, **kwargs`."""
    args, kwargs = program.example_inputs
    metas = [
        node.meta["val"]
        for node, spec in zip(program.graph.find_nodes(op="placeholder"), program.graph_signature.input_specs)
        if spec.kind == torch.export.graph_signature.InputKind.USER_INPUT
    ]
    automatics = [automatic(meta) for meta in metas]
    shapes, own = torch.utils._pytree.tree_unflatten(automatics, program.call_spec.in_spec)
    own = {"args": shapes, **own} if shapes else own
    return comparable(str(export(module, args, kwargs, dynamic_shapes=own if any(automatics) else None)))


def called(module, program):
    args, kwargs = program.example_inputs
    with torch.no_grad():
        module(*args, **kwargs)


def unflattened(program):
    with contextlib.redirect_stdout(io.StringIO()):
        module = unflatten(program)
        texts = {"names": names(module), "graphs": graphs(module), "readable": readable(module)}
        if program.example_inputs is not None:
            try:
                called(module, program)
            except Exception as error:
                texts["fails"] = f"{type(error).__name__}: {error}"
            try:
                texts["again"] = again(unflatten(program), program)
            except Exception as error:
                texts["refused"] = f"{type(error).__name__}: {error}"
    return texts


def fingerprint(text):
    return hashlib.sha1(text.encode()).hexdigest()[:7]


def main(fixtures, texts=None):
    stable()
    records = {}
    folder = os.path.join(fixtures, "programs")
    for name in sorted(os.listdir(folder)):
        for stem in ("program", "decomposed"):
            path = os.path.join(folder, name, stem + ".pt2")
            if not os.path.exists(path):
                continue
            try:
                program = load(path)
            except Exception as error:
                print(name, stem, "not loaded", type(error).__name__)
                continue
            key = f"{name}/{stem}"
            try:
                found = unflattened(program)
            except Exception as error:
                records[key] = "refused"
                found = {"refused": f"{type(error).__name__}: {error}"}
            else:
                parts = [fingerprint(found[part]) for part in ("names", "graphs", "readable")]
                records[key] = " ".join([*parts, "fails" if "fails" in found else fingerprint(found.get("again", ""))])
            if texts:
                with open(os.path.join(texts, key.replace("/", ".")), "w") as file:
                    file.write("\n====\n".join(f"{part}\n{text}" for part, text in found.items()))
    with open(os.path.join(fixtures, "capture", "unflattened.json"), "w") as file:
        lines = [f"  {json.dumps(name)}: {json.dumps(record)}" for name, record in records.items()]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
