/** @file Records mixed precision regions. */
import type { Argument, MetaValue, Namespace } from "@sconce/ir";
import { ENTER_AUTOCAST, EXIT_AUTOCAST, enterArguments, modeOf } from "./autocast.js";
import type { AutocastMode, AutocastRegion } from "./autocast-mode.js";
import { autocastAroundGraphs } from "./errors.js";
import { refusal } from "./refusals.js";
import { TraceNode } from "./trace-node.js";

/** The trace that a region is recorded in. */
interface RegionTracer {
  readonly isStrict: boolean;
  readonly isNested: boolean;
  readonly names: Namespace;
  readonly nodes: TraceNode[];
  callFunction(target: string, args: readonly Argument[], val: MetaValue, candidate: string): unknown;
}

/** What a region changes while it is traced. */
export interface AutocastHolder {
  autocast: AutocastMode;
}

/**
 * Records a region. In code that TorchDynamo traces, strict exports and functions of control flow,
 * PyTorch records the values as if there were none.
 */
export function recordAutocast<T>(
  tracer: RegionTracer,
  holder: AutocastHolder,
  region: AutocastRegion,
  run: () => T,
): T {
  const isRaw = tracer.isStrict || tracer.isNested;
  const outer = holder.autocast;
  const mode = modeOf(region, outer);
  tracer.callFunction(ENTER_AUTOCAST, enterArguments(region, mode, isRaw), null, "_enter_autocast");
  const enter = tracer.nodes.at(-1)!;
  if (!isRaw) holder.autocast = mode;
  try {
    return run();
  } finally {
    holder.autocast = outer;
    const name = tracer.names.create("_exit_autocast");
    const { op, meta, val } = enter;
    tracer.nodes.push(new TraceNode({ name, op, target: EXIT_AUTOCAST, args: [enter], meta, val }));
  }
}

/**
 * @throws SconceError `TORCH_ARGUMENT` where a region is open, which a call of graphs is made in
 */
export function refuseInAutocast(nodes: readonly TraceNode[], name: string): void {
  let open = 0;
  for (const { target } of nodes)
    if (target === ENTER_AUTOCAST) open += 1;
    else if (target === EXIT_AUTOCAST) open -= 1;
  if (open > 0) throw refusal(autocastAroundGraphs(name));
}
