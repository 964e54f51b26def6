"""Calls with operands of no elements, made of the recorded calls of operators.

    python3 make_empties.py CASES_DIR TARGETS_FILE OUT_DIR

CASES_DIR is packages/ops-cases/cases. TARGETS_FILE names the overloads, one a line: those that have a lowering to loops
(`print_lowerings.mjs`). Sizes of recorded calls become zero, one at a time: in all operands that have it, and in
sizes among the arguments. Writes the calls in the format of make_ops.py, those that PyTorch refuses too.
"""
import glob
import json
import os
import re
import sys
import warnings

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_ops as make  # noqa: E402

warnings.filterwarnings("ignore")
DTYPES = {
    "f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
    "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "b8": torch.bool,
    "c64": torch.complex64, "c128": torch.complex128,
}
TENSOR = re.compile(r"^(\w+)\[([\d, ]*)\]")
#: Recorded calls of an overload that are varied, and calls that are kept of it.
CALLS, KEPT, REFUSED = 4, 6, 2

#: Calls whose results are memory that nothing wrote to or have other shapes than PyTorch's own rule says, and refusals
#: of single kernels: by their ids.
LEFT_OUT = {
    "9c3df5e492", "c50c6691de", "188606f58a", "0635683a16", "ef69cce4fb", "392c7d4dc2",
    "a30c46a2a5", "2dc75a041c", "5b40b94055", "8c376614e6", "8740e09501", "913940e195",
    "6331d42807", "f8662f9944", "8b35273434", "944e71598c", "d22c8c313d", "7a4c24b966",
    "6c7633b1bf", "440b6ebd64", "d5cfb74274", "0ddfd6a239",
}


class Unknown(Exception):
    """A value that is of no use here."""


class Sizes:
    """A tensor among the arguments of a recorded call."""

    def __init__(self, dtype, shape, values):
        self.dtype, self.shape, self.values = dtype, tuple(shape), values

    def tensor(self, shape):
        """Its first elements in another shape."""
        count = 1
        for size in shape:
            count *= size
        flat = list(self.values) if isinstance(self.values, list) else []
        numbers = [float(one) if isinstance(one, str) and not one.startswith(("0x", "-nan")) else one for one in flat]
        numbers = [one for one in numbers if isinstance(one, (int, float, bool))] or [1]
        while len(numbers) < count:
            numbers = numbers + numbers
        return torch.tensor(numbers[:count], dtype=torch.float64).to(self.dtype).reshape(shape)


def value_of(value, lists):
    if isinstance(value, list):
        return [value_of(one, lists) for one in value]
    if not isinstance(value, dict):
        return value
    ((key, inner),) = [(k, v) for k, v in value.items() if k not in ("storage", "alias")]
    if key == "float":
        return float(inner)
    if key == "int":
        return int(inner)
    if key in ("dtype", "memory_format", "layout"):
        return getattr(torch, {"strided": "strided"}.get(inner, inner))
    if key == "device":
        return torch.device(inner)
    found = TENSOR.match(key)
    if found is None or found.group(1) not in DTYPES or "@" in key:
        raise Unknown
    shape = [int(size) for size in found.group(2).split(",") if size.strip()]
    return Sizes(DTYPES[found.group(1)], shape, lists.get(inner, []) if isinstance(inner, str) else inner)


def recorded(folder, targets):
    """The arguments of calls by overload."""
    calls = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        lists = {}
        with open(path) as file:
            for line in file:
                entry = json.loads(line)
                if "values" in entry:
                    lists[entry["values"]] = entry["list"]
                    continue
                if entry["op"] not in targets or "error" in entry or entry.get("from") in ("edges", "empties"):
                    continue
                try:
                    args = value_of(entry.get("args", []), lists)
                    kwargs = {name: value_of(one, lists) for name, one in entry.get("kwargs", {}).items()}
                except (Unknown, ValueError, AttributeError):
                    continue
                calls.setdefault(entry["op"], []).append((args, kwargs))
    return calls


def tensors_in(value):
    if isinstance(value, Sizes):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors_in(one)


def changed(value, change, is_sizes=False):
    """The value with other sizes; `change` gives them for a tensor, and for a number among sizes."""
    if isinstance(value, Sizes):
        return value.tensor([change(value, d, size) for d, size in enumerate(value.shape)])
    if isinstance(value, list):
        return [changed(one, change, True) for one in value]
    if is_sizes and isinstance(value, int) and not isinstance(value, bool):
        return change(None, None, value)
    return value


