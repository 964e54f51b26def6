/** @file What a dialect of the IR allows, as data. */

import type { NodeMeta } from "../values/meta.js";
import type { Graph } from "./graph.js";
import type { Node } from "./node.js";
import type { OperatorLookup, OpSchema } from "./operator.js";

/** The rules of one dialect. A plugin's dialect is an object like these. */
export interface DialectRules {
  /** The name that programs and pipelines give. */
  readonly name: string;
  /** Operators must not write to their arguments. */
  readonly functional: boolean;
  /** Python functions that may be called: `operator.mul`, `math.ceil`, `builtins.round`. */
  readonly pythonFunctions: ReadonlySet<string>;
  /** Functions of torch that may be called: `torch.sym_max`. */
  readonly torchFunctions: ReadonlySet<string>;
  /** Higher-order operators that may be called besides PyTorch's: `higher_order.mine`. */
  readonly higherOrder?: ReadonlySet<string> | undefined;
  /** Metadata that every call must have besides `val`. */
  readonly metadata?: readonly (keyof NodeMeta)[] | undefined;
  /**
   * What else is asked of an operator: the reason why it is refused, or undefined. `tags` are those
   * of the operator table; undefined without a table.
   */
  readonly refuse?:
    | ((
        target: string,
        schema: OpSchema | undefined,
        tags?: readonly string[] | undefined,
      ) => string | undefined)
    | undefined;
  /**
   * What else is asked of a node, its values included: the reason why it is refused, or undefined.
   */
  readonly refuseNode?:
    | ((node: Node, graph: Graph, operators: OperatorLookup | undefined) => string | undefined)
    | undefined;
}

const prefixed = (prefix: string, names: string): string[] =>
  names.split(" ").map((name) => `${prefix}${name}`);

const PYTHON_FUNCTIONS: ReadonlySet<string> = new Set([
  ...prefixed(
    "operator.",
    "getitem add mul sub truediv ge le gt lt eq ne floordiv mod and_ or_ not_ pow neg abs lshift rshift",
  ),
  ...prefixed("math.", "ceil floor trunc"),
  "builtins.round",
]);

const TORCH_FUNCTIONS: ReadonlySet<string> = new Set([
  ...prefixed("torch.", "sym_int sym_float sym_ite sym_max sym_min sym_not sym_sqrt _sym_sqrt sym_sum"),
  "torch.autograd.grad_mode.set_grad_enabled",
  "torch._C._set_grad_enabled",
  ...prefixed("torch.amp.autocast_mode.", "_enter_autocast _exit_autocast"),
  "torch.export.custom_ops._call_custom_autograd_function_in_pre_dispatch",
  "torch.fx.experimental.symbolic_shapes.cast_symbool_to_symint_guardless",
  ...prefixed(
    "torch._functorch.predispatch.",
    "_add_batch_dim _remove_batch_dim _vmap_increment_nesting _vmap_decrement_nesting lazy_load_decompositions " +
      "_make_dual _unpack_dual _jvp_increment_nesting _jvp_decrement_nesting _unwrap_for_grad _enter_dual_level " +
      "_exit_dual_level",
  ),
]);

/** What `torch.export.export` gives: in-place operators are allowed. */
export const TRAINING: DialectRules = Object.freeze({
  name: "TRAINING",
  functional: false,
  pythonFunctions: PYTHON_FUNCTIONS,
  torchFunctions: TORCH_FUNCTIONS,
});

/** What `runDecompositions` gives: functional operators only. */
export const ATEN: DialectRules = Object.freeze({ ...TRAINING, name: "ATEN", functional: true });
