/** @file What loops a program becomes, and what they cost. */
import {
  costOf,
  LOOP_PIPELINE,
  type LoopProgram,
  type LoweredRegion,
  lowerProgram,
  planMemory,
} from "@sconce/codegen";
import type { ExportedProgram } from "@sconce/ir";
import type { Sconce } from "sconce";

export interface NestFacts {
  readonly nest: number;
  readonly nodes: readonly string[];
  readonly shape: string;
  readonly flops: number;
  readonly bytes: number;
  readonly group: string | null;
}
export interface RegionFacts {
  readonly region: string;
  readonly nests: readonly NestFacts[];
  readonly flops: number;
  readonly bytes: number;
  readonly peakBytes: number;
  readonly liveBytes: number;
}
export interface LoopFacts {
  /** Calls of the lowered program, from which the nests are made. */
  readonly calls: number;
  readonly kernels: number;
  readonly regions: readonly RegionFacts[];
  readonly host: readonly { readonly node: string; readonly target: string; readonly reason: string }[];
  /** Values of the symbols that the figures are for: the file's example sizes. */
  readonly sizes: Readonly<Record<string, number>>;
}

/** @throws SconceError `SYM_UNBOUND` where a size has no example */
export function loopFactsOf(program: ExportedProgram, session: Sconce): LoopFacts {
  const prepared = session.transform(program, LOOP_PIPELINE);
  const { regions, left } = lowerProgram(prepared, { operators: session.operators });
  const sizes = prepared.symbolHints;
  return {
    calls: prepared.graph.nodes().filter(({ op }) => op === "call_function").length,
    kernels: regions.reduce((total, { loops }) => total + loops.nests.length, 0),
    regions: regions.map((region) => regionFacts(region, sizes)),
    host: left,
    sizes: Object.fromEntries(sizes),
  };
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

const amount = (value: number, unit: string): string => {
  const scaled = [1e9, 1e6, 1e3].find((step) => value >= step);
  if (scaled === undefined) return `${value} ${unit}`;
  return `${(value / scaled).toFixed(2)} ${{ 1e9: "G", 1e6: "M", 1e3: "k" }[scaled]}${unit}`;
};

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Lines for people. */
export function loopLines({ calls, kernels, regions, host, sizes }: LoopFacts): string[] {
  const at = Object.entries(sizes).map(([name, value]) => `${name}=${value}`);
  const lines = [
    `loops: ${counted(kernels, "nest")} for ${counted(calls, "call")}${at.length > 0 ? `, at ${at.join(", ")}` : ""}`,
  ];
  for (const { region, nests, flops, bytes, peakBytes, liveBytes } of regions) {
    const ratio = liveBytes === 0 ? 1 : peakBytes / liveBytes;
    lines.push(
      `  ${region}: ${counted(nests.length, "nest")}, ${amount(flops, "flop")}, ${amount(bytes, "B")} read and written, ` +
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
