/** @file The guards of a program as PyTorch writes them (`_convert_guards_to_code`). */
import { printGuardExpr } from "@sconce/symbolic/print-guard";
import type { FakeInputs } from "./fake-inputs.js";

/**
 * Returns the conditions on the inputs that the trace recorded, in order:
 * `(L['x'].size()[0] % 2) == 0`. Those of symbols that no input gives are left out.
 */
export function guardsCode({ env, sources }: FakeInputs): readonly string[] {
  const sourceOf = (name: string): string | undefined => {
    const list = sources.get(name);
    return list?.every(({ kind }) => kind !== "dim") === true ? list[0]!.name : undefined;
  };
  return env.guards.flatMap((guard) => printGuardExpr(guard, sourceOf) ?? []);
}
