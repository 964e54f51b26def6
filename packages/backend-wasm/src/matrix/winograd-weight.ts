/** @file The weights of Winograd's algorithm, in panels of eight output channels. */
import { type FunctionBuilder, i32, type Local, type ModuleBuilder } from "@sconce/wasm";
import type { PreparedBuffer } from "../kernel-code.js";
import type { Address } from "./index-code.js";
import { COLUMNS } from "./micro.js";
import { ELEMENT } from "./product-plan.js";
import { shared } from "./shared.js";
import { TRANSFORMS, weightTransform } from "./transforms.js";
import { SIDE, type WinogradPlan, type WinogradTiles } from "./winograd-plan.js";

/** Output channels that are read at once; their count is a multiple of it. */
const LANES = 4;
const VECTOR = LANES * ELEMENT;
/** Bytes of the elements of eight kernels at one place. */
const ROW = COLUMNS * ELEMENT;
/** Elements of a kernel. */
const PLACES = SIDE * SIDE;

/** What the weights of a convolution become before it runs. */
interface Panels {
  readonly name: string;
  readonly bytes: number;
  /** Bytes from a panel, and from a channel of it, to the next. */
  readonly panel: number;
  readonly channel: number;
  /** Returns code that writes what four kernels become at one channel. */
  readonly writer: (f: FunctionBuilder) => (source: Address, target: Address) => void;
}

/**
 * Returns the weights as panels: transformed, each place of a tile by itself, or as they are where
 * the kernel transforms them.
 */
export function preparedWeight(plan: WinogradPlan, tiles: WinogradTiles): PreparedBuffer {
  const { channels, results, weightSteps: steps } = plan;
  const panels = tiles.inKernel ? plainPanels(plan, tiles) : transformedPanels(plan, tiles);
  const count = tiles.padded / COLUMNS;
  // Elements of a panel that follow one another: the next one is behind them.
  const last = (channels - 1) * steps.c + (SIDE - 1) * (steps.h + steps.w);
  const isRun = steps.origin === 0 && last < steps.o;
  const parts = {
    count,
    bytes: COLUMNS * steps.o * ELEMENT,
    emit: (module: ModuleBuilder) => packPanels(module, plan, tiles, panels),
  };
  const side = tiles.inKernel ? "as it is" : `${tiles.side}`;
  return {
    buffer: plan.weight,
    bytes: panels.bytes,
    key: `winograd ${side} of ${results} x ${channels}: ${Object.values(steps).join()}`,
    emit: (module) => {
      const pack = parts.emit(module);
      return module.func({ params: ["i32", "i32"], name: "prepare" }, (f, from, to) => {
        f.put(from, to, 0, count).call(pack);
      });
    },
    parts: isRun ? parts : undefined,
  };
}

/** The nine elements of each channel lie together. */
const plainPanels = (plan: WinogradPlan, { padded }: WinogradTiles): Panels => ({
  name: "winograd_pack",
  bytes: plan.channels * padded * PLACES * ELEMENT,
  panel: panelBytes(plan),
  channel: PLACES * ROW,
  writer: (f) => {
    const read = fourKernels(f, plan);
    return (source, target) => {
      const given = read(source);
      for (const [at, local] of given.flat().entries()) f.get(target, local).memory("v128.store", ROW * at);
    };
  },
});
const panelBytes = ({ channels }: WinogradPlan): number => channels * PLACES * ROW;

/** Each place of a tile has separate panels. */
const transformedPanels = (plan: WinogradPlan, { reads, padded, side }: WinogradTiles): Panels => {
  const plane = plan.channels * padded * ELEMENT;
  return {
    name: "winograd_weight",
    bytes: reads * reads * plane,
    panel: plan.channels * ROW,
    channel: ROW,
    writer: (f) => {
      const read = fourKernels(f, plan);
      const write = weightTransform(f, TRANSFORMS[side]!.weight);
      return (source, target) => {
        const given = read(source);
        write({
          load: (i, j) => f.get(given[i]![j]!),
          store: (i, j, push) => {
            f.get(target);
            push();
            f.memory("v128.store", (i * reads + j) * plane);
          },
        });
      };
    },
  };
};

