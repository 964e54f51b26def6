/**
 * @file Metadata of nodes that PyTorch makes after a trace, for sizes and for run-time assertions
 * (`torch/_export/passes/_node_metadata_hook.py`, `torch/fx/passes/runtime_assert.py`).
 */
import type { NodeMeta } from "@sconce/ir";

const STACK_TRACE = 'File "torch/fx/passes/runtime_assert.py", line 24, in insert_deferred_runtime_asserts';
const NO_MODULE = "_empty_nn_module_stack_from_metadata_hook";

/** Metadata of a read of an input's size. */
export const INPUT_SIZE_META: NodeMeta = {
  stackTrace: STACK_TRACE,
  nnModuleStack: [[NO_MODULE, NO_MODULE, NO_MODULE]],
  torchFn: reifiedFunction("aten.sym_size.int"),
};

/** Metadata of a node that is made for one with the given metadata. */
export function reifiedMeta(source: NodeMeta): NodeMeta {
  const { sourceFnStack: _sourceFnStack, torchFn: _torchFn, ...rest } = source;
  return { ...rest, stackTrace: source.stackTrace ?? STACK_TRACE };
}

/** Returns the `torch_fn` of a node that no function of the user's made. */
export function reifiedFunction(target: string): readonly [string, string] {
  const [namespace, ...rest] = target.split(".");
  const name = rest.join(".");
  const kind =
    namespace === "aten" ? "OpOverload" : namespace === "torch" ? "function" : "builtin_function_or_method";
  return [`${name}_0`, `${kind}.${name}`];
}
