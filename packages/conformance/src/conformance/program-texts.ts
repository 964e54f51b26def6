/** @file Comparisons of programs by their texts. */
import type { ExportedProgram } from "@sconce/ir";
import { parseIr, printIr, tensorsOf } from "@sconce/ir/text";

/** Sconce IR text reads back to the same program. */
export function roundTrip(program: ExportedProgram): string | undefined {
  const text = printIr(program);
  const again = parseIr(text, { tensors: tensorsOf(program) });
  // A comment lists sample inputs of unregistered types; they cannot be read back.
  const stated = text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("//"))
    .join("\n");
  return firstDifference(printIr(again), stated) ?? firstDifference(String(again), String(program));
}

export function signatureDifference(got: ExportedProgram, want: ExportedProgram): string | undefined {
  const describe = (program: ExportedProgram): string =>
    program.graphSignature.outputSpecs.map((spec) => `${spec.kind} ${spec.target ?? ""}`).join(", ");
  return describe(got) === describe(want)
    ? undefined
    : `outputs are ${describe(got)} instead of ${describe(want)}`;
}

/** PyTorch repeats a guard that it has forgotten to have; each counts once. */
export function guardsDifference(got: readonly string[], want: readonly string[]): string | undefined {
  const distinct = (guards: readonly string[]): string => [...new Set(guards)].join("\n");
  return firstDifference(distinct(got), distinct(want));
}

export function firstDifference(got: string, want: string): string | undefined {
  if (got === want) return undefined;
  const [a, b] = [got.split("\n"), want.split("\n")];
  const line = a.findIndex((text, i) => text !== b[i]);
  const at = line === -1 ? a.length : line;
  return `line ${at + 1}: got ${JSON.stringify(a[at] ?? "<end>")}, wanted ${JSON.stringify(b[at] ?? "<end>")}`;
}
