"""Record how PyTorch packs weights of 4 bits for processors with other vector instructions.

    python3 int4_layouts.py OUT.json

The instructions are those of the variable ATEN_CPU_CAPABILITY, which a process reads once: the script runs itself for each. OUT.json gets, for each layout
of Sconce and each shape, the levels by rows and the packed bytes, as text of hexadecimal digits.
"""
import json
import os
import subprocess
import sys

LAYOUTS = {"avx512": "avx512", "avx2": "avx2", "default": "plain"}
SHAPES = ((16, 4), (32, 4), (48, 2), (64, 2), (96, 2), (144, 4))


def packed():
    import torch

    torch.manual_seed(0)
    found = {}
    for rows, columns in SHAPES:
        levels = torch.randint(0, 16, (rows, columns), dtype=torch.int32)
        stored = torch.ops.aten._convert_weight_to_int4pack_for_cpu(levels, 2)
        found[f"{rows},{columns}"] = ["".join(f"{level:x}" for level in levels.flatten().tolist()), bytes(stored.flatten().tolist()).hex()]
    return found


if len(sys.argv) == 1:
    print(json.dumps(packed()))
else:
    layouts = {}
    for capability, layout in LAYOUTS.items():
        text = subprocess.run([sys.executable, __file__], env={**os.environ, "ATEN_CPU_CAPABILITY": capability}, capture_output=True, check=True, text=True).stdout
        layouts[layout] = json.loads(text)
    with open(sys.argv[1], "w") as f:
        json.dump(layouts, f, separators=(",", ":"))
