/** @file Errors of running a source graph again. */
import { SconceError, thrownText } from "@sconce/errors";
import { type Node, nodeWhere } from "@sconce/ir";

/** Returns the error for an operator without a batched form. */
export const unsupportedVmap = (target: string): SconceError =>
  new SconceError({
    code: "UNSUPPORTED_VMAP",
    message: `${target} inside of torch.vmap cannot be batched here`,
    where: target,
    fix: "decompose the program in PyTorch, or write the batched form without vmap",
  });

/** Returns the error for a reference to a node that has no value yet. */
export const undefinedNode = (name: string): SconceError =>
  new SconceError({
    code: "UNDEFINED_NODE",
    message: `%${name} is used before it is defined, or nowhere defined`,
    fix: "run `sconce verify` or `verify(program)` for all problems, and correct the graph",
  });

/** Returns the error for a `get_attr` of a nested graph that is missing. */
export const missingBody = (node: Node): SconceError =>
  new SconceError({
    code: "MISSING_SUBGRAPH",
    message: `get_attr reads "${node.target}", which the graph does not hold`,
    where: nodeWhere(node),
    fix: "run `verify(program)` for all problems, and add the nested graph with `setSubgraph`",
  });

/** Returns the error for a higher-order call whose body is not a graph. */
export const withoutBody = (): SconceError =>
  new SconceError({
    code: "MISSING_SUBGRAPH",
    message: "a higher-order operator has no graph where its body belongs",
    fix: "pass the body as a `get_attr` node of a nested graph",
  });

/** Returns the error for a decomposition that threw something else than a {@link SconceError}. */
export const decompositionFailed = (node: Node, thrown: unknown): SconceError =>
  new SconceError({
    code: "DECOMPOSITION_FAILED",
    message: `the decomposition of ${node.target} threw: ${thrownText(thrown)}`,
    where: nodeWhere(node),
    fix: "correct the decomposition of the operator",
    cause: thrown,
  });

/** Returns the error for a higher-order operator that decomposition does not know. */
export const unsupportedHigherOrder = (node: Node, reason?: string): SconceError =>
  new SconceError({
    code: "UNSUPPORTED_HIGHER_ORDER",
    message: `runDecompositions does not lower ${node.target}${reason === undefined ? "" : `: ${reason}`}`,
    where: nodeWhere(node),
    fix: "inline its body first, or run the program without decomposing it",
  });

/**
 * Returns the error for a graph of control flow that writes to what it is given. PyTorch does not
 * lower such a call either.
 */
export const writingBody = (node: Node, input: string): SconceError =>
  new SconceError({
    code: "CONTROL_FLOW_MUTATION",
    message: `a graph of ${node.target} writes to its input %${input}, which a functional program cannot do`,
    where: nodeWhere(node),
    fix: "return the new value from the graph, or run the program without lowering it",
  });

/**
 * Returns the error for a graph of control flow with results that share memory with its inputs or
 * with each other, or with such inputs. The message is PyTorch's, which names the graph as it does.
 */
export const aliasingBody = (node: Node, body: string, shared: string): SconceError =>
  new SconceError({
    code: "CONTROL_FLOW_ALIASING",
    message: `${body} might be aliasing the input or the output! ${shared}`,
    where: nodeWhere(node),
    fix: "clone one of the two, or run the program without lowering it",
  });

/**
 * Returns the error for an item of the results of a call that nothing types: lowering keeps what is
 * recorded of it.
 */
export const untypedResults = (source: string): SconceError =>
  new SconceError({
    code: "MISSING_VAL",
    message: `the results of %${source} are not recorded, and no rule gives them`,
    where: source,
    fix: "write the types of its results in the program's text, or run the program without lowering it",
  });
