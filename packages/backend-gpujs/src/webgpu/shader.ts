/** @file A nest as one compute shader in which every invocation computes one element. */
import { fixedValue, type LoopNest, type LoopProgram, readsOf, withSumGroups } from "@sconce/codegen";
import { internalError } from "@sconce/errors";
import { ScalarEmitter } from "./scalar-emitter.js";
import { laneOf, WgslModule, wgslType } from "./wgsl-text.js";

/** What a pipeline is made of. Nothing in the source is named after anything in the program. */
export interface Shader {
  readonly source: string;
  /** WGSL of our own when left out. */
  readonly language?: "gpu.js";
  /**
   * The buffers of the program at bindings 0, 1, ...; the bindings of what it writes are after
   * them.
   */
  readonly reads: readonly number[];
  readonly workgroups: readonly [x: number, y: number, z?: number];
  /** What a uniform buffer at binding 0, before all others, holds; none when left out. */
  readonly uniform?: Uint32Array;
  /** What runs before, on the same buffers. */
  readonly first?: Pick<Shader, "source" | "workgroups">;
  /** Elements of separate memory, bound after the output; none when left out. */
  readonly scratch?: number;
}

/** Workgroups of one dimension that WebGPU guarantees. */
const MOST_WORKGROUPS = 65535;

/** Workgroups for so many, folded over y. */
export function foldWorkgroups(count: number): readonly [x: number, y: number] {
  if (count <= MOST_WORKGROUPS) return [count, 1];
  const y = Math.ceil(count / MOST_WORKGROUPS);
  return [Math.ceil(count / y), y];
}

export const extentOf = (axis: LoopNest["axes"][number]): number => {
  const extent = fixedValue(axis.extent);
  if (extent === undefined) throw internalError(`the extent of ${axis.name} is not bound`);
  return extent;
};
export const elementsOf = (axes: LoopNest["axes"]): number =>
  axes.reduce((elements, axis) => elements * extentOf(axis), 1);

/** A buffer and what its elements are. */
export type Written = Pick<LoopNest, "output" | "value">;

/** What all shaders have in common: bindings, functions, the place of an invocation. */
export class ShaderFrame {
  readonly module = new WgslModule();
  readonly reads: readonly number[];
  readonly emitter: ScalarEmitter;
  readonly #program: LoopProgram;
  readonly #outputs: readonly number[];
  readonly #fours: ReadonlySet<number>;

  /**
   * @param nest what is written; several are bound one after the other, `elements`, `elements1`,
   * ...
   * @param fours buffers that are read as vectors of four elements
   */
  constructor(
    nest: Written | readonly Written[],
    program: LoopProgram,
    fours: ReadonlySet<number> = new Set(),
  ) {
    const written = "output" in nest ? [nest] : nest;
    this.#fours = fours;
    this.#program = program;
    this.#outputs = written.map(({ output }) => output);
    this.reads = [...new Set(written.flatMap(({ value }) => [...readsOf(value)]))];
    this.emitter = new ScalarEmitter({
      module: this.module,
      bufferName: (id) => `b${this.reads.indexOf(id)}`,
      isBool: (id) => program.buffers[id]!.dtype === "bool",
      isFours: (id) => fours.has(id),
    });
  }

  /** Writes an element of an output, by default of the first. */
  store(place: string, value: string, output = this.#outputs[0]!): void {
    const isBool = wgslType(this.#program.buffers[output]!.dtype) === "bool";
    this.emitter.line(
      `${this.outputName(output)}[${place}] = ${isBool ? `select(0i, 1i, ${value})` : value};`,
    );
  }
  /** The variable of an output. */
  outputName(output: number): string {
    const at = this.#outputs.indexOf(output);
    return at === 0 ? "elements" : `elements${at}`;
  }

  /**
   * The whole source. `invocations` of each workgroup; \`group\` is the workgroup's number,
   * \`local\` the invocation's in it.
   */
  source(invocations: number, workgroups: readonly [number, number], globals = ""): string {
    const { buffers } = this.#program;
    const bindings = [...this.reads, ...this.#outputs].map((id, at) => {
      const isOutput = at >= this.reads.length;
      const access = isOutput ? "read_write" : "read";
      const lane = !isOutput && this.#fours.has(id) ? "vec4<f32>" : laneOf(buffers[id]!.dtype);
      return `@group(0) @binding(${at}) var<storage, ${access}> ${isOutput ? this.outputName(id) : `b${at}`}: array<${lane}>;`;
    });
    const group = workgroups[1] === 1 ? "at.x" : `at.y * ${workgroups[0]}u + at.x`;
    return `${bindings.join("\n")}
${globals}${this.module.functions}
@compute @workgroup_size(${invocations})
fn main(@builtin(workgroup_id) at: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let group = ${group};
${this.emitter.lines.map((line) => `  ${line}\n`).join("")}}
`;
  }
}

/** Invocations of a workgroup where each computes an element on its own. */
export const INVOCATIONS = 64;

/** The coordinates of a flat place, each made when it is needed. */
export function defineCoordinates(emitter: ScalarEmitter, axes: LoopNest["axes"], flat: string): void {
  let step = 1;
  for (let d = axes.length - 1; d >= 0; d--) {
    const extent = extentOf(axes[d]!);
    const over = step === 1 ? `u32(${flat})` : `u32(${flat}) / ${step}u`;
    const text = extent === 1 ? "0i" : d === 0 ? `i32(${over})` : `i32((${over}) % ${extent}u)`;
    emitter.defineAxis(axes[d]!.name, () => text);
    step *= extent;
  }
}

/** One invocation for each element. */
export function elementShader(nest: LoopNest, program: LoopProgram): Shader {
  const elements = elementsOf(nest.axes);
  const frame = new ShaderFrame(nest, program);
  const { emitter } = frame;
  const workgroups = foldWorkgroups(Math.ceil(elements / INVOCATIONS));
  emitter.line(`let flat = i32(group * ${INVOCATIONS}u + local);`);
  emitter.line(`if (flat >= ${elements}i) { return; }`);
  defineCoordinates(emitter, nest.axes, "flat");
  frame.store("flat", emitter.scalar(withSumGroups(nest.value)));
  return { source: frame.source(INVOCATIONS, workgroups), reads: frame.reads, workgroups };
}
