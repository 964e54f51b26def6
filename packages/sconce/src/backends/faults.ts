/** @file Every error about what a backend did wrong. */
import { isSconceError, SconceError, thrownText } from "@sconce/errors";

/** Names a backend, and the plugin that it comes from, in errors. */
export interface BackendLabel {
  readonly name: string;
  readonly plugin: string | undefined;
}

export const labelOf = ({ name, plugin }: BackendLabel): string =>
  `the backend "${name}"${plugin === undefined ? "" : ` of plugin "${plugin}"`}`;

/** A backend did something that the contract of `Backend` and `Executable` rules out. */
export const backendFault = (
  backend: BackendLabel,
  does: string,
  more: { readonly where?: string; readonly cause?: unknown } = {},
): SconceError =>
  new SconceError({
    code: "PLUGIN_FAILED",
    message: `${labelOf(backend)} ${does}`,
    ...more,
    fix: `correct the backend "${backend.name}"; the contract is in docs/concepts/backends.md`,
  });

/** What a backend threw. Its typed errors pass as they are. */
export const backendThrew = (backend: BackendLabel, error: unknown): SconceError =>
  isSconceError(error) ? error : backendFault(backend, `threw: ${thrownText(error)}`, { cause: error });

/** An output or state that is not what the program says. */
export const wrongOutput = (backend: BackendLabel, what: string, where?: string): SconceError =>
  new SconceError({
    code: "BACKEND_OUTPUT",
    message: `${labelOf(backend)} returned ${what}`,
    where,
    fix: `correct the backend "${backend.name}", or compare it with the interpreter (\`backend: "cpu"\`)`,
  });

/** A value that is not what the contract says, in a few words. */
export function described(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (value instanceof Promise) return "a promise";
  if (typeof value === "object")
    return value.constructor?.name === "Object" ? "an object" : `a ${value.constructor?.name ?? "value"}`;
  return `a ${typeof value}`;
}
