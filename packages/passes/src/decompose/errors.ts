/** @file Errors of decomposition and functionalization. */
import { didYouMean, SconceError, thrownText } from "@sconce/errors";
import { type FakeTensor, type InputSpec, type Node, nodeWhere } from "@sconce/ir";
import { printExpr, type SymExpr } from "@sconce/symbolic";

/** State that is written to and shares memory with other state. */
export const sharedState = (spec: InputSpec, other: InputSpec): SconceError =>
  new SconceError({
    code: "SHARED_STATE",
    message: `"${spec.target}" is written to and shares memory with "${other.target}", which would change with it`,
    where: spec.arg.name,
    fix: "register one of them, and take the other as a view of it in forward; or register a clone",
  });

/** State that is written to and whose elements overlap in memory. */
export const overlappingState = (spec: InputSpec): SconceError =>
  new SconceError({
    code: "INTERNAL_OVERLAP",
    message: `"${spec.target}" is written to and several of its elements are one place in memory`,
    where: spec.arg.name,
    fix: "register a contiguous clone of it",
  });

/** `pop` of an entry that the table does not have. */
export const notInTable = (target: string): SconceError =>
  new SconceError({
    code: "NOT_IN_TABLE",
    message: `${target} is not in the decomposition table`,
    fix: "use a target that the table has, or give a fallback value",
  });

/** An operator that writes to arguments without a declaration in its schema. */
export const hiddenWrite = (target: string, written: readonly string[]): SconceError =>
  new SconceError({
    code: "NOT_FUNCTIONALIZABLE",
    message: `${target} updates ${written.join(" and ")}, though its schema does not say so`,
    where: target,
    fix: "call an operator that returns the new statistics, such as aten._native_batch_norm_legit_functional",
  });

/** A write that the lowered program would hide. */
export const unseenWrite = (target: string): SconceError =>
  new SconceError({
    code: "NOT_FUNCTIONALIZABLE",
    message: `something is written to that shares memory with the result of ${target}, which its schema does not declare`,
    where: target,
    fix: "clone the operator's result, or its argument before",
  });

/** A decomposition table with an invalid value, entry or key. */
export const badTable = (message: string, fix: string, where?: string): SconceError =>
  new SconceError({ code: "DECOMPOSITION_TABLE", message, where, fix });

/** `as_strided` looks at the memory behind its base, which the values of a view do not hold. */
export const stridedView = (length: number, at: number): SconceError =>
  new SconceError({
    code: "VIEW_INVERSE",
    message:
      `a mutation on a view chain of length ${length}, where view ${at} was an as_strided() call: as_strided() is ` +
      "non-compositional, and therefore is not possible to functionalize properly",
    where: "aten.as_strided.default",
    fix: "take the strided view of the tensor itself, or of a clone",
  });

/** An operator without a batched form. */
export const unsupportedVmap = (target: string): SconceError =>
  new SconceError({
    code: "UNSUPPORTED_VMAP",
    message: `${target} inside of torch.vmap cannot be batched here`,
    where: target,
    fix: "decompose the program in PyTorch, or write the batched form without vmap",
  });

/** A decomposition used a tensor that is not of the graph. */
export const untracedTensor = ({ dtype, shape }: FakeTensor): SconceError =>
  new SconceError({
    code: "UNTRACED_TENSOR",
    message: `a tensor ${dtype}[${shape.map((size) => printExpr(size)).join(", ")}] has no node in the graph being traced`,
    fix: "use only the arguments of the decomposition and the results of its emitter",
  });

/** A symbol that neither an input nor a node gives. */
export const unboundSymbol = (name: string): SconceError =>
  new SconceError({
    code: "UNBOUND_SYMBOL",
    message: `no input size and no node gives the symbol ${name}`,
    fix: "give the program an input whose size is the symbol",
  });

/** An expression that no chain of nodes computes. */
export const symbolicNode = (expr: SymExpr): SconceError =>
  new SconceError({
    code: "SYMBOLIC_NODE",
    message: `no nodes compute the expression ${printExpr(expr)} (${expr.op})`,
    fix: "make the size simpler, or static, in the exported model",
  });

/** A reference to a node that has no value yet. */
export const undefinedNode = (name: string): SconceError =>
  new SconceError({
    code: "UNDEFINED_NODE",
    message: `%${name} is used before it is defined, or nowhere defined`,
    fix: "run `sconce verify` or `verify(program)` for all problems, and correct the graph",
  });

/** A `get_attr` of a nested graph that is missing. */
export const missingBody = (node: Node): SconceError =>
  new SconceError({
    code: "MISSING_SUBGRAPH",
    message: `get_attr reads "${node.target}", which the graph does not hold`,
    where: nodeWhere(node),
    fix: "run `verify(program)` for all problems, and add the nested graph with `setSubgraph`",
  });

