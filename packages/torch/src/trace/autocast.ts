/** @file Mixed precision regions (`torch.autocast`). */
import { checkOptions, type OptionNames } from "@sconce/errors";
import { type Argument, dtypeLiteral } from "@sconce/ir";
import { isDType } from "@sconce/tensor";
import type { AutocastMode, AutocastOptions, AutocastRegion } from "./autocast-mode.js";
import { currentTrace } from "./dispatch.js";
import { eagerAutocast } from "./eager.js";
import { badAutocast } from "./errors.js";
import { runAtOnce } from "./run-at-once.js";

/** The target of the node that begins a region. */
export const ENTER_AUTOCAST = "torch.amp.autocast_mode._enter_autocast";
/** The target of the node that ends the region of its argument. */
export const EXIT_AUTOCAST = "torch.amp.autocast_mode._exit_autocast";

const AUTOCAST: OptionNames<AutocastOptions> = { dtype: true, enabled: true, cacheEnabled: true };

/** The dtypes that the CPU's autocast has. */
const LOWER: ReadonlySet<unknown> = new Set(["bfloat16", "float16"]);

/** Runs something in a mixed precision region with the default options. */
export function autocast<T>(device: "cpu" | "cuda", run: () => T): T;
/**
 * Runs something in a mixed precision region, as
 * `with torch.autocast(device, dtype=..., enabled=...):` does. Matrix products, convolutions and
 * attention run in the dtype, losses and the like in `float32`; other operators run in the dtypes
 * that they are given. An export records the region, with the dtypes that PyTorch gives its values;
 * `runDecompositions` makes casts of it.
 *
 * Programs run on the CPU when they are captured: a region of `"cuda"` casts nothing there and is
 * recorded as disabled, as PyTorch does without a GPU.
 *
 * @throws SconceError `TORCH_ARGUMENT` for another device, for an asynchronous function, and for
 * control flow inside of a region, whose program PyTorch's files cannot hold
 *
 * @example const y = torch.autocast("cpu", { dtype: torch.bfloat16 }, () => this.fc(x));
 */
export function autocast<T>(device: "cpu" | "cuda", options: AutocastOptions, run: () => T): T;
export function autocast<T>(device: "cpu" | "cuda", given: AutocastOptions | (() => T), inner?: () => T): T {
  const [options, run] = typeof given === "function" ? [{}, given] : [given, inner];
  checkOptions("autocast", options, AUTOCAST);
  if (run === undefined) throw badAutocast("the function to run is missing", "pass it last");
  const body = (): T => runAtOnce("autocast", run);
  const region = { device, ...options };
  requireRegion(region);
  const trace = currentTrace();
  if (trace !== undefined) return trace.inAutocast === undefined ? body() : trace.inAutocast(region, body);
  return eagerAutocast((outer) => modeOf(region, outer), body);
}

function requireRegion({ device, dtype }: AutocastRegion): void {
  const named: string = device;
  if (named !== "cpu" && named !== "cuda")
    throw badAutocast(`the device is ${JSON.stringify(device)}`, 'use "cpu", or "cuda"');
  if (dtype !== undefined && dtype !== null && !isDType(dtype))
    throw badAutocast(`the dtype is ${JSON.stringify(dtype)}`, "use `torch.bfloat16` or `torch.float16`");
}

/** Returns the mode inside of a region: one of another device changes nothing on the CPU. */
export function modeOf(region: AutocastRegion, outer: AutocastMode): AutocastMode {
  const { device, enabled = true } = region;
  const cacheEnabled = region.cacheEnabled ?? outer.cacheEnabled;
  if (device === "cuda") return { ...outer, cacheEnabled };
  const dtype = region.dtype ?? outer.dtype;
  return { dtype, enabled: enabled && LOWER.has(dtype), cacheEnabled };
}

/**
 * Returns the arguments that a region's node records: in code that TorchDynamo traces as they are
 * written, otherwise as PyTorch resolves them while it traces.
 */
export function enterArguments(region: AutocastRegion, mode: AutocastMode, isRaw: boolean): Argument[] {
  const { device, dtype = null, enabled = true, cacheEnabled = null } = region;
  if (isRaw) return [device, dtype && dtypeLiteral(dtype), enabled, cacheEnabled];
  if (device === "cuda") return [device, dtypeLiteral(dtype ?? "float16"), false, mode.cacheEnabled];
  return [device, dtypeLiteral(mode.dtype), mode.enabled, mode.cacheEnabled];
}
