import { inNode, SconceError } from "@sconce/errors";
import type { Problem } from "@sconce/ir";

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
