"""Records small programs with the numbers that PyTorch computes, for the tests of all backends."""

import base64
import copy
import io
import json
import warnings

import torch
from torch.export import Dim, export, save

warnings.filterwarnings("ignore")
torch._logging.set_logs(all=50)
torch.set_num_threads(1)


class Function(torch.nn.Module):
    """A module that computes one function of its inputs."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def packed(tensor):
    """A tensor with its strides, and all bytes of its storage where these are not its elements in order."""
    tensor = tensor.detach()
    storage = tensor.untyped_storage()
    entry = {"dtype": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape)}
    if not tensor.is_contiguous() or tensor.numel() * tensor.element_size() != storage.nbytes():
        entry["strides"] = list(tensor.stride())
        entry["offset"] = tensor.storage_offset()
    data = bytes(storage.tolist())
    return {**entry, "data": base64.b64encode(data).decode()}


def storage_bytes(tensor):
    return bytes(tensor.detach().untyped_storage().tolist())


def copied(tensor):
    """The same tensor in a storage of its own, with what lies around its elements."""
    storage = tensor.untyped_storage().clone()
    return torch.empty(0, dtype=tensor.dtype).set_(storage, tensor.storage_offset(), tensor.shape, tensor.stride())


class Recorder:
    """Collects programs. `rtol` is the tolerance of the results, none where they are equal bit by bit."""

    def __init__(self):
        self.lines = []

    def __call__(self, name, function, *runs, dynamic=None, rtol=0, seed=None, lowers=True, change=None):
        """
        Exports the function for the first run, and records its results for all, with what they write to their inputs.
        Each run draws its random numbers from the seed. Without `lowers`, the lowered program is not compared.
        `change` edits the exported graph before it is saved and run.
        """
        if not isinstance(runs[0], tuple):
            runs = (runs,)
        module = function if isinstance(function, torch.nn.Module) else Function(function)
        shapes = None if dynamic is None else (dynamic,)
        program = export(module, runs[0], dynamic_shapes=shapes, strict=False)
        if change is not None:
            change(program.graph_module)
        file = io.BytesIO()
        save(program, file)
        # Modules share the buffers of their programs.
        callables = {"outputs": program.module()}
        if lowers:
            try:
                callables["lowered"] = copy.deepcopy(program).run_decompositions().module()
            except Exception:
                callables["lowered"] = None
        recorded = []
        for inputs in runs:
            entry = {"inputs": [packed(one) for one in inputs]}
            results = {kind: self.results(call, inputs, seed) for kind, call in callables.items()}
            entry.update(results["outputs"])
            if lowers and results["lowered"] != results["outputs"]:
                entry["lowered"] = results["lowered"]["outputs"]
                if results["lowered"].get("after") != entry.get("after"):
                    entry["loweredAfter"] = results["lowered"].get("after")
            recorded.append(entry)
        entry = {"name": name, "rtol": rtol, "pt2": base64.b64encode(file.getvalue()).decode()}
        if seed is not None:
            entry["seed"] = seed
        if not lowers:
            entry["isOriginalOnly"] = True
        elif callables["lowered"] is None:
            entry["isNotLowered"] = True
        self.lines.append({**entry, "runs": recorded})

    def results(self, call, inputs, seed=None):
        """What a program computes, and what it writes to its inputs; None where PyTorch refuses them."""
        given = [copied(one) for one in inputs]
        if seed is not None:
            torch.manual_seed(seed)
        try:
            outputs = call(*given)
        except Exception:
            return {"outputs": None}
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        rows = [packed(one.clone(memory_format=torch.contiguous_format)) for one in outputs]
        entry = {"outputs": rows}
        written = [storage_bytes(one) != storage_bytes(before) for one, before in zip(given, inputs, strict=True)]
        if any(written):
            entry["after"] = [packed(one) if changed else None for one, changed in zip(given, written, strict=True)]
        # Where each dimension has several elements, strides decide what the caller does with a result.
        if any(not one.is_contiguous() for one in outputs):
            entry["strides"] = [list(one.stride()) if min(one.shape, default=0) > 1 else None for one in outputs]
        return entry

    def write(self, path):
        with open(path, "w") as file:
            file.writelines(json.dumps(line) + "\n" for line in self.lines)
        print(f"{path}: {len(self.lines)} programs")


def automatic(*dims):
    """Dynamic sizes of one tensor."""
    return {dim: Dim.AUTO for dim in dims}
