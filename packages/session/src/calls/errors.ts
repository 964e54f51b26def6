import { editOf, nearestEdit, SconceError } from "@sconce/errors";

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
