/** @file What schedules have in common: buffers as memory, places of threads, folds of lanes. */

import type { Bindings } from "@sconce/symbolic";
import { withSumGroups } from "../analysis/sum-groups.js";
import { bindIndex } from "../ir/bind.js";
import { constant, fixedValue, type Index, multiply, ONE, product } from "../ir/index-expr.js";
import type { LoopProgram } from "../ir/loop-program.js";
import type { Axis, ReduceScalar, Scalar } from "../ir/terms.js";
import {
  indexLiteral,
  type Kernel,
  type KernelMemory,
  type KernelOperand,
  type KernelType,
  type Launch,
} from "../kernel/kernel.js";
import type { Target } from "../kernel/target.js";
import { KernelBuilder } from "./builder.js";
import { combined } from "./reductions.js";

/** Threads of a workgroup where each computes an element by itself. */
const THREADS = 64;
/** Threads of a workgroup that share memory: what WebGPU guarantees. */
export const SHARED_THREADS = 256;
/** Workgroups along one axis of a grid that WebGPU guarantees. */
const MOST_WORKGROUPS = 65535;

/** What a kernel is made for. */
export interface ScheduleContext {
  readonly program: LoopProgram;
  /**
   * Values of the symbols in sizes; nests have them filled in. Undefined for kernels that get them
   * when they run.
   */
  readonly sizes: Bindings | undefined;
  readonly target: Target;
}
/** The kernels of a nest. */
export interface Schedule {
  readonly kernel: Kernel;
  /** Runs before, on the same memory. */
  readonly first?: Kernel | undefined;
}

/** Workgroups for so many, folded over y. */
function foldWorkgroups(count: number): Launch["grid"] {
  if (count <= MOST_WORKGROUPS) return [count, 1, 1];
  const y = Math.ceil(count / MOST_WORKGROUPS);
  return [Math.ceil(count / y), y, 1];
}

/** Memory of a buffer of a program. */
function bufferMemory(
  { program, sizes }: ScheduleContext,
  id: number,
  access: KernelMemory["access"],
): KernelMemory {
  const { dtype, shape } = program.buffers[id]!;
  const elements = product(shape);
  if (sizes === undefined && fixedValue(elements) === undefined)
    return { name: `b${id}`, space: "global", access, type: dtype, length: 0, elements, buffer: id };
  const length = fixedValue(sizes === undefined ? elements : bindIndex(elements, sizes)) ?? 0;
  return { name: `b${id}`, space: "global", access, type: dtype, length, buffer: id };
}

const isOne = (operand: KernelOperand): boolean => operand.kind === "literal" && operand.value === 1;

/** A kernel under construction, with the buffers of its program. */
export class KernelFrame extends KernelBuilder {
  readonly #context: ScheduleContext;

  /** @param fours buffers that are read as groups of four float32 */
  constructor(context: ScheduleContext, fours: ReadonlySet<number> = new Set()) {
    super(context.target, (id) => {
      const memory = bufferMemory(context, id, "read");
      return fours.has(id) ? { ...memory, type: "float32x4", length: memory.length / 4 } : memory;
    });
    this.#context = context;
  }