def variants(args, kwargs, has_sizes):
    tensors = list(tensors_in([args, list(kwargs.values())]))
    sizes = list(dict.fromkeys(size for one in tensors for size in one.shape if size != 0))
    if not tensors:
        sizes = list(dict.fromkeys(one for arg in args if isinstance(arg, list) for one in arg if isinstance(one, int) and one > 0))
    for size in sizes:
        if tensors:
            yield lambda tensor, d, old, size=size: 0 if tensor is not None and old == size else old
        if has_sizes:
            yield lambda tensor, d, old, size=size: 0 if old == size else old


def chosen(calls):
    """Few calls that differ in dtypes and ranks."""
    found = {}
    for args, kwargs in calls:
        tensors = list(tensors_in([args, list(kwargs.values())]))
        if sum(len(one.values) if isinstance(one.values, list) else 0 for one in tensors) > 400:
            continue
        key = (tuple(len(one.shape) for one in tensors[:2]), str(tensors[0].dtype) if tensors else "")
        found.setdefault(key, (args, kwargs))
    ranks, rest = {}, []
    for (rank, dtype), call in found.items():
        if rank in ranks:
            rest.append(call)
        else:
            ranks[rank] = call
    return (list(ranks.values()) + rest)[:CALLS]


def record(target, calls, out, skipped, progress):
    """Writes the calls of one overload; `progress` is told before each, as some kernels crash."""
    rec = make.Recorder()
    _, name, overload = target.split(".")
    op = getattr(getattr(torch.ops.aten, name), overload)
    # Lists of sizes, rather than of strides, windows and the like.
    has_sizes = any(one.name in ("size", "input_size", "self_size", "output_size", "sizes") for one in op._schema.arguments)
    counts, seen, at = [0, 0], set(), 0
    for args, kwargs in chosen(calls):
        has_tensors = any(tensors_in([args, list(kwargs.values())]))
        for change in variants(args, kwargs, has_sizes):
            at += 1
            progress(at)
            given = changed(args, change), {key: changed(one, change) for key, one in kwargs.items()}
            leaves = torch.utils._pytree.tree_leaves(given)
            is_empty = any(isinstance(one, torch.Tensor) and one.numel() == 0 for one in leaves)
            key = repr(make.hashable([make.snap_value(one) for one in leaves]))
            if at in skipped or key in seen or is_empty != has_tensors:
                continue
            seen.add(key)
            for errors in (False, True):
                if counts[errors] >= (REFUSED if errors else KEPT):
                    break
                try:
                    with make.recording(rec, "empties", errors=errors):
                        op(*given[0], **given[1])
                    counts[errors] += 1
                    break
                except Exception:
                    counts[errors] += errors
    good = []
    for i, case in enumerate(rec.cases[f"{name}.{overload}"].values()):
        progress(-1 - i)
        if case.digest[:10] in LEFT_OUT:
            continue
        if -1 - i not in skipped and not (case.error and case.error[0] == "NotImplementedError") and make.settle(case):
            good.append(case)
    if good:
        path = os.path.join(out, f"{name}.{overload}.safetensors")
        make.write_file(path, f"{name}.{overload}", good[0].func, make.group_of(good[0].func, name), good)
    return len(good)


def in_child(target, calls, out):
    """Records in a process of its own, again without a call that crashes."""
    skipped = set()
    note = os.path.join(out, "progress")
    while True:
        child = os.fork()
        if child == 0:
            file = os.open(note, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
            record(target, calls, out, skipped, lambda at: os.pwrite(file, b"%8d" % at, 0))
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status == 0:
            break
        with open(note) as file:
            at = int(file.read())
        print(f"{target}: PyTorch fails with status {status} in call {at}")
        if at in skipped:
            break
        skipped.add(at)
    os.remove(note)


def main():
    cases, targets_file, out = sys.argv[1:]
    with open(targets_file) as file:
        targets = set(file.read().split())
    os.makedirs(out, exist_ok=True)
    for target, calls in sorted(recorded(cases, targets).items()):
        in_child(target, calls, out)
    written = {name.removesuffix(".safetensors") for name in os.listdir(out)}
    missing = sorted(target for target in targets if target.removeprefix("aten.") not in written)
    print(f"{len(written)} overloads; no calls of {' '.join(missing)}")


if __name__ == "__main__":
    main()
