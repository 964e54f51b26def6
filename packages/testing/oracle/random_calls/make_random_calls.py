"""Writes random programs over the operators of ATen, and what PyTorch computes for them or how it refuses them.

    node ../dtype_targets.mjs targets.json
    python3 make_random_calls.py targets.json OUT.jsonl [--seed N] [--count N] [--longest N] [--only NAME,NAME]
    npm run random-calls -- OUT.jsonl

`targets.json` lists the overloads that Sconce knows. A program has one to `--longest` calls with random dtypes, layouts,
keywords, outputs and writes into views; some arguments are wrong on purpose. Half of the programs follow again with
symbolic sizes. `--only` names operators without their overloads. A line of OUT.jsonl is a program:

    {"id": "7.0.12", "ir": TEXT, "runs": [{"inputs": [TENSOR], "outputs": [TENSOR], "after": [TENSOR]}]}

A run that PyTorch refuses has `"error"` instead of `outputs` and `after`; `after` is what the inputs hold then. Programs
are made in processes of 20: some calls crash PyTorch, which loses only the program that makes them.
"""

import argparse
import json
import os
import signal
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import torch  # noqa: E402
from arguments import Unknown  # noqa: E402
from program import REFUSALS, random_program  # noqa: E402
from values import DRAW, chance  # noqa: E402

CHUNK = 20
SECONDS = 20
# Operators whose results are random, uninitialized, of no tensor, or depend on the process.
EXCLUDED = set(
    """
    rand randn randint randperm bernoulli uniform normal exponential cauchy log_normal geometric random multinomial poisson
    _standard_gamma _sample_dirichlet binomial rand_like randn_like randint_like normal_functional fractional_max_pool2d
    fractional_max_pool3d new_empty resize resize_as set data set_data requires_grad retain_grad record_stream from_file _print
    pin_memory is_pinned _pin_memory size stride dim numel storage_offset get_device is_leaf output_nr _version retains_grad
    hash_tensor lift_fresh detach_ shallow_copy_data _nnpack_available sym_size sym_stride sym_numel sym_storage_offset
    sym_is_contiguous _debug_has_internal_overlap _backward quantize_per_tensor dequantize_per_tensor
    """.split()
)
# Writes anywhere in memory for places that it does not check, and spoils what comes after.
EXCLUDED.add("max_pool3d_with_indices_backward")
EXCLUDED_PARTS = """
    sparse cudnn miopen mps mkldnn nested quantized_ fbgemm foreach fused_adam fused_sgd fused_adagrad cufft cslt _test csr bsr
    csc jagged sobol dropout rrelu random bernoulli _efficient flash _cuda thnn_fused coalesce _make_ autocast vulkan philox
    empty
    """.split()


def operators(path, only):
    with open(path) as file:
        targets = [entry["target"] for entry in json.load(file)]
    found = []
    for target in targets:
        namespace, name, overload = target.split(".")
        is_excluded = bool({name, name.rstrip("_")} & EXCLUDED) or any(part in name for part in EXCLUDED_PARTS)
        if namespace != "aten" or is_excluded or (only and name not in only):
            continue
        packet = getattr(torch.ops.aten, name, None)
        if hasattr(packet, overload):
            found.append((target, getattr(packet, overload)))
    return found


def write_chunk(path, chunk, options, known, wanted):
    """Appends up to this number of programs; gives up after many attempts."""
    DRAW.seed(options.seed * 100000 + chunk)
    torch.manual_seed(options.seed * 100000 + chunk)
    made = 0
    with open(path, "a") as file:
        for attempt in range(20 * wanted):
            if made == wanted:
                break
            signal.alarm(SECONDS)
            # A small pool makes calls of one operator meet each other.
            pool = known if chance(0.3) else DRAW.sample(known, min(len(known), 12))
            try:
                program = random_program(pool, options.longest)
                lines = list(program.record(f"{options.seed}.{chunk}.{attempt}")) if program else []
            except (Unknown, *REFUSALS):
                continue
            made += bool(lines)
            file.writelines(json.dumps(line) + "\n" for line in lines)
            file.flush()


def made_programs(path):
    with open(path) as file:
        return sum("-symbolic" not in json.loads(line)["id"] for line in file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets")
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--longest", type=int, default=4)
    parser.add_argument("--only", type=lambda text: text.split(","))
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    known = operators(options.targets, options.only)
    print(f"{len(known)} operators", file=sys.stderr)
    open(options.out, "w").close()
    for chunk in range(options.count):
        missing = options.count - made_programs(options.out)
        if missing <= 0:
            break
        child = os.fork()
        if child == 0:
            # PyTorch may print what it thinks of an argument.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            write_chunk(options.out, chunk, options, known, min(CHUNK, missing))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            print(f"process {chunk} ended with status {status}", file=sys.stderr)


if __name__ == "__main__":
    main()
