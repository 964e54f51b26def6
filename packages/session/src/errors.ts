import { editOf, inNode, misspelled, nearestEdit, SconceError, thrownText } from "@sconce/errors";
import type { Problem } from "@sconce/ir";

/** Returns the error for a name among the `services` of createSconce that no service has. */
export const unknownService = (name: string, known: readonly string[]): SconceError =>
  new SconceError({
    code: "UNKNOWN_SERVICE",
    message: `unknown service "${name}"`,
    where: "`services` of createSconce",
    ...misspelled(name, known, `the services are: ${known.join(", ")}`),
  });

/** Returns the error for a name that two owners define. */
export const nameClash = (kind: string, name: string, first: string, second: string): SconceError =>
  new SconceError({
    code: "NAME_CLASH",
    message: `${kind} "${name}" is defined ${
      first === second
        ? `twice by ${first}`
        : /^plugin /.test(first)
          ? `by ${first.replace("plugin", "plugins")} and ${second.slice("plugin ".length)}`
          : `by ${first} and by ${second}`
    }`,
    fix: "rename one of them",
  });

/** Returns the error for a part of a plugin did what it may not. */
export const badPart = (plugin: string, what: string, does: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "PLUGIN_FAILED",
    message: `${what} of plugin "${plugin}" ${does}`,
    fix: `fix the plugin "${plugin}"`,
    ...(cause === undefined ? {} : { cause }),
  });

/** Returns the error for a plugin whose code threw something. */
export const pluginFailed = (plugin: string, what: string, error: unknown): SconceError =>
  new SconceError({
    code: "PLUGIN_FAILED",
    message: `${what} of plugin "${plugin}" threw: ${thrownText(error)}`,
    fix: `fix the plugin "${plugin}"`,
    cause: error,
  });

/** Returns the error for what is wrong with a plugin. */
export const badPlugin = (label: string, what: string, fix: string, cause?: unknown): SconceError =>
  new SconceError({ code: "PLUGIN", message: `${label} ${what}`, fix, cause });

/**
 * Returns the error for a typed array, image or buffer that is not clearly one tensor. `code` makes
 * the tensor.
 */
export const inputArrayRefused = (
  kind: string,
  input: { readonly name: string; readonly place: string; readonly type: string },
  why: string,
  code: string,
): SconceError =>
  new SconceError({
    code: "INPUT_ARRAY",
    message: `the ${kind} at ${input.place} cannot be ${input.name}: ${input.type}: ${why}`,
    where: input.name,
    fix: `make the tensor yourself: ${code}`,
  });

/**
 * Returns the error for what is given as the arguments of a module is neither a list nor an object
 * by name.
 */
export function notArguments(
  given: string,
  positional: readonly string[],
  all: readonly string[],
): SconceError {
  const keywords = all.slice(positional.length);
  const list = `[${positional.join(", ")}]${keywords.length === 0 ? "" : `, { ${keywords.join(", ")} }`}`;
  const byName = all.length === 0 ? "" : `, or by name, call({ ${all.join(", ")} })`;
  const takes =
    all.length === 0
      ? "no arguments"
      : all.length === 1
        ? `the argument ${all[0]}`
        : `the arguments ${all.join(", ")}`;
  const isPromise = given === "a Promise" ? "await the promise, then " : "";
  return new SconceError({
    code: "INVALID_ARGUMENT",
    message: `the module takes ${takes}, in a list or in an object by name, and got ${given}`,
    where: "the arguments of the call",
    fix: `${isPromise}give a list, call(${list})${byName}`,
  });
}

/**
 * Returns the error for an argument by a name that the program does not have; `left` are names that
 * were not given.
 */
export const unknownArgument = (name: string, all: readonly string[], left: readonly string[]): SconceError =>
  new SconceError({
    code: "KEYWORD_MISMATCH",
    message: `the module has no argument ${JSON.stringify(name)}; its arguments are: ${all.join(", ") || "none"}`,
    where: "the arguments of the call",
    fix: `give the arguments by their names: call({ ${all.join(", ")} })`,
    ...(left.length === 1 ? editOf(name, left[0]) : nearestEdit(name, left)),
  });

/** Returns the error for a target of `save` that is not a stream. */
export const noTarget = (target: unknown): SconceError =>
  new SconceError({
    code: "OPTION_VALUE",
    message: `save cannot write to ${typeof target === "string" ? `the path ${JSON.stringify(target)}` : `a value of type ${typeof target}`}`,
    where: "the target of save",
    fix: `give a WritableStream, or nothing for the bytes${inNode("; for a path use savePt2File of sconce/node")}`,
  });

