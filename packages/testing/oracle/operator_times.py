"""Measure PyTorch on the operator calls that `npm run bench -w @sconce/backend-cpu` measures.

    python3 operator_times.py operator-cases.json

The file is that of packages/bench; the field "torch" of every case is filled
in: least of several runs, one thread, in milliseconds.  Other fields stay.
"""
import json
import sys
import time

import torch

torch.set_num_threads(1)


def size(value, n):
    return eval_size(value, n) if isinstance(value, str) else value


def eval_size(text, n):
    return n if text == "n" else n // int(text.removeprefix("n/"))


def tensor(spec, n):
    shape = [size(s, n) for s in spec["tensor"]]
    dtype = getattr(torch, spec.get("dtype", "float32"))
    if dtype is torch.bool:
        out = torch.rand(shape) < 0.5
    elif "below" in spec:
        out = torch.randint(0, size(spec["below"], n), shape, dtype=dtype)
    else:
        out = torch.randn(shape).to(dtype)
    if spec.get("positive"):
        out = out.abs() + 0.5
    if spec.get("sorted"):
        out = out.sort().values
    return out.permute(spec["permute"]) if "permute" in spec else out


def value(spec, n):
    if isinstance(spec, list):
        return [value(item, n) for item in spec]
    if not isinstance(spec, dict):
        return spec
    if "tensor" in spec:
        return tensor(spec, n)
    if "float" in spec:
        return float(spec["float"])
    return getattr(torch, spec.get("dtype") or spec["memory_format"])


def least(run):
    run()
    best = float("inf")
    begin = time.perf_counter()
    runs = 0
    while runs < 5 or (time.perf_counter() - begin < 0.5 and runs < 50):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
        runs += 1
    return best * 1000


def measure(case):
    torch.manual_seed(0)
    _, name, overload = case["target"].split(".")
    operator = getattr(getattr(torch.ops.aten, name), overload)
    n = case.get("n")
    args = [value(spec, n) for spec in case["args"]]
    kwargs = {key: value(spec, n) for key, spec in case.get("kwargs", {}).items()}
    return least(lambda: operator(*args, **kwargs))


def main(path):
    with open(path) as file:
        cases = json.load(file)
    for case in cases:
        case["torch"] = float(f"{measure(case):.3g}")
        print(f"{case['torch']:10.3f}  {case['name']}", file=sys.stderr)
    lines = ",\n".join("  " + json.dumps(case) for case in cases)
    with open(path, "w") as file:
        file.write(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    with torch.inference_mode():
        main(sys.argv[1])
