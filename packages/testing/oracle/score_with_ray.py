"""Scores safetensors shards with a program that Sconce wrote, and serves it.

    python3 score_with_ray.py PROGRAM.pt2 OUT SHARD...     # Ray Data where Ray is installed, else one process
    python3 score_with_ray.py --serve PROGRAM.pt2          # Ray Serve: POST {"name": [[...], ...], ...}

Each shard becomes one file of the folder OUT with the tensors o0, o1, ...; it is written under a
temporary name and then renamed.
"""

import json
import os
import struct
import sys

import torch

BATCH = 64
DTYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
    "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool,
}
CODES = {dtype: code for code, dtype in DTYPES.items()}


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, slot in header.items():
        if name == "__metadata__":
            continue
        start, end = slot["data_offsets"]
        raw = torch.frombuffer(bytearray(data[8 + length + start : 8 + length + end]), dtype=torch.uint8)
        tensors[name] = raw.view(DTYPES[slot["dtype"]]).reshape(slot["shape"])
    return tensors


def write_safetensors(path, tensors):
    header, parts, at = {}, [], 0
    for name, tensor in tensors.items():
        part = tensor.contiguous().flatten().view(torch.uint8).numpy().tobytes()
        header[name] = {"dtype": CODES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [at, at + len(part)]}
        parts.append(part)
        at += len(part)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    temporary = f"{path}.{os.getpid()}.part"
    with open(temporary, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))
    os.replace(temporary, path)


class Scorer:
    """One program. A worker of Ray keeps it between shards."""

    def __init__(self, path):
        torch.set_num_threads(1)
        program = torch.export.load(path)
        self.names = [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
        nodes = {node.name: node for node in program.graph.nodes}
        self.dtypes = {name: nodes[name].meta["val"].dtype for name in self.names}
        self.module = program.module()

    def rows(self, columns):
        inputs = [columns[name] for name in self.names]
        count = inputs[0].shape[0]
        batches = []
        with torch.no_grad():
            for at in range(0, count, BATCH):
                found = self.module(*(value[at : at + BATCH] for value in inputs))
                batches.append(found if isinstance(found, (tuple, list)) else (found,))
        return {f"o{i}": torch.cat(parts) for i, parts in enumerate(zip(*batches))}

    def shard(self, shard, out):
        write_safetensors(os.path.join(out, os.path.basename(shard)), self.rows(read_safetensors(shard)))


def score(path, out, shards):
    os.makedirs(out, exist_ok=True)
    try:
        import ray
    except ImportError:
        scorer = Scorer(path)
        for shard in shards:
            scorer.shard(shard, out)
        return "one process"

    class Worker:
        def __init__(self):
            self.scorer = Scorer(path)

        def __call__(self, row):
            self.scorer.shard(row["item"], out)
            return row

    workers = max(int(ray.cluster_resources().get("CPU", 1)), 1) if ray.is_initialized() or ray.init() else 1
    ray.data.from_items(shards).map(Worker, concurrency=workers).materialize()
    return f"{workers} workers of Ray"


def serve_program(path):
    from ray import serve

    @serve.deployment(num_replicas=1)
    class Served:
        def __init__(self):
            self.scorer = Scorer(path)

        async def __call__(self, request):
            body = await request.json()
            columns = {name: torch.tensor(body[name], dtype=dtype) for name, dtype in self.scorer.dtypes.items()}
            return {name: value.tolist() for name, value in self.scorer.rows(columns).items()}

    serve.run(Served.bind(), blocking=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve_program(sys.argv[2])
    else:
        program, folder, *files = sys.argv[1:]
        print(f"{len(files)} shards scored by {score(program, folder, files)}")
