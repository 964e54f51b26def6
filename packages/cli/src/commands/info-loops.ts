/** @file What loops a program becomes, and what they cost. */
import {
  assumedSizes,
  bindNest,
  costOf,
  type LoopProgram,
  type LoweredRegion,
  planMemory,
  rowGroups,
} from "@sconce/codegen";
import { amount, countText } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import type { Sconce } from "@sconce/session";
import { loopsOf } from "./loops.js";

interface NestFacts {
  readonly nest: number;
  readonly nodes: readonly string[];
  readonly shape: string;
  readonly flops: number;
  readonly bytes: number;
  readonly group: string | null;
}
interface RegionFacts {
  readonly region: string;
  readonly nests: readonly NestFacts[];
  readonly flops: number;
  readonly bytes: number;
  readonly peakBytes: number;
  readonly liveBytes: number;
}
interface LoopFacts {
  /** Calls of the lowered program, from which the nests are made. */
  readonly calls: number;
  /** One for each nest. */
  readonly kernels: number;
  /** What is left of them where nests over the same rows become one, as on WebGPU. */
  readonly rowKernels: number;
  readonly regions: readonly RegionFacts[];
  readonly host: readonly { readonly node: string; readonly target: string; readonly reason: string }[];
  /**
   * Values of the symbols that the figures are for: the file's example sizes, and what is assumed
   * for others.
   */
  readonly sizes: Readonly<Record<string, number>>;
  /** The symbols of `sizes` that have no example: only the data of a run decide them. */
  readonly assumed: readonly string[];
}

/**
 * Returns the program as loops, with costs at the example sizes; a size without an example is taken
 * as 64, or as the nearest end of its range.
 */
function loopFactsOf(program: ExportedProgram, session: Sconce): LoopFacts {
  const { prepared, lowered } = loopsOf(program, session);
  const { regions, left } = lowered;
  const assumed = assumedSizes(prepared);
  const sizes = new Map([...prepared.symbolHints, ...assumed]);
  return {
    calls: prepared.graph.calls().length,
    kernels: regions.reduce((total, { loops }) => total + loops.nests.length, 0),
    rowKernels: regions.reduce((total, { loops }) => total + rowKernelsOf(loops, sizes), 0),
    regions: regions.map((region) => regionFacts(region, sizes)),
    host: left,
    sizes: Object.fromEntries(sizes),
    assumed: [...assumed.keys()],
  };
}

function rowKernelsOf(loops: LoopProgram, sizes: ReadonlyMap<string, number>): number {
  const bound = loops.nests.map((nest) => bindNest(nest, sizes));
  return rowGroups(bound, loops).reduce((left, { parts }) => left - parts.length + 1, bound.length);
}

function regionFacts({ name, loops }: LoweredRegion, sizes: ReadonlyMap<string, number>): RegionFacts {
  const nests = loops.nests.map((nest): NestFacts => {
    const { flops, bytes } = costOf(loops, nest, sizes);
    return {
      nest: nest.id,
      nodes: nest.nodes,
      shape: shapeText(loops, nest.output),
      flops,
      bytes,
      group: nest.group ?? null,
    };
  });
  const { peakBytes, liveBytes } = planMemory(loops, { sizes });
  const total = (key: "flops" | "bytes"): number => nests.reduce((sum, nest) => sum + nest[key], 0);
  return { region: name, nests, flops: total("flops"), bytes: total("bytes"), peakBytes, liveBytes };
}
const shapeText = ({ buffers }: LoopProgram, id: number): string =>
  `[${buffers[id]!.shape.map(({ text }) => text).join(", ")}]`;

/** Returns what `info` shows of the loops: the facts, and lines for people. */
export function loopsShown(
  program: ExportedProgram,
  session: Sconce,
): { readonly facts: LoopFacts; readonly lines: readonly string[] } {
  const facts = loopFactsOf(program, session);
  return { facts, lines: loopLines(facts) };
}

function loopLines(facts: LoopFacts): string[] {
  const { calls, kernels, rowKernels, regions, host, sizes, assumed } = facts;
  const at = Object.entries(sizes).map(
    ([name, value]) => `${name}=${value}${assumed.includes(name) ? " (assumed)" : ""}`,
  );
  const joined =
    rowKernels === kernels
      ? ""
      : ` (${countText(rowKernels, "kernel")} where those over the same rows are one)`;
  const lines = [
    `loops: ${countText(kernels, "nest")}${joined} for ${countText(calls, "call")}${at.length > 0 ? `, at ${at.join(", ")}` : ""}`,
  ];
  for (const { region, nests, flops, bytes, peakBytes, liveBytes } of regions) {
    const ratio = liveBytes === 0 ? 1 : peakBytes / liveBytes;
    lines.push(
      `  ${region}: ${countText(nests.length, "nest")}, ${amount(flops, "flop")}, ${amount(bytes, "B")} read and written, ` +
        `${amount(peakBytes, "B")} of memory planned, ${ratio.toFixed(3)} times what is alive at once`,
    );
    for (const nest of nests) lines.push(`    ${nestLine(nest)}`);
  }
  if (host.length > 0)
    lines.push(
      "  left to the interpreter:",
      ...host.map(({ node, target, reason }) => `    ${node} (${target}): ${reason}`),
    );
  return lines;
}
const nestLine = ({ nest, nodes, shape, flops, bytes, group }: NestFacts): string =>
  [`${nest}`.padStart(3), shape, amount(flops, "flop"), amount(bytes, "B"), group, `# ${nodes.join(", ")}`]
    .filter((part) => part !== null)
    .join("  ");