const MOST_PROBLEMS = 10;

/**
 * Returns the error for the verifier's problems as one error; node, line and fix are those of the
 * first.
 */
export function invalidToSave(problems: readonly Problem[]): SconceError {
  const [first] = problems;
  const messages = [...new Set(problems.map(({ message }) => message))].slice(0, MOST_PROBLEMS);
  return new SconceError({
    code: "INVALID_PROGRAM",
    message: `the program is not valid, and PyTorch would not load it: ${messages.join("; ")}`,
    where: [first?.graph, first?.node, first?.line].filter(Boolean).join(", ") || undefined,
    fix: first?.fix ?? "correct each problem; sconce explain CODE explains its code",
  });
}

/** Refuses other values than workers. @throws SconceError `INVALID_ARGUMENT` */
export function requireWorker(value: unknown): void {
  if (typeof value === "object" && value !== null && "postMessage" in value && "terminate" in value) return;
  throw new SconceError({
    code: "INVALID_ARGUMENT",
    message: `the first argument of worker is ${value === null ? "null" : typeof value} without \`postMessage\` and \`terminate\``,
    fix: `give a Worker, whose script calls serveSession(...)${inNode("; in Node, backendWorker(name) of sconce/node")}`,
  });
}

/** Returns the error for what passWorker was given in place of modules. */
export const passModules = (): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: "the first argument of passWorker is not a list of modules",
    fix: 'give paths or addresses of plugin modules: passWorker(["./their-plugin.js"])',
  });

/** Returns the error for what is given as JSON IR is something else. */
export const notJsonIR = (call: string, got: string): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${call} takes JSON IR, and got ${got}`,
    fix: "pass what `jsonIR.extract` or `jsonIR.read` returned; `jsonIR.read` takes the text",
  });

/**
 * Returns the error for a node of JSON IR that reads a weight that nothing gave. The message is
 * that of the format's own executor.
 */
export const missingWeight = (placeholder: string, name: string, node: string): SconceError =>
  new SconceError({
    code: "MISSING_WEIGHT",
    message: `Weight/input '${placeholder}' not found in registry for node '${node}'.`,
    where: `node "${node}"`,
    fix: `give the tensor in \`weights\` or \`constants\`, under the name "${name}" or "${placeholder}"`,
  });

/** Returns the error for a constant or an override for a name that JSON IR does not have. */
export const unknownOverride = (name: string, known: readonly string[]): SconceError =>
  new SconceError({
    code: "UNKNOWN_STATE",
    message: `the JSON IR has no weight or constant ${JSON.stringify(name)}`,
    where: "`constants` or `overrides`",
    ...misspelled(name, known, `the names are: ${known.join(", ")}`),
  });

/** Returns the error for a type in JSON IR that its operator contradicts. */
export const otherType = (node: string, declared: string, computed: string): SconceError =>
  new SconceError({
    code: "JSON_IR_GRAPH",
    message: `the value is declared as ${declared}, and its operator gives ${computed}`,
    where: `node "${node}"`,
    fix: "write the JSON again with `sconce ir`, or correct it",
  });

/** Returns the error for a call in JSON IR that does not fit the nested graph that it takes. */
export const otherCall = ({ message, node, graph, fix }: Problem): SconceError =>
  new SconceError({
    code: "JSON_IR_GRAPH",
    message,
    where: `${graph === "" || graph === undefined ? "" : `graph ${graph}, `}node "${node}"`,
    fix: fix ?? "write the JSON again with `sconce ir`, or correct it",
  });

/** Calls of nested graphs in JSON IR that make too many calls. */
export const tooManyRepeats = (most: number): SconceError =>
  new SconceError({
    code: "JSON_IR_GRAPH",
    message: `its nested graphs are called so often that they make more than ${most} calls`,
    where: "subgraphs",
    fix: "call nested graphs less often, or save the program as .pt2",
  });

/** Outputs that cannot be compared. */
export const otherOutputs = (got: string, want: string, where: string): SconceError =>
  new SconceError({
    code: "OUTPUT_MISMATCH",
    message: `the JSON IR gives ${got}, and the model ${want}`,
    where,
    fix: "compare with the model that the JSON was made of",
  });

/** Returns the error for a name of a rule that neither the session nor a pass of it has. */
export const unknownRule = (name: string, known: ReadonlySet<string>): SconceError =>
  new SconceError({
    code: "UNKNOWN_RULE",
    message: `unknown rule "${name}"`,
    ...misspelled(
      name,
      known,
      "`sconce explain --list` and `sconce.knownRules` list the rules; a pass declares its rules with `rules`, as rulePass does",
    ),
  });
