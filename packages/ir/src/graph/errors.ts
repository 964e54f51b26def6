/** @file One factory per error of this package. */
import { misspelled, SconceError } from "@sconce/errors";
import { type Problem, problemText } from "./problem.js";

/** Returns the error for a name that no node has; `names` are those of the graph. */
export const nodeNotFound = (name: string, names: Iterable<string> = []): SconceError =>
  typeof name === "string"
    ? new SconceError({
        code: "NODE_NOT_FOUND",
        message: `the graph has no node named "${name}"`,
        ...misspelled(name, names, "print the graph to see its names; each nested graph has its own"),
      })
    : new SconceError({
        code: "NODE_NOT_FOUND",
        message: `a node is found by its name, got ${kindOf(name)}`,
        fix: "give the name of the node, a string: node.name",
      });

const kindOf = (value: unknown): string =>
  value === null || value === undefined ? String(value) : `a value of type ${typeof value}`;

/** Returns the error for what callers without types may give an edit in place of a node's parts. */
export const notParts = (what: string, got: unknown): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${what} takes an object with parts of a node, got ${kindOf(got)}`,
    fix: "give parts of a node: { target, args, kwargs, meta }",
  });

/** Returns the error for a part that nodes do not have. */
export const unknownNodePart = (what: string, part: string, known: readonly string[]): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${what}: a node has no part "${part.slice(0, 100)}"`,
    ...misspelled(part, known, `use one of: ${known.join(", ")}`),
  });

export const unknownPart = (name: string, known: readonly string[]): SconceError =>
  new SconceError({
    code: "UNKNOWN_PART",
    message: `a program has no part "${name}"`,
    fix: `use one of: ${known.join(", ")}`,
  });

export const noOutput = (): SconceError =>
  new SconceError({
    code: "NO_OUTPUT",
    message: "the graph has no output node",
    fix: "end the graph with an output",
  });

export const duplicateName = (name: string): SconceError =>
  new SconceError({
    code: "DUPLICATE_NAME",
    message: `the graph already has a node named "${name}"`,
    where: name,
    fix: "take a name from editor.freshName(...)",
  });

export const stillUsed = (name: string, user: string): SconceError =>
  new SconceError({
    code: "NODE_STILL_USED",
    message: `node "${name}" is removed but "${user}" still uses it`,
    where: name,
    fix: `replace its uses first: editor.replaceAllUses("${name}", ...)`,
  });

export const cyclicReplacement = (name: string): SconceError =>
  new SconceError({
    code: "CYCLIC_REPLACEMENT",
    message: `uses of "${name}" are replaced by themselves`,
    fix: "replace the uses by another value",
  });

export const editFinished = (): SconceError =>
  new SconceError({
    code: "EDIT_FINISHED",
    message: "the editor was used after its edit had ended",
    fix: "make every change within the recipe given to edit()",
  });

export const missingSubgraph = (target: string): SconceError =>
  new SconceError({
    code: "NO_SUBGRAPH",
    message: `the graph has no nested graph "${target}"`,
    fix: `add it: editor.setSubgraph("${target}", graph)`,
  });

export const badTreeSpec = (reason: string, where: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "BAD_TREE_SPEC",
    message: `the tree specification cannot be read: ${reason}`,
    where,
    fix: "export the program again",
    cause,
  });

/** PyTorch's words (`torch/export/_unlift.py`). */
export const treeMismatch = (expected: string, actual: string): SconceError =>
  new SconceError({
    code: "TREE_MISMATCH",
    message:
      `Trying to flatten user inputs with exported input tree spec: \n${expected}\n` +
      `but actually got inputs with tree spec of: \n${actual}.\n` +
      "Please check that the inputs have the same number and type of args and kwargs as the ones you used when tracing.",
    where: "the arguments of the call",
    fix: "call the program with the same structure of arguments that it was exported with",
  });

const SHOWN_PROBLEMS = 10;

export const invalidProgram = (problems: readonly Problem[]): SconceError => {
  const lines = problems.slice(0, SHOWN_PROBLEMS).map(problemText);
  if (problems.length > SHOWN_PROBLEMS) lines.push(`and ${problems.length - SHOWN_PROBLEMS} more`);
  const [first] = problems;
  const place = [first?.graph, first?.node].filter(Boolean).join(".");
  const where = [place, first?.line].filter(Boolean).join(", ") || undefined;
  return new SconceError({
    code: "INVALID_PROGRAM",
    message: `the program is not valid\n${lines.join("\n")}`,
    where,
    fix: first?.fix ?? "correct each problem; sconce explain CODE explains its code",
  });
};

export const irSyntax = (message: string, where: string): SconceError =>
  new SconceError({
    code: "IR_SYNTAX",
    message,
    where,
    fix: "see docs/concepts/ir-text.md for the grammar",
  });

/** Returns the error for a text of a version that the reader does not have. */
export const formatVersion = (
  format: string,
  { found, known, where }: { readonly found: string; readonly known: string; readonly where: string },
): SconceError =>
  new SconceError({
    code: "FORMAT_VERSION",
    message: `${format} of version ${found} cannot be read; this Sconce reads version ${known}`,
    where,
    fix: "update Sconce, or write the text with this version",
  });

/** Returns the error for what cannot be read of a text of a newer version. */
export const ofNewerVersion = (error: SconceError, newer: string): SconceError =>
  new SconceError({
    code: error.code,
    message: `${error.message} (${newer})`,
    where: error.where,
    fix: "update Sconce",
    cause: error,
  });

/** `where`: line and column of a text, or the node. */
export const unknownTarget = (
  { message, fix, edits }: Pick<SconceError, "message" | "fix" | "edits">,
  where: string,
): SconceError => new SconceError({ code: "UNKNOWN_TARGET", message, where, fix, edits });

/**
 * Returns the error for example inputs that were not read from the file of which a text was made.
 * It has the code and the reason of the first error.
 */
export const unreadableExamples = (code: string, message: string): SconceError =>
  new SconceError({ code, message, fix: "export the program again with plain tensors as example inputs" });

export const irTensor = (key: string, reason: string): SconceError =>
  new SconceError({
    code: "IR_TENSOR",
    message: `tensor "${key}" ${reason}`,
    where: key,
    fix: "give the tensors that were stored beside the text",
  });

export const historyMismatch = (message: string, where?: string): SconceError =>
  new SconceError({
    code: "HISTORY_MISMATCH",
    message,
    where,
    fix: "give the program that the history was recorded on, or run the passes instead",
  });

/** Something else than a history where one is wanted. */
export const notAHistory = (given: string): SconceError =>
  new SconceError({
    code: "HISTORY_FORMAT",
    message: `replay takes a program, or what historyFromJson or recordedHistory gives, not ${given}`,
    fix: "pass the program whose history it is: replay(program, onto)",
  });

export const historyFormat = (message: string, where?: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "HISTORY_FORMAT",
    message: `the history cannot be read: ${message}`,
    where,
    fix: "give what historyToJson wrote, with the tensors of historyTensors",
    cause,
  });
