/** @file The plain schedule: every element of a nest is computed by itself. */
import type { Bindings } from "@sconce/symbolic";
import { withSumGroups } from "../analysis/sum-groups.js";
import { bindIndex } from "../ir/bind.js";
import { atom, fixedValue, flatIndex, product } from "../ir/index-expr.js";
import type { LoopNest, LoopProgram } from "../ir/loop-program.js";
import type { Axis, Scalar } from "../ir/terms.js";
import { indexLiteral, type Kernel, type KernelMemory, type Operand } from "../kernel/kernel.js";
import type { Target } from "../kernel/target.js";
import { extentOf, KernelBuilder } from "./builder.js";
import { planThreads } from "./thread-axes.js";

/** Threads of a workgroup where each computes an element by itself. */
const THREADS = 64;
/** Workgroups along one axis of a grid that WebGPU guarantees. */
const MOST_WORKGROUPS = 65535;

/** Elements of axes with fixed extents. */
const elementsOf = (axes: readonly Axis[]): number =>
  axes.reduce((elements, axis) => elements * extentOf(axis), 1);

/** Workgroups for so many, folded over y. */
function foldWorkgroups(count: number): readonly [x: number, y: number, z: number] {
  if (count <= MOST_WORKGROUPS) return [count, 1, 1];
  const y = Math.ceil(count / MOST_WORKGROUPS);
  return [Math.ceil(count / y), y, 1];
}

/** Memory of a buffer of a program. */
function bufferMemory(
  { buffers }: LoopProgram,
  id: number,
  access: KernelMemory["access"],
  sizes: Bindings,
): KernelMemory {
  const { dtype, shape } = buffers[id]!;
  const length = fixedValue(bindIndex(product(shape), sizes)) ?? 0;
  return { name: `b${id}`, space: "global", access, type: dtype, length, buffer: id };
}

/** A builder whose reads are the program's buffers. */
const builderFor = (program: LoopProgram, sizes: Bindings, target: Target): KernelBuilder =>
  new KernelBuilder(target, (id) => bufferMemory(program, id, "read", sizes));

/** The coordinates of a flat place, each made when it is needed. */
function defineCoordinates(builder: KernelBuilder, axes: readonly Axis[], flat: () => Operand): void {
  let step = 1;
  for (const [d, one] of [...axes.entries()].reverse()) {
    const [extent, by] = [extentOf(one), step];
    builder.defineAxis(one.name, () => {
      if (extent === 1) return indexLiteral(0);
      const over = by === 1 ? flat() : builder.op("udiv", "index", [flat(), indexLiteral(by)]);
      return d === 0 ? over : builder.op("urem", "index", [over, indexLiteral(extent)]);
    });
    step *= extent;
  }
}

/** The kernel of one nest whose sizes are bound. */
export function elementKernel(nest: LoopNest, program: LoopProgram, sizes: Bindings, target: Target): Kernel {
  const builder = builderFor(program, sizes, target);
  const output = builder.memory(bufferMemory(program, nest.output, "write", sizes));
  switch (target.threads) {
    case "one":
      return inLoops(nest, builder, output);
    case "grid":
      return onGrid(nest, builder, output);
    case "workgroups":
      return inWorkgroups(nest, builder, output);
  }
}

/** Long sums in groups, unless the target adds them up in doubles. */
const grouped = (value: Scalar, { target }: KernelBuilder): Scalar =>
  target.sumsIn === "float64" ? value : withSumGroups(value);

/** One thread that runs over all elements. */
function inLoops(nest: LoopNest, builder: KernelBuilder, output: KernelMemory): Kernel {
  const place = flatIndex(
    nest.axes.map((one) => atom(one)),
    nest.axes.map(({ extent }) => extent),
  );
  const value = grouped(nest.value, builder);
  const walk = (depth: number): void => {
    const axis = nest.axes[depth];
    if (axis === undefined) builder.store(output, builder.index(place), builder.scalar(value));
    else builder.loop({ axis: axis.name, end: indexLiteral(extentOf(axis)) }, () => walk(depth + 1));
  };
  walk(0);
  return builder.kernel({ grid: [1, 1, 1], size: 1 });
}

/** A grid of at most three axes. */
function onGrid(nest: LoopNest, builder: KernelBuilder, output: KernelMemory): Kernel {
  const { axes, value } = planThreads(nest, builder.target.maxSide);
  axes.forEach(({ name }, d) => {
    builder.defineAxis(name, () => builder.op("thread", "index", [], d));
  });
  builder.store(output, indexLiteral(0), builder.scalar(grouped(value, builder)));
  const [x = 1, y = 1, z = 1] = axes.map(extentOf);
  return builder.kernel({ grid: [x, y, z], size: 1 });
}

/** Workgroups of threads that have one element each. */
function inWorkgroups(nest: LoopNest, builder: KernelBuilder, output: KernelMemory): Kernel {
  const elements = elementsOf(nest.axes);
  const flat = builder.op("add", "index", [
    builder.op("mul", "index", [builder.op("workgroup", "index", []), indexLiteral(THREADS)]),
    builder.op("local", "index", []),
  ]);
  defineCoordinates(builder, nest.axes, () => flat);
  const isThere = builder.op("lt", "bool", [flat, indexLiteral(elements)]);
  const value = grouped(nest.value, builder);
  builder.when(isThere, () => builder.store(output, flat, builder.scalar(value)));
  return builder.kernel({ grid: foldWorkgroups(Math.ceil(elements / THREADS)), size: THREADS });
}
