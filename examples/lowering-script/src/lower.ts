/**
 * @file Lowers a program for a custom device: keeps some operators, replaces one, and reports the
 * changes.
 */
import type { DecompositionTable, ExportedProgram, FakeTensor, Sconce } from "sconce";
import { openPt2File } from "sconce/node";

/** Operators that the device runs whole. */
export const KEPT: readonly string[] = ["aten.conv2d.default", "aten.linear.default"];

/** PyTorch's table, without what is kept, and with `relu` as the device has it. */
function deviceTable(sconce: Sconce): DecompositionTable {
  const table = sconce.defaultDecompositions();
  for (const target of KEPT) table.delete(target);
  table.set("aten.relu.default", (emit, { self }) => emit("aten.clamp.default", [self as FakeTensor, 0]));
  return table;
}

/**
 * How often an operator is called as exported, after PyTorch's lowering, and after the device's.
 */
export interface Row {
  readonly target: string;
  readonly exported: number;
  readonly plain: number;
  readonly device: number;
}

export interface Lowered {
  readonly program: ExportedProgram;
  readonly rows: readonly Row[];
}

/** Lowers a program for the device, and for comparison as PyTorch does. */
export function lower(sconce: Sconce, exported: ExportedProgram): Lowered {
  const program = sconce.runDecompositions(exported, deviceTable(sconce));
  const counts = [exported, sconce.runDecompositions(exported), program].map((one) => one.opHistogram());
  const targets = [...new Set(counts.flatMap((count) => [...count.keys()]))].sort();
  const rows = targets.map((target): Row => {
    const [before = 0, plain = 0, device = 0] = counts.map((count) => count.get(target) ?? 0);
    return { target, exported: before, plain, device };
  });
  return { program, rows };
}

/** The rows in which anything changed, as a table. */
export function report(rows: readonly Row[]): string[] {
  const changed = rows.filter(({ exported, plain, device }) => exported !== plain || plain !== device);
  const table = [["operator", "exported", "PyTorch's lowering", "the device's"]].concat(
    changed.map(({ target, ...counts }) => [target, ...Object.values(counts).map(String)]),
  );
  const widths = table[0]!.map((_, i) => Math.max(...table.map((row) => row[i]!.length)));
  return table.map((row) =>
    row
      .map((text, i) => text.padEnd(widths[i]!))
      .join("  ")
      .trimEnd(),
  );
}

export function openDigits({ operators }: Sconce): Promise<ExportedProgram> {
  const file = new URL(import.meta.resolve("sconce/examples/digits.pt2"));
  return openPt2File(file, { operators });
}
