"""Prints the names that PyTorch takes while it lowers a saved program, each with the functions that ask for it.

A name is taken for each node of the trace, and for each question about a dynamic size, whose node is removed again:
numbers of later names count these questions. Compare with what `Namespace.create` of packages/ir and `TakenNames.take`
of packages/trace take for the same file.

Usage (with PyTorch): python3 name_log.py PROGRAM.pt2
"""

import logging
import sys
import traceback
import warnings
from collections import Counter

import torch
from torch.fx.graph import _Namespace

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")

# Functions that are in every stack.
COMMON = set(
    "<module> main run_decompositions _decompose_exported_program _export_to_aten_ir inner_f _create_graph "
    "_decompose_and_get_gm_with_new_signature_constants _aot_export_joint_with_descriptors force _dispatch "
    "aot_export_joint_with_descriptors aot_stage1_graph_capture aot_dispatch_base_graph _compute_proxy run_node "
    "_create_graph_and_save_traced_inputs create_name create_node create_proxy wrapper inner __call__ fn wrapped "
    "_fn wrap_fn dispatch handler __torch_function__ __torch_dispatch__ call_function run redispatch <listcomp> "
    "<genexpr> <lambda> _call_impl _wrapped_call_impl binary_magic_impl handle_sym_dispatch __sym_dispatch__ "
    "thunkify unflatten tree_map tree_map_only forward call_module module_call_wrapper call_wrapped trace "
    "dispatch_trace functional_call flat_fn call_and_expect_output_descs inner_fn _functionalized_f_helper "
    "_trace_inner cached_compute_strong".split()
)


def logged(run):
    """The names that are taken while a function runs: (namespace, name, functions)."""
    names, original = [], _Namespace.create_name

    def create_name(self, candidate, obj):
        name = original(self, candidate, obj)
        functions = [frame.name for frame in traceback.extract_stack()[:-1]]
        if "create_node" in functions and "python_code" not in functions:
            names.append((id(self), name, functions))
        return name

    _Namespace.create_name = create_name
    try:
        run()
    finally:
        _Namespace.create_name = original
    return names


def main(path):
    names = logged(torch.export.load(path).run_decompositions)
    traced = Counter(space for space, _, functions in names if "dispatch_trace" in functions)
    [(traced_space, _)] = traced.most_common(1)
    for space, name, functions in names:
        if space == traced_space:
            print(f"{name}\t{' > '.join(one for one in functions if one not in COMMON)}")


main(*sys.argv[1:])
