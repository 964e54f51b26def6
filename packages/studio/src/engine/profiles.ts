/** @file What a run says of itself: times, kernels, memory. */
import type { Executable, ExecutionPlan, NodeProfile, Placement } from "@sconce/ir";
import { groupsAround } from "./details.js";
import type { KernelView, PlanView, ProfileRow } from "./protocol.js";
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

/** What is known of an executable that ran. */
export function profileParts(
  version: Version,
  executable: Executable,
  profile: readonly NodeProfile[],
): { readonly rows: readonly ProfileRow[]; readonly plan: PlanView | undefined } {
  const find = itemFinder(version, executable.placement?.());
  const plan = executable.executionPlan?.();
  // The kernels of a plan come in the order in which they ran.
  const ran = profile.filter(({ place }) => place === "device").length;
  let kernel = 0;
  const rows = profile.map(({ node, target, milliseconds, place }): ProfileRow => {
    const at = place === "device" && ran === plan?.kernels.length ? kernel++ : undefined;
    const { key, modules } = find(node.split(", ").at(-1)!);
    return { key, node, target, milliseconds, place, modules, kernel: at };
  });
  return { rows, plan: plan && planView(plan, find) };
}

type Find = (node: string) => { readonly key: string | undefined; readonly modules: readonly string[] };

/**
 * Finds the item of a node of the program as prepared for the backend, and the modules around it.
 */
function itemFinder(version: Version, placement: Placement | undefined): Find {
  const sources = new Map(placement?.nodes.map(({ node, source }) => [node, source]));
  const { items } = version.hierarchy();
  return (node) => {
    const source = sources.has(node) ? sources.get(node) : node;
    const key = source === undefined ? undefined : version.keyOf("", source);
    const item = key === undefined ? undefined : version.item(key);
    return {
      key,
      modules: item === undefined ? [] : groupsAround(items, item).map((group) => version.item(group)!.title),
    };
  };
}

function planView({ kernels, values, pieces }: ExecutionPlan, find: Find): PlanView {
  return {
    kernels: kernels.map(
      ({ language, source, loops, flops, bytes }): KernelView => ({ language, source, loops, flops, bytes }),
    ),
    values: values.map(({ node, ...place }) => ({ ...place, node, key: find(node).key })),
    pieces,
  };
}