/** Adds a function `(from, to, first, end)` that writes some panels. */
function packPanels(
  module: ModuleBuilder,
  { channels, results, weightSteps: steps }: WinogradPlan,
  { padded }: WinogradTiles,
  { name, bytes, panel, channel, writer }: Panels,
): number {
  const params = ["i32", "i32", "i32", "i32"] as const;
  return module.func({ params, name }, (f, from, to, first, end) => {
    const write = writer(f);
    // Results that fill the last panel are zero.
    if (padded > results) f.put(i32(first).not()).if(() => f.put(to, 0, bytes).memoryFill());
    const o = f.let(i32(first).times(COLUMNS));
    const until = f.let(i32(end).times(COLUMNS).least(results));
    const someResults = (): void => {
      const place = i32(o).over(COLUMNS).times(panel).plus(i32(o).rest(COLUMNS).times(ELEMENT));
      const target = f.let(i32(to).plus(place));
      const source = f.let(
        i32(from)
          .plus(i32(o).times(steps.o * ELEMENT))
          .plus(steps.origin * ELEMENT),
      );
      f.countUp(f.let(0), channels, () => {
        write(source, target);
        f.increase(source, steps.c * ELEMENT).increase(target, channel);
      });
    };
    f.countUp(o, until, someResults, LANES);
  });
}

/** Code that reads the nine elements of the kernels of four output channels. */
function fourKernels(
  f: FunctionBuilder,
  { weightSteps }: WinogradPlan,
): (source: Address) => readonly (readonly Local<"v128">[])[] {
  const given = Array.from({ length: SIDE }, () => f.locals("v128", SIDE));
  return (source) => {
    for (const [i, row] of given.entries())
      for (const [j, local] of row.entries()) {
        const at = (i * weightSteps.h + j * weightSteps.w) * ELEMENT;
        f.get(source).memory("v128.load32_zero", at).set(local);
        for (let lane = 1; lane < LANES; lane++)
          f.get(source, local)
            .memoryLane("v128.load32_lane", lane, at + lane * weightSteps.o * ELEMENT)
            .set(local);
      }
    return given;
  };
}

/** How a kernel transforms weights as it runs: some channels of one panel at a time. */
export interface LateWeights {
  /** Most channels that are transformed at once. */
  readonly channels: number;
  /** Bytes from a panel, and from a channel of it, to the next before they are transformed. */
  readonly panel: number;
  readonly channel: number;
  /** Bytes from one place of a tile to the next. */
  readonly plane: number;
  /** Floats of all places. */
  readonly floats: number;
  /** Adds a function `(from, to, channels)` that transforms channels of a panel. */
  readonly emit: (module: ModuleBuilder) => number;
}

/** Bytes between planes: lines at equal places of all planes are not in one set of a cache. */
const GAP = 64;
/** Products of so few tiles are fast only with weights from the first cache. */
const FEW_TILES = 8;
const FEW_CHANNELS = 32;

/** Returns how the weights of a convolution are transformed as it runs. */
export function lateWeights(plan: WinogradPlan, { side, reads, tiles }: WinogradTiles): LateWeights {
  const channels = tiles < FEW_TILES ? Math.min(FEW_CHANNELS, plan.channels) : plan.channels;
  const plane = channels * ROW + GAP;
  const add = (module: ModuleBuilder): number =>
    module.func({ params: ["i32", "i32", "i32"], name: "winograd_late" }, (f, from, to, count) => {
      const write = weightTransform(f, TRANSFORMS[side]!.weight);
      f.countUp(f.let(0), count, () => {
        for (let half = 0; half < ROW; half += VECTOR)
          write({
            load: (i, j) => f.get(from).memory("v128.load", (i * SIDE + j) * ROW + half),
            store: (i, j, push) => {
              f.get(to);
              push();
              f.memory("v128.store", (i * reads + j) * plane + half);
            },
          });
        f.increase(from, PLACES * ROW).increase(to, ROW);
      });
    });
  return {
    channels,
    panel: panelBytes(plan),
    channel: PLACES * ROW,
    plane,
    floats: (reads * reads * plane) / ELEMENT,
    emit: (module) => shared(module, `winograd late ${side} ${plane}`, () => add(module)),
  };
}
