import { type ExportedProgram, withLine } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { notFunctional } from "./errors.js";
import { functionality, type Impurity } from "./functional.js";

/**
 * @throws SconceError `NOT_FUNCTIONAL` naming the first node that writes, what it writes to, and
 * what to do
 */
export function requireFunctional(program: ExportedProgram, operators: OperatorTable, who?: string): void {
  const { impurities } = functionality(program, operators);
  if (impurities.length === 0) return;
  const [{ node, path, reason, fix, line }, ...more] = impurities as readonly [Impurity, ...Impurity[]];
  const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
  const what = who === undefined ? "the program is not functional" : `${who} needs a functional program`;
  throw notFunctional(`${what}: ${reason}${rest}`, withLine([...path, `%${node}`].join("."), line), fix);
}
