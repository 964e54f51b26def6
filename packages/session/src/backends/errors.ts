/** @file Every error about backends: unknown names, and violations of their contract. */
import { isSconceError, misspelled, SconceError, thrownText, withArticle } from "@sconce/errors";
import type { Problem } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { AUTO, isKnownBackend, OTHER_NAMES, WASM } from "./backend-names.js";

/** Names a backend, and the plugin that it comes from, in errors. */
export interface BackendLabel {
  readonly name: string;
  readonly plugin: string | undefined;
  /** Whether it is the session's own, which is right where it and a program differ. */
  readonly isOwn?: boolean;
}

export const labelOf = ({ name, plugin }: BackendLabel): string =>
  `the backend "${name}"${plugin === undefined ? "" : ` of plugin "${plugin}"`}`;

/**
 * Returns the error for a backend did something that the contract of `Backend` and `Executable`
 * rules out.
 */
export const backendFault = (
  backend: BackendLabel,
  does: string,
  more: { readonly where?: string; readonly cause?: unknown } = {},
): SconceError =>
  new SconceError({
    code: "PLUGIN_FAILED",
    message: `${labelOf(backend)} ${does}`,
    where: `backend "${backend.name}"`,
    ...more,
    fix: `correct the backend "${backend.name}"; the contract is in docs/concepts/backends.md`,
  });

/** Returns the error for what a backend threw. Its typed errors pass as they are. */
export const backendThrew = (backend: BackendLabel, error: unknown): SconceError =>
  isSconceError(error) ? error : backendFault(backend, `threw: ${thrownText(error)}`, { cause: error });

/**
 * Returns the error for a backend that breaks on a program: where the program is not valid, and
 * nothing had verified it, that is the reason.
 */
export function compileFailure(error: unknown, problemsOf: () => readonly Problem[]): unknown {
  if (!isSconceError(error, "PLUGIN_FAILED")) return error;
  const problems = problemsOf();
  const [first] = problems;
  if (first === undefined) return error;
  const messages = [...new Set(problems.map(({ message }) => message))].slice(0, SHOWN_PROBLEMS);
  return new SconceError({
    code: "INVALID_PROGRAM",
    message: `the program is not valid, and cannot be compiled: ${messages.join("; ")}`,
    where: [first.node, first.line].filter((part) => part !== undefined).join(", ") || undefined,
    fix: first.fix ?? "correct each problem; sconce explain CODE explains its code",
    cause: error,
  });
}

const SHOWN_PROBLEMS = 10;

/** Returns the error for an output or state that is not what the program says. */
export const wrongOutput = (backend: BackendLabel, what: string, where?: string): SconceError =>
  new SconceError({
    code: "BACKEND_OUTPUT",
    message: `${labelOf(backend)} returned ${what}`,
    where,
    fix: backend.isOwn
      ? "correct the program: what it says of its values is not what its operators compute; if the backend got kernels or operators of yours, check those"
      : `correct the backend "${backend.name}", or compare it with the interpreter (\`backend: "cpu"\`)`,
  });

/** Returns a value that is not what the contract says, in a few words. */
export function described(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (value instanceof Promise) return "a promise";
  if (typeof value === "object")
    return value.constructor?.name === "Object"
      ? "an object"
      : withArticle(value.constructor?.name ?? "value");
  return `a ${typeof value}`;
}

/** Refuses options in place of a backend. @throws SconceError `INVALID_ARGUMENT` */
export function requireBackend(value: object | null): void {
  const { supports, compile } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (typeof supports === "function" || typeof compile === "function") return;
  throw new SconceError({
    code: "INVALID_ARGUMENT",
    message: `the backend of compile is ${described(value)} without \`supports\` and \`compile\``,
    fix: 'give a name, compile(program, "cpu"), or a backend; options come after it',
  });
}

/** Refuses what is not a tensor. @throws SconceError `INVALID_ARGUMENT` */
export function requireTensor(value: unknown): asserts value is Tensor {
  if (value instanceof Tensor) return;
  throw new SconceError({
    code: "INVALID_ARGUMENT",
    message: `toDevice was given ${described(value)}, not a tensor`,
    fix: "give a tensor: await executable.toDevice(x)",
  });
}

/** Refuses a tensor in place of the list of inputs. @throws SconceError `INVALID_ARGUMENT` */
export function requireInputs(value: unknown): void {
  if (Array.isArray(value)) return;
  throw new SconceError({
    code: "INVALID_ARGUMENT",
    message: `the inputs of run are ${described(value)}, not an array`,
    fix: "give an array with one value for each input: run([x])",
  });
}

/** Returns the error when the session has no backend at all, so none is the default. */
export const noBackend = (): SconceError =>
  new SconceError({
    code: "UNKNOWN_BACKEND",
    message: "the session has no backend",
    fix: "give createSconce at least one: createSconce({ services: { backends: [backend] } })",
  });

/**
 * Returns the error for a backend name that is not registered. For names of Sconce's packages the
 * fix installs and registers the backend; `gpujs:MODE` counts as `gpujs`.
 */
export function unknownBackend(name: string, registered: Iterable<string>): SconceError {
  const names = [...registered];
  const kind = name.split(":")[0]!;
  const other = OTHER_NAMES.get(kind.toLowerCase());
  if (other !== undefined) {
    const message = `unknown backend "${name}"; the backend for GPUs is "${other}"`;
    const fix = names.includes(other) ? `use the name "${other}"` : registration(other, names);
    return new SconceError({ code: "UNKNOWN_BACKEND", message, fix });
  }
  if (isKnownBackend(name)) {
    const message = `the backend "${name}" is not registered`;
    return new SconceError({ code: "UNKNOWN_BACKEND", message, fix: registration(name, names) });
  }
  return new SconceError({
    code: "UNKNOWN_BACKEND",
    message: `unknown backend "${name}"`,
    ...misspelled(name, names, `the backends are: ${names.join(", ") || "none"}`),
  });
}

/** Returns the error for a name such as `gpujs:cpu:1`, whose first part alone is a backend. */
export const unknownVariant = (name: string, names: string): SconceError =>
  new SconceError({
    code: "UNKNOWN_BACKEND",
    message: `unknown backend "${name}"`,
    fix: `the names are: ${names}`,
  });

/** Returns the error when the package of a backend cannot be imported. */
export const backendNotInstalled = (name: string, install: string, cause: unknown): SconceError =>
  new SconceError({
    code: "UNKNOWN_BACKEND",
    message: `the package of the backend "${name}" cannot be loaded: ${thrownText(cause)}`,
    fix: `run \`${install}\``,
    cause,
  });

/** Returns how to register a backend of Sconce's packages, in Node and in pages. */
function registration(name: string, names: readonly string[]): string {
  const [kind = name, mode] = name.split(":");
  const maker = `${kind === AUTO ? WASM : kind}Backend`;
  const made = `${maker}(${mode === undefined ? "" : `{ mode: "${mode}" }`})`;
  const from = kind === "cpu" ? "sconce" : `sconce/${kind === AUTO ? WASM : kind}`;
  return (
    `register it, with \`${maker}\` of ${from}: \`createSconce({ backends: [${made}] })\`; ` +
    `registered are: ${names.join(", ") || "none"}`
  );
}
