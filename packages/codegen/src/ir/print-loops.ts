/** @file The text form of loop programs. */
import { dtypeInfo } from "@sconce/tensor";
import type { LoopBuffer, LoopNest, LoopOutput, LoopProgram } from "./loop-program.js";
import { scalarText } from "./scalar-text.js";

const typeText = ({ dtype, shape }: Pick<LoopBuffer, "dtype" | "shape">): string =>
  `${dtypeInfo(dtype).abbreviation}[${shape.map(({ text }) => text).join(", ")}]`;

/**
 * Prints a loop program: its inputs, then each nest with its axes, the nodes that it computes and
 * the expression of an element, then the outputs. `b3` is a buffer, `i0` an axis of a nest, `r0` an
 * axis of a reduction.
 */
export function printLoops(program: LoopProgram): string {
  const inputs = program.buffers.filter(({ kind }) => kind === "input");
  const lines = inputs.map((buffer) => `input b${buffer.id}: ${typeText(buffer)}  # ${buffer.node}`);
  for (const nest of program.nests) lines.push("", ...nestLines(nest, program.buffers[nest.output]!));
  lines.push("", `output ${program.outputs.map((output) => outputText(output, program)).join(", ")}`);
  return `${lines.join("\n").trimStart()}\n`;
}

/** Prints one nest, as {@link printLoops} does. */
export const printNest = (nest: LoopNest, { buffers }: LoopProgram): string =>
  nestLines(nest, buffers[nest.output]!).join("\n");

function nestLines(nest: LoopNest, output: LoopBuffer): string[] {
  const group = nest.group === undefined ? "" : `  in ${nest.group}`;
  const axes = nest.axes.map(({ name, extent }) => `${name} < ${extent.text}`).join(", ");
  const head = nest.axes.length === 0 ? "cell" : `for ${axes}`;
  return [
    `nest ${nest.id} -> b${output.id}: ${typeText(output)}${group}  # ${nest.nodes.join(", ")}`,
    `  ${head}`,
    `    ${scalarText(nest.value)}`,
  ];
}
function outputText(output: LoopOutput, { buffers }: LoopProgram): string {
  if (output.kind === "buffer") {
    const { dtype } = buffers[output.buffer]!;
    return `b${output.buffer}: ${typeText({ dtype, shape: output.shape })}`;
  }
  return output.kind === "size" ? `size ${String(output.value)}` : String(output.value);
}
