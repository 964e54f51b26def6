"""Records small programs with the numbers that PyTorch computes, for the tests of all backends."""

import base64
import gzip
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


def copied(tensor):
    """The same tensor in a storage of its own, with what lies around its elements."""
    storage = tensor.untyped_storage().clone()
    return torch.empty(0, dtype=tensor.dtype).set_(storage, tensor.storage_offset(), tensor.shape, tensor.stride())


class Recorder:
    """Collects programs. `rtol` is the tolerance of the results, none where they are equal bit by bit."""

    def __init__(self):
        self.lines = []

    def __call__(self, name, function, *runs, dynamic=None, rtol=0):
        """Exports the function for the first run, and records its results for all."""
        if not isinstance(runs[0], tuple):
            runs = (runs,)
        module = function if isinstance(function, torch.nn.Module) else Function(function)
        shapes = None if dynamic is None else (dynamic,)
        program = export(module, runs[0], dynamic_shapes=shapes, strict=False)
        file = io.BytesIO()
        save(program, file)
        callables = {"outputs": program.module()}
        try:
            callables["lowered"] = program.run_decompositions().module()
        except Exception:
            callables["lowered"] = None
        recorded = []
        for inputs in runs:
            entry = {"inputs": [packed(one) for one in inputs]}
            results = {kind: self.results(call, inputs) for kind, call in callables.items()}
            entry["outputs"] = results["outputs"]
            if results["lowered"] != results["outputs"]:
                entry["lowered"] = results["lowered"]
            recorded.append(entry)
        entry = {"name": name, "rtol": rtol, "pt2": base64.b64encode(file.getvalue()).decode()}
        if callables["lowered"] is None:
            entry["isNotLowered"] = True
        self.lines.append({**entry, "runs": recorded})

    def results(self, call, inputs):
        """What a program computes; None where PyTorch refuses the inputs."""
        try:
            outputs = call(*[copied(one) for one in inputs])
        except Exception:
            return None
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        return [packed(one.clone(memory_format=torch.contiguous_format)) for one in outputs]

    def write(self, path):
        text = "".join(json.dumps(line) + "\n" for line in self.lines)
        with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packer:
            packer.write(text.encode())
        print(f"{path}: {len(self.lines)} programs")


def automatic(*dims):
    """Dynamic sizes of one tensor."""
    return {dim: Dim.AUTO for dim in dims}
