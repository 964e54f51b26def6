/**
 * @file Prints a lowered program: its regions as loops, and the calls that have no lowering.
 */
import { nodeText } from "@sconce/ir";
import { CALL_REGION } from "@sconce/passes";
import { printLoops } from "../ir/print-loops.js";
import type { LoweredProgram } from "./lower-program.js";

/**
 * Prints the loops of each region under its name, in the order in which the program calls them, and
 * the other calls between.
 */
export function printLoweredProgram({ program, regions, left }: LoweredProgram): string {
  if (regions.length === 1 && left.length === 0) return printLoops(regions[0]!.loops);
  const reasons = new Map(left.map(({ node, reason }) => [node, reason]));
  const byName = new Map(regions.map((region) => [region.name, region]));
  const blocks: string[] = [];
  for (const node of program.graph.nodes()) {
    const name = node.args[1];
    const region = typeof name === "string" ? byName.get(name) : undefined;
    if (node.op === "call_function" && region !== undefined && node.target === CALL_REGION)
      blocks.push(`region ${region.name}\n${indented(printLoops(region.loops))}`);
    else if (reasons.has(node.name))
      blocks.push(
        `host ${nodeText(node, program.graph.users(node.name).length)}  # ${reasons.get(node.name)}\n`,
      );
  }
  return blocks.join("\n");
}
const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");