  /** Memory of a buffer that the kernel writes, and reads again if need be. */
  output(id: number, access: "write" | "read_write" = "write"): KernelMemory {
    return this.memory(bufferMemory(this.#context, id, access));
  }

  /** Long sums in groups, unless the target adds them up in doubles. */
  grouped(value: Scalar): Scalar {
    return this.target.sumsIn === "float64" ? value : withSumGroups(value);
  }

  /** Memory that the threads of a workgroup share. */
  shared(name: string, type: KernelType, length: number): KernelMemory {
    return this.memory({ name, space: "workgroup", access: "read_write", type, length });
  }

  /** `a * by + more`. */
  place(a: KernelOperand, by: number, more?: KernelOperand): KernelOperand {
    if (a.kind === "literal" && a.value === 0) return more ?? a;
    const scaled = by === 1 ? a : this.op("mul", "index", [a, indexLiteral(by)]);
    return more === undefined ? scaled : this.op("add", "index", [scaled, more]);
  }
  /** Returns a place that is never negative, divided by a number. */
  over(a: KernelOperand, by: number | Index): KernelOperand {
    const divisor = typeof by === "number" ? indexLiteral(by) : this.index(by);
    return isOne(divisor) ? a : this.op("udiv", "index", [a, divisor]);
  }
  /** Returns what is left of a place that is never negative. */
  modulo(a: KernelOperand, by: number | Index): KernelOperand {
    const divisor = typeof by === "number" ? indexLiteral(by) : this.index(by);
    return isOne(divisor) ? indexLiteral(0) : this.op("urem", "index", [a, divisor]);
  }
  isBelow(a: KernelOperand, end: number | KernelOperand): KernelOperand {
    return this.op("lt", "bool", [a, typeof end === "number" ? indexLiteral(end) : end]);
  }

  /** The number of the workgroup. */
  get workgroup(): KernelOperand {
    return this.op("workgroup", "index", []);
  }
  /** The number of the thread in its workgroup. */
  get local(): KernelOperand {
    return this.op("local", "index", []);
  }

  /** The coordinates of a flat place, each made when it is needed, at the start of the kernel. */
  defineCoordinates(axes: readonly Axis[], flat: () => KernelOperand): void {
    let step: Index = ONE;
    for (const [d, one] of [...axes.entries()].reverse()) {
      const [extent, by] = [one.extent, step];
      this.defineAxis(one.name, () => {
        if (fixedValue(extent) === 1) return indexLiteral(0);
        const over = this.over(flat(), by);
        return d === 0 ? over : this.modulo(over, extent);
      });
      step = multiply(step, extent);
    }
  }

  /**
   * Returns the whole kernel of so many workgroups. Those of a grid may be more: `write` runs where
   * the number of the workgroup, or of the thread, is there.
   */
  workgroups(count: number, size: number, write: (flat: KernelOperand) => void, threads?: number): Kernel {
    const grid = foldWorkgroups(count);
    const flat = threads === undefined ? this.workgroup : this.place(this.workgroup, size, this.local);
    const made = grid[0] * grid[1] * (threads === undefined ? 1 : size);
    const wanted = threads ?? count;
    if (made === wanted) write(flat);
    else this.when(this.isBelow(flat, wanted), () => write(flat));
    return this.kernel({ grid, size });
  }
  /** Returns the kernel of threads that have one of so many elements each. */
  threads(count: number | Index, write: (flat: KernelOperand) => void, size = THREADS): Kernel {
    if (this.target.threads === "units") return this.units(count, write);
    const elements = typeof count === "number" ? count : fixedValue(count)!;
    return this.workgroups(Math.ceil(elements / size), size, write, elements);
  }

  /** Returns the kernel of so many units. */
  units(all: number | Index, write: (unit: KernelOperand) => void): Kernel {
    const units = typeof all === "number" ? constant(all) : all;
    const count = fixedValue(units);
    if (count === undefined) {
      write(this.op("thread", "index", [], 0));
      return this.kernel({ grid: [0, 1, 1], size: 1, units });
    }
    write(count === 1 ? indexLiteral(0) : this.op("thread", "index", [], 0));
    return this.kernel({ grid: [count, 1, 1], size: 1 });
  }

  /** A loop whose variable is halved until `least`, all threads together. */
  halving(from: KernelOperand, body: (half: KernelOperand) => void): void {
    const half = this.variable("index", from);
    this.forever(() => {
      this.breakIf(this.isBelow(half, 1));
      body(half);
      this.barrier();
      this.assign(half, this.over(half, 2));
    });
  }
  /**
   * Folds what the lanes of a row have in shared memory: halves what is left until one is, which
   * the first lane has.
   *
   * @param stride threads from one lane to the next
   */
  foldLanes(reduce: ReduceScalar, parts: KernelMemory, lane: KernelOperand, lanes: number, stride = 1): void {
    const { local } = this;
    this.halving(indexLiteral(lanes / 2), (half) => {
      this.when(this.isBelow(lane, half), () => {
        const other = this.op("add", "index", [local, this.place(half, stride)]);
        const both = [this.load(parts, local), this.load(parts, other)] as const;
        this.store(parts, local, combined(reduce, ...both, this));
      });
    });
  }
}
