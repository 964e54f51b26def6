/** @file Pointwise calls on values at the edges of their dtypes, held against the interpreter. */
import type { Sconce } from "sconce";
import { EdgeChecker, edgeCalls } from "sconce/testing";

export interface EdgesReport {
  /** Calls that ran on the device. */
  readonly ran: number;
  readonly differences: readonly string[];
}

/**
 * @param mayFlush whether subnormal numbers may count as zeros, as they may in shaders
 * @param every which calls to compare: each so manyth
 */
export async function runEdges(
  { backends, operators }: Sconce,
  mayFlush: boolean,
  every: number,
): Promise<EdgesReport> {
  const checker = new EdgeChecker(backends.get("gpujs")!, backends.get("cpu")!, operators, mayFlush);
  let ran = 0;
  const differences: string[] = [];
  for (const [at, call] of [...edgeCalls()].entries()) {
    if (at % every !== 0) continue;
    const report = await checker.check(call);
    if (report.ran) ran++;
    differences.push(...report.differences.map((difference) => `${call.name} (${difference})`));
  }
  return { ran, differences };
}
