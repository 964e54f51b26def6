import { countText, SconceError } from "@sconce/errors";

/** A call that no module can hold, and why. */
export interface Unbuilt {
  readonly node: string;
  readonly target: string;
  readonly reason: string;
}

/** Returns the error for calls that cannot be built; it names all of them. */
export function notBuilt(calls: readonly Unbuilt[]): SconceError {
  const [first, ...others] = calls;
  const line = ({ node, target, reason }: Unbuilt): string => `%${node} (${target}): ${reason}`;
  const more =
    others.length === 0
      ? ""
      : `, and ${countText(others.length, "other call")}: ${others.map(line).join("; ")}`;
  return new SconceError({
    code: "BUILD_UNSUPPORTED",
    message: `the program cannot be built: ${line(first!)}${more}`,
    where: `%${first!.node}`,
    fix: 'run the program with Sconce instead (`createSconce().compile(program, "wasm")`), or change these calls: a pass may replace them',
  });
}

/** Returns the error for a program that the backend `wasm` leaves to the interpreter as a whole. */
export const notLowered = (reason: string): SconceError =>
  new SconceError({
    code: "BUILD_UNSUPPORTED",
    message: `the program cannot be built: ${reason}`,
    fix: 'run the program with Sconce instead: `createSconce().compile(program, "cpu")`',
  });

const REWRITE =
  "give the program sizes that a module can compute: sums, products, quotients and the like of the sizes of its inputs";

/** Returns the error for a size that no module computes. */
export const sizeNotWritten = (expr: string): SconceError =>
  new SconceError({
    code: "BUILD_UNSUPPORTED",
    message: `the program cannot be built: no module computes the size ${expr}`,
    fix: REWRITE,
  });

/** Returns the error for a guard that no module checks. */
export const guardNotWritten = (text: string): SconceError =>
  new SconceError({
    code: "BUILD_UNSUPPORTED",
    message: `the program cannot be built: no module checks the guard ${text}`,
    fix: REWRITE,
  });

/** Returns the error for a program with calls of the interpreter, without what bundles kernels. */
export const bundlerMissing = (reason: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "BUNDLER_MISSING",
    message: `the program calls kernels of the interpreter, which the package esbuild bundles, and it does not load: ${reason}`,
    fix: "npm install --save-dev esbuild, and build the module in Node",
    cause,
  });
