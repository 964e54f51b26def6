"""Writes packages/ops/src/schema/aten-schemas.ts: every ATen schema that PyTorch's dispatcher knows.

Usage (with PyTorch): python3 aten_schemas.py OUT.ts
"""
import sys

import torch


def main(path):
    lines = set()
    for schema in torch._C._jit_get_all_schemas():
        if not schema.name.startswith("aten::"):
            continue
        name, overload = schema.name[len("aten::"):], schema.overload_name or "default"
        try:
            op = getattr(getattr(torch.ops.aten, name), overload)
            torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), "CPU")
        except (AttributeError, RuntimeError):  # a TorchScript builtin without a dispatcher entry
            continue
        lines.add(str(schema)[len("aten::"):])
    version = torch.__version__.split("+")[0]
    with open(path, "w") as out:
        out.write("/** @file Every ATen schema of PyTorch " + version + ", without the namespace. Generated; see testing/oracle. */\n")
        out.write("export const ATEN_SCHEMAS = [\n" + "".join("  " + literal(line) + ",\n" for line in sorted(lines)) + "] as const;\n")


def literal(text):
    """A string literal with the quotes that need the fewest escapes, as the formatter writes it."""
    escaped = text.replace("\\", "\\\\")
    if '"' in text and "'" not in text:
        return "'" + escaped + "'"
    return '"' + escaped.replace('"', '\\"') + '"'


main(sys.argv[1])
