/** @file What a run says of itself: times, kernels, memory. */
import type { Executable, ExecutionPlan, KernelReport, NodeProfile, Placement } from "@sconce/ir";
import { groupsAround } from "./details.js";
import type { Lifetimes } from "./lifetimes.js";
import type { KernelView, MemoryView, ProfileRow, ProfileView } from "./protocol.js";
import type { Version } from "./versions.js";

/** Runs are timed until they took this long together, in milliseconds, or were so many. */
const TIMED_FOR = 200;
const MOST_RUNS = 50;

/**
 * Times nodes or kernels: the means of several runs, because clocks of pages count in steps that
 * are longer than many kernels.
 */
export async function meanProfile(
  executable: Executable,
  run: () => Promise<unknown>,
): Promise<NodeProfile[]> {
  let sums: NodeProfile[] = [];
  let runs = 0;
  for (const start = performance.now(); runs < MOST_RUNS && performance.now() - start < TIMED_FOR; runs++) {
    await run();
    const rows = executable.profile?.() ?? [];
    // Values may lead to other kernels: the last of such runs is shown.
    const isSame = rows.length === sums.length && rows.every(({ node }, at) => node === sums[at]!.node);
    if (!isSame) runs = 0;
    sums = rows.map((row, at) => ({
      ...row,
      milliseconds: row.milliseconds + (isSame ? sums[at]!.milliseconds : 0),
    }));
  }
  return sums.map((row) => ({ ...row, milliseconds: row.milliseconds / Math.max(1, runs) }));
}

/** Returns what is known of an executable that ran. */
export function profileParts(
  version: Version,
  executable: Executable,
  profile: readonly NodeProfile[],
): Pick<ProfileView, "rows" | "plan" | "memory"> {
  const find = itemFinder(version, executable.placement?.());
  const plan = executable.executionPlan?.();
  // The kernels of a plan come in the order in which they ran.
  const ran = profile.filter(({ place }) => place === "device").length;
  let kernel = 0;
  const rows = profile.map(({ node, target, milliseconds, place }): ProfileRow => {
    const at = place === "device" && ran === plan?.kernels.length ? kernel++ : undefined;
    const parts = node.split(", ").map(find);
    // What is fused with a product, a convolution or attention takes little.
    const main = parts.find((part) => isContraction(part.target)) ?? parts.at(-1)!;
    const calls = parts.map(({ key, name }) => ({ key, node: name }));
    const known = new Map(calls.map((call) => [call.node, call]));
    const own = parts.length === 1 ? target : main.target;
    return {
      nodes: [...known.values()],
      key: main.key,
      target: own,
      milliseconds,
      place,
      modules: main.modules,
      kernel: at,
    };
  });
  return {
    rows,
    plan: plan && { kernels: plan.kernels.map(kernelView) },
    memory: plan && plannedMemory(plan, find),
  };
}

/** A call of the prepared program, by its name in the shown version where it comes from there. */
interface FoundCall {
  readonly key: string | undefined;
  readonly name: string;
  readonly target: string;
  readonly modules: readonly string[];
}
type Find = (node: string) => FoundCall;

const isContraction = (target: string): boolean =>
  /^aten\.(?:convolution|addmm|mm|bmm|baddbmm|\w*scaled_dot_product\w*)\./.test(target);

/** Finds the calls of the version that nodes of the program as prepared for the backend are. */
function itemFinder(version: Version, placement: Placement | undefined): Find {
  const placed = new Map(placement?.nodes.map((one) => [one.node, one]));
  const { items } = version.hierarchy();
  return (node) => {
    const { source, target } = placed.get(node) ?? { source: node, target: "" };
    const key = source === undefined ? undefined : version.keyOf("", source);
    const item = key === undefined ? undefined : version.item(key);
    const groups = item === undefined ? [] : groupsAround(items, item);
    return { key, name: source ?? node, target, modules: groups.map((group) => version.item(group)!.title) };
  };
}

const kernelView = ({ language, source, loops, flops, bytes }: KernelReport): KernelView => ({
  language,
  source,
  loops,
  flops,
  bytes,
});

const plannedMemory = ({ kernels, values, pieces }: ExecutionPlan, find: Find): MemoryView => ({
  kind: "plan",
  steps: kernels.length,
  values: values.map(({ node, ...place }) => ({ ...place, node, key: find(node).key })),
  pieces,
});

/** Returns the values of a run on the interpreter, for the page. */
export function keptMemory(version: Version, { calls, values }: Lifetimes): MemoryView {
  const height = values.reduce((most, { offset, bytes }) => Math.max(most, offset + bytes), 0);
  const withKeys = values.map((value) => ({ ...value, key: version.keyOf("", value.node) }));
  return { kind: "lifetimes", steps: calls, values: withKeys, pieces: [height] };
}
