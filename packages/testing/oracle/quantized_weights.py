"""Prints what PyTorch expands the weights of quantized programs to: a digest of each expanded weight.

Usage (with PyTorch): python3 quantized_weights.py FILE.pt2 ... > DIGESTS.json

The files are those that `WRITE_QUANTIZED=FOLDER npx vitest run packages/quantization/src/weights/torch.test.ts` writes.
"""

import hashlib
import json
import os
import sys

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  (registers quantized_decomposed)





def constants_only(graph, inputs):
    """The nodes that only parameters and buffers flow into."""
    known = set(inputs)
    for node in graph.nodes:
        if node.op == "call_function" and node.all_input_nodes and all(one.name in known for one in node.all_input_nodes):
            known.add(node.name)
    return known


def digests(path):
    program = torch.export.load(path)
    state = {**program.state_dict, **program.constants}
    values = {spec.arg.name: state[spec.target] for spec in program.graph_signature.input_specs if spec.target is not None}
    constant = constants_only(program.graph, values)
    found = {}
    for node in program.graph.nodes:
        if node.op != "call_function" or node.name not in constant:
            continue
        resolve = lambda item: values[item.name]  # noqa: E731
        values[node.name] = node.target(*torch.fx.node.map_arg(node.args, resolve), **torch.fx.node.map_arg(node.kwargs, resolve))
        value = values[node.name]
        if isinstance(value, torch.Tensor) and value.dtype == torch.float32:
            found[node.name] = hashlib.sha256(value.detach().contiguous().numpy().tobytes()).hexdigest()[:16]
    return found


def main(paths):
    print(json.dumps({os.path.basename(path): digests(path) for path in sorted(paths)}, indent=1))


main(sys.argv[1:])
