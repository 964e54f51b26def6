import { readableLines } from "../print-torch/readable.js";
import type { ExportedProgramInit, RangeConstraint } from "./program-parts.js";
import type { GraphSignature } from "./signature.js";

const INDENT = "    ";

/** `str(exported_program)`, byte for byte. */
export function programText(
  program: Pick<ExportedProgramInit, "graph" | "graphSignature" | "rangeConstraints">,
): string {
  // PyTorch indents every line, empty ones and the one after the last newline too.
  const code = readableLines(program.graph, {}, INDENT).join("\n");
  const signature = signatureText(program.graphSignature).replaceAll("\n", `\n${INDENT}`);
  const ranges = rangeConstraintsText(program.rangeConstraints);
  return `ExportedProgram:\n${code}\n${INDENT}\nGraph signature:${signature}\nRange constraints: ${ranges}\n`;
}

/** `str(graph_signature)`. Starts and ends with a newline. */
export function signatureText(signature: GraphSignature): string {
  const inputs = signature.inputSpecs.map((spec) => {
    const persistent = spec.persistent === null ? "" : ` persistent=${spec.persistent ? "True" : "False"}`;
    return `${spec.arg.name}: ${spec.kind}${targetText(spec.target)}${persistent}`;
  });
  const outputs = signature.outputSpecs.map(
    (spec) => `${spec.arg.name}: ${spec.kind}${targetText(spec.target)}`,
  );
  return `\n# inputs\n${inputs.join("\n")}\n\n# outputs\n${outputs.join("\n")}\n`;
}

const targetText = (target: string | null): string => (target === null ? "" : ` target='${target}'`);

/** `str(range_constraints)`: `{s77: VR[2, 64], s17: VR[2, int_oo]}`. */
export function rangeConstraintsText(ranges: ReadonlyMap<string, RangeConstraint>): string {
  const parts: string[] = [];
  for (const [expr, range] of ranges) {
    parts.push(`${expr}: VR${rangeText(range)}`);
  }
  return `{${parts.join(", ")}}`;
}

/** Returns the bounds of a range as PyTorch writes them: `[2, int_oo]`. */
export function rangeText(range: RangeConstraint): string {
  const min = range.exact?.min ?? boundText(range.min, range);
  const max = range.exact?.max ?? boundText(range.max, range);
  return `[${min}, ${max}]`;
}

function boundText(value: number, range: RangeConstraint): string {
  const infinity = range.float === true ? "oo" : "int_oo";
  if (value === Infinity) return infinity;
  if (value === -Infinity) return `-${infinity}`;
  return range.float === true || !Number.isInteger(value) ? String(value) : BigInt(value).toString();
}