/** A higher-order call whose body is not a graph. */
export const noBody = (): SconceError =>
  new SconceError({
    code: "MISSING_SUBGRAPH",
    message: "a higher-order operator has no graph where its body belongs",
    fix: "pass the body as a `get_attr` node of a nested graph",
  });

/** A decomposition that threw something else than a {@link SconceError}. */
export const decompositionFailed = (node: Node, thrown: unknown): SconceError =>
  new SconceError({
    code: "DECOMPOSITION_FAILED",
    message: `the decomposition of ${node.target} threw: ${thrownText(thrown)}`,
    where: nodeWhere(node),
    fix: "correct the decomposition of the operator",
    cause: thrown,
  });

/** An in-place operator that cannot be functionalized. */
export const noFunctionalOverload = (target: string): SconceError =>
  new SconceError({
    code: "NOT_FUNCTIONALIZABLE",
    message: "the operator mutates its arguments and has no functional overload",
    where: target,
    fix: "give the operator table a functional overload of it, or a decomposition",
  });

/** An entry of a decomposition table calls an operator that does not exist. */
export function unknownCall(called: unknown, candidates: readonly string[]): SconceError {
  const fix = 'write the overload out ("aten.relu.default"), or register the operator with a plugin';
  return typeof called === "string"
    ? new SconceError({
        code: "UNKNOWN_OPERATOR",
        message: `unknown operator "${called}"`,
        fix: didYouMean(called, candidates, fix),
      })
    : new SconceError({
        code: "UNKNOWN_OPERATOR",
        message: `an operator is named by a string, not by a ${typeof called}`,
        fix,
      });
}

/** An error of a call that an entry of a decomposition table makes: with the entry and its operator. */
export const inEntryCall = (error: SconceError, name: string, target: string, called: unknown): SconceError =>
  new SconceError({
    code: error.code,
    message: `${name} calls ${typeof called === "string" ? called : `a ${typeof called}`}: ${error.message}`,
    where: target,
    fix: error.fix,
    cause: error,
  });

/** Positional arguments of an emitted call that are not in a list. */
export const argumentsNotList = (): SconceError =>
  new SconceError({
    code: "ARGUMENT_KIND",
    message: "the positional arguments of an emitted call must be a list",
    fix: 'write emit("aten.relu.default", [self])',
  });

/** A higher-order operator that decomposition does not know. */
export const unsupportedHigherOrder = (node: Node): SconceError =>
  new SconceError({
    code: "UNSUPPORTED_HIGHER_ORDER",
    message: `runDecompositions does not know the higher-order operator ${node.target}`,
    where: nodeWhere(node),
    fix: "inline its body first, or run the program without decomposing it",
  });

/** `t_` or `resize_` of an input. */
export const newLayout = (name: string): SconceError =>
  new SconceError({
    code: "NOT_FUNCTIONALIZABLE",
    message: `the sizes or strides of the input "${name}" are changed in place, which no output can represent`,
    where: name,
    fix: "return the new view (x.t() instead of x.t_()), or change a clone of the input",
  });

/** A write to a lifted constant. */
export const constantMutated = ({ target, arg }: InputSpec): SconceError =>
  new SconceError({
    code: "CONSTANT_MUTATED",
    message: `Constant ${target} is mutated in the forward method. Pls register it as buffer`,
    where: arg.name,
    fix: "register the tensor as a buffer before exporting",
  });

/** An entry of a decomposition table that returned something else than the call that it replaces. */
export const entryResult = (target: string, message: string): SconceError =>
  new SconceError({
    code: "DECOMPOSITION_RESULT",
    message,
    where: target,
    fix: "return what the replaced call returns: the same number of results, dtypes and shapes, made by the emitter",
  });

/** An entry of a decomposition table that threw something else than a {@link SconceError}. */
export const entryThrew = (target: string, name: string, thrown: unknown): SconceError =>
  new SconceError({
    code: "DECOMPOSITION_FAILED",
    message: `${name} threw: ${thrownText(thrown)}`,
    where: target,
    fix: "correct the decomposition; `cause` is what it threw",
    cause: thrown,
  });

/** Entries that emit each other's operators for ever. */
export const entryCycle = (target: string, name: string, path: string): SconceError =>
  new SconceError({
    code: "DECOMPOSITION_CYCLE",
    message: `${name} never ends: ${path}`,
    where: target,
    fix: `emit other operators than ${target} from its entry, or delete one entry of the cycle from the table`,
  });
