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
    """A tensor with its strides: the bytes of the storage from its first element on."""
    tensor = tensor.detach()
    storage = tensor.untyped_storage()
    offset = tensor.storage_offset()
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride())) if tensor.numel() else -1
    flat = torch.empty(0, dtype=tensor.dtype).set_(storage, 0, (storage.nbytes() // tensor.element_size(),), (1,))
    part = flat[offset : offset + last + 1].clone()
    data = part.view(torch.uint8).numpy().tobytes() if part.numel() else b""
    entry = {"dtype": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape)}
    if not tensor.is_contiguous():
        entry["strides"] = list(tensor.stride())
    return {**entry, "data": base64.b64encode(data).decode()}


class Recorder:
    """Collects programs. `rtol` is the tolerance of the results, none where they are equal bit by bit."""

    def __init__(self):
        self.lines = []

    def __call__(self, name, function, *runs, dynamic=None, rtol=0):
        """Exports the function for the first run, and records its results for all."""
        if not isinstance(runs[0], tuple):
            runs = (runs,)
        module = Function(function)
        shapes = None if dynamic is None else (dynamic,)
        program = export(module, runs[0], dynamic_shapes=shapes, strict=False)
        file = io.BytesIO()
        save(program, file)
        recorded = []
        for inputs in runs:
            entry = {"inputs": [packed(one) for one in inputs]}
            try:
                outputs = module(*[one.clone(memory_format=torch.preserve_format) for one in inputs])
                outputs = outputs if isinstance(outputs, tuple) else (outputs,)
                entry["outputs"] = [packed(one.contiguous()) for one in outputs]
            except Exception:
                entry["refused"] = True
            recorded.append(entry)
        self.lines.append(
            {"name": name, "rtol": rtol, "pt2": base64.b64encode(file.getvalue()).decode(), "runs": recorded}
        )

    def write(self, path):
        text = "".join(json.dumps(line) + "\n" for line in self.lines)
        with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packer:
            packer.write(text.encode())
        print(f"{path}: {len(self.lines)} programs")


def automatic(*dims):
    """Dynamic sizes of one tensor."""
    return {dim: Dim.AUTO for dim in dims}
