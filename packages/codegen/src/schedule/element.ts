/** @file The plain schedule: every element of a nest is computed by itself. */
import type { Bindings } from "@sconce/symbolic";
import { extentOf, volumeOf } from "../ir/extents.js";
import { atom, flatIndex } from "../ir/index-expr.js";
import type { LoopNest, LoopProgram } from "../ir/loop-program.js";
import { indexLiteral, type Kernel, type KernelMemory } from "../kernel/kernel.js";
import type { Target } from "../kernel/target.js";
import { KernelFrame } from "./frame.js";
import { planThreads } from "./thread-axes.js";
import { unitKernel } from "./units.js";

/** Returns the kernel of one nest whose sizes are bound. */
export function elementKernel(nest: LoopNest, program: LoopProgram, sizes: Bindings, target: Target): Kernel {
  const builder = new KernelFrame({ program, sizes, target });
  const output = builder.output(nest.output);
  switch (target.threads) {
    case "one":
      return inLoops(nest, builder, output);
    case "units":
      return unitKernel(nest, builder, output);
    case "grid":
      return onGrid(nest, builder, output);
    case "workgroups":
      return inWorkgroups(nest, builder, output);
  }
}

/** One thread that runs over all elements. */
function inLoops(nest: LoopNest, builder: KernelFrame, output: KernelMemory): Kernel {
  const place = flatIndex(
    nest.axes.map((one) => atom(one)),
    nest.axes.map(({ extent }) => extent),
  );
  const value = builder.grouped(nest.value);
  const walk = (depth: number): void => {
    const axis = nest.axes[depth];
    if (axis === undefined) builder.store(output, builder.index(place), builder.scalar(value));
    else builder.loop({ axis: axis.name, end: indexLiteral(extentOf(axis)) }, () => walk(depth + 1));
  };
  walk(0);
  return builder.kernel({ grid: [1, 1, 1], size: 1 });
}

/** Returns a grid of at most three axes. */
function onGrid(nest: LoopNest, builder: KernelFrame, output: KernelMemory): Kernel {
  const { axes, value } = planThreads(nest, builder.target.maxSide);
  axes.forEach(({ name }, d) => {
    builder.defineAxis(name, () => builder.op("thread", "index", [], d));
  });
  builder.store(output, indexLiteral(0), builder.scalar(builder.grouped(value)));
  const [x = 1, y = 1, z = 1] = axes.map(extentOf);
  return builder.kernel({ grid: [x, y, z], size: 1 });
}

/** Workgroups of threads that have one element each. */
function inWorkgroups(nest: LoopNest, builder: KernelFrame, output: KernelMemory): Kernel {
  const value = builder.grouped(nest.value);
  return builder.threads(volumeOf(nest.axes), (flat) => {
    builder.defineCoordinates(nest.axes, () => flat);
    builder.store(output, flat, builder.scalar(value));
  });
}
