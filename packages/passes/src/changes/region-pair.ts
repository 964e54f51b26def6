/** @file A changed region as two programs with the same inputs and results. */
import { type ExportedProgram, GraphBuilder, type MetaValue, type Node, ref, tuple } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { mapInputs } from "@sconce/trace";
import { programOfGraph } from "../regions/region-program.js";
import type { ChangedRegion, RegionSide } from "./changed-regions.js";

/** One input of a region. */
export interface PairInput {
  readonly name: string;
  readonly val: MetaValue | undefined;
  /** The value of a parameter, buffer or constant. */
  readonly fixed: Tensor | undefined;
  /** Whether only one version reads it: a constant that the change made or dropped. */
  readonly isOwn: boolean;
}

/** Two programs of flat user inputs and results, which have to agree. */
export interface RegionPair {
  readonly before: ExportedProgram;
  readonly after: ExportedProgram;
  readonly inputs: readonly PairInput[];
}

/** The programs that a region is cut from, and whether it lies in their own graphs. */
export interface RegionSource {
  readonly before: ExportedProgram;
  readonly after: ExportedProgram;
  readonly isNested: boolean;
}

export function regionPair(region: ChangedRegion, source: RegionSource): RegionPair {
  const taken = new Set([...region.before.nodes, ...region.after.nodes].map(({ name }) => name));
  const fresh = (name: string): string => {
    let candidate = name;
    for (let i = 1; taken.has(candidate); i++) candidate = `${name}_in${i}`;
    taken.add(candidate);
    return candidate;
  };
  const inputs: PairInput[] = [];
  const [before, after] = [new Map<string, string>(), new Map<string, string>()];
  for (const input of region.inputs) {
    const name = fresh(input.before);
    const { val } = region.before.graph.node(input.before).meta;
    inputs.push({ name, val, fixed: constantOf(source, "before", input.before), isOwn: false });
    for (const one of input.names.before) before.set(one, name);
    for (const one of input.names.after) after.set(one, name);
  }
  for (const [side, names] of [
    ["before", before],
    ["after", after],
  ] as const)
    for (const own of region[side].own) {
      const name = fresh(own);
      const { val } = region[side].graph.node(own).meta;
      inputs.push({ name, val, fixed: constantOf(source, side, own), isOwn: true });
      names.set(own, name);
    }
  return {
    before: sideProgram(source.before, region.before, before, inputs),
    after: sideProgram(source.after, region.after, after, inputs),
    inputs,
  };
}

function constantOf(
  { isNested, ...programs }: RegionSource,
  side: "before" | "after",
  name: string,
): Tensor | undefined {
  if (isNested) return undefined;
  const program = programs[side];
  const spec = program.graphSignature.inputSpecs.find(({ arg }) => arg.name === name);
  return spec?.target == null ? undefined : program.tensor(spec.target);
}

function sideProgram(
  program: ExportedProgram,
  side: RegionSide,
  names: ReadonlyMap<string, string>,
  inputs: readonly PairInput[],
): ExportedProgram {
  const builder = new GraphBuilder({ unknownTargets: "allow" });
  for (const { name, val } of inputs) builder.placeholder(name, val === undefined ? {} : { val });
  const renamed = (name: string): string => names.get(name) ?? name;
  for (const node of side.nodes) {
    const nested = node.op === "get_attr" ? side.graph.subgraphs.get(node.target) : undefined;
    if (nested !== undefined) builder.subgraph(node.target, nested);
    builder.add(withInputs(node, renamed));
  }
  builder.output(tuple(side.results.map((name) => ref(renamed(name)))));
  return programOfGraph(program, builder.build());
}

const withInputs = (node: Node, renamed: (name: string) => string): Node =>
  mapInputs(node, (input) => ref(renamed(input.name)));
