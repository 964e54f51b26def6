/** @file Every error that running a graph raises. */
import { isSconceError, SconceError, thrownText } from "@sconce/errors";
import { type Node, nodePlace } from "@sconce/ir";

/**
 * Returns an error with the node in which it happened; errors of other classes become a
 * {@link SconceError}.
 */
export function atNode(error: unknown, where: string): SconceError {
  if (isSconceError(error)) return error.at(where);
  const message = thrownText(error);
  return error instanceof RangeError
    ? outOfMemory(message, where, error)
    : new SconceError({
        code: "KERNEL_FAILED",
        message,
        where,
        fix: "correct the kernel; if it is Sconce's, report it with the program",
        cause: error,
      });
}

/** Values that do not fit into memory, or into `maxBytes`. */
const outOfMemory = (message: string, where: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "OUT_OF_MEMORY",
    message,
    where,
    fix: "use smaller inputs, or raise `maxBytes` of createSconce or of the backend",
    cause,
  });

/**
 * Returns the error for a value of more bytes than are left of `maxBytes`; `what` says which value.
 */
export const overLimit = (bytes: number, left: number, what: string, where: string): SconceError =>
  outOfMemory(
    `cannot allocate ${bytes} bytes ${what}: ${bytes} bytes are more than the ${left} bytes that are left of maxBytes`,
    where,
  );

/** Returns the error for a `get_attr` node that names a graph that does not exist. */
export const noSubgraph = (node: Node): SconceError =>
  new SconceError({
    code: "NO_SUBGRAPH",
    message: `the graph has no nested graph "${node.target}"`,
    where: nodePlace(node),
    fix: "run `verify(program)`, and correct the pass that removed the nested graph",
  });

/** Returns the error for loops of a run that iterate more often than its limit. */
export const loopLimit = (maxIterations: number): SconceError =>
  new SconceError({
    code: "LOOP_LIMIT",
    message: `the loops did not end within ${maxIterations} iterations`,
    fix: "change the condition or the body so that the loop ends, or raise maxIterations",
  });

/**
 * Returns the error for a parameter, buffer or constant of the signature that does not exist, or
 * holds no values.
 */
export const missingState = (name: string): SconceError =>
  new SconceError({
    code: "MISSING_STATE",
    message: `the program has no tensor for "${name}"`,
    fix: "load the program together with its weights",
  });

/** Returns the error when an executable or interpreter was used after it was disposed. */
export const disposed = (what: string): SconceError =>
  new SconceError({ code: "DISPOSED", message: `${what} was disposed`, fix: "compile the program again" });

/** Control flow or a write-back met a value that is not a tensor in memory. */
export const foreignTensor = (): SconceError =>
  new SconceError({
    code: "INTERPRETER_TENSORS",
    message: "the interpreter's values are not tensors in memory, and it has no access to them",
    fix: "give the Interpreter `tensors`, and override `writeBack` if the program writes to buffers or inputs",
  });

/** `runSync` met a promise. */
export const notSynchronous = (): SconceError =>
  new SconceError({
    code: "INTERPRETER_ASYNC",
    message: "a node returned a promise, which runSync cannot wait for",
    fix: "use `await interpreter.run(inputs)`",
  });

/** Returns the error for a custom class that does not say how operators run. */
export const noCallOperator = (name: string): SconceError =>
  new SconceError({
    code: "INTERPRETER_OPERATORS",
    message: `the class "${name}" extends Interpreter and has no method callOperator`,
    fix: "define callOperator(target, args, kwargs, node), which runs one operator",
  });

/** Returns the error when a second run began while one is under way. */
export const interpreterBusy = (): SconceError =>
  new SconceError({
    code: "INTERPRETER_BUSY",
    message: "the interpreter is running already",
    fix: "await the run before runSync, or use another Interpreter",
  });

/**
 * Returns the error for a lowered program's write to an expanded tensor: the message is PyTorch's.
 *
 * @param problem what cannot be done, and `where` the name of the value that it concerns
 */
export const sharedPlaces = (problem: string, where: string): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message:
      `${problem}: unsupported operation: more than one element of the written-to tensor refers to a single memory location. ` +
      "Please clone() the tensor before performing the operation.",
    where,
    fix: "give a copy of the tensor that the program writes to: `tensor.contiguous()`",
  });

/** Returns the error for an autocast region in an interpreter that does not apply autocast. */
export const noAutocast = (dtype: string): SconceError =>
  new SconceError({
    code: "UNSUPPORTED_NODES",
    message: `the interpreter does not apply autocast to ${dtype}`,
    fix: "lower the program first (`runDecompositions`), or override `withAutocast`",
  });

/** Returns the error for an argument that is not an earlier node of the graph. */
export const undefinedNode = (name: string, user: Node): SconceError =>
  new SconceError({
    code: "UNDEFINED_NODE",
    message: `%${name} is used before it is defined, or nowhere defined`,
    where: nodePlace(user),
    fix: "run `sconce verify` or `verify(program)` for all problems, and correct the graph",
  });

/** Returns the error for a graph that does not end with an output. */
export const noOutput = (): SconceError =>
  new SconceError({
    code: "NO_OUTPUT",
    message: "the graph has no output node",
    fix: "end it with `output`",
  });

/** Returns the error for a text that `higher_order.print` cannot print as Python does. */
export const invalidFormat = (format: string, problem: string): SconceError =>
  new SconceError({
    code: "INVALID_FORMAT",
    message: `the format ${JSON.stringify(format)} cannot be printed: ${problem}`,
    fix: "use fields such as {}, {0}, {name} and {x:.2f} with an argument for each",
  });
