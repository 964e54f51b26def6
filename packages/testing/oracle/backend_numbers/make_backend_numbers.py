"""Writes the programs of fixtures/backend-numbers.

    py packages/testing/oracle/backend_numbers/make_backend_numbers.py OUT_DIR [GROUP...]

Writes one file for each group: NAME.jsonl, in which a line is a program (.pt2), its inputs and PyTorch's results.
`node pack.mjs OUT_DIR FIXTURES` packs them.
"""

import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import torch  # noqa: E402
from recorder import Recorder  # noqa: E402

GROUPS = (
    "half_constants",
    "as_strided",
    "thresholds",
    "zero_factors",
    "empties",
    "logit_gradients",
    "whole_numbers",
    "checked_values",
    "quantized_ends",
    "given_places",
    "unbounded",
    "kernel_choices",
    "written_memory",
    "memory_order",
    "shown_strides",
    "rare_kernels",
    "aliased_results",
    "scalar_factors",
    "rare_statistics",
    "unread_divisions",
    "products_plus",
    "dtype_ends",
    "half_losses",
    "row_choices",
    "running_statistics",
    "half_norms",
    "half_steps",
    "kernel_ends",
    "exported_calls",
)

if __name__ == "__main__":
    folder, *chosen = sys.argv[1:]
    for group in chosen or GROUPS:
        torch.manual_seed(0)
        record = Recorder()
        importlib.import_module(group).make(record)
        record.write(os.path.join(folder, group.replace("_", "-") + ".jsonl"))
