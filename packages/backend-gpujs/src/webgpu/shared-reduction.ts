/**
 * @file Long reductions to few cells, a workgroup for each: invocations take every 256th cell and fold what they have through
 * workgroup memory. One invocation alone would leave most of a GPU idle; in software there is nothing to share.
 */
import {
  atom,
  axis,
  constant,
  coordinatesOf,
  type LoopNest,
  type LoopProgram,
  outerReductions,
  type ReduceScalar,
  Rewriter,
} from "@sconce/codegen";
import { cellsOf, defineCoordinates, extentOf, foldWorkgroups, type Shader, ShaderFrame } from "./shader.js";
import { combineText, identityText } from "./wgsl-fold.js";
import { wgslType } from "./wgsl-text.js";

/** Invocations of a workgroup: what WebGPU guarantees. */
const WIDTH = 256;
/** Cells that keep a GPU busy without help. */
const MANY_CELLS = 16384;
const KINDS: ReadonlySet<string> = new Set(["sum", "prod", "max", "min", "any", "all"]);

/** The shader; undefined where the nest is no reduction that this is good for. */
export function sharedReduction(nest: LoopNest, program: LoopProgram): Shader | undefined {
  const [reduce, ...more] = outerReductions(nest.value);
  if (reduce === undefined || more.length > 0 || !KINDS.has(reduce.reduce)) return undefined;
  const cells = cellsOf(nest.axes);
  const count = reduce.axes.reduce((product, one) => product * extentOf(one), 1);
  if (count < 2 * WIDTH || cells > MANY_CELLS || outerReductions(reduce.body).size > 0) return undefined;
  const frame = new ShaderFrame(nest, program);
  const { emitter } = frame;
  const workgroups = foldWorkgroups(cells);
  emitter.line("let flat = i32(group);");
  emitter.line(`if (flat >= ${cells}i) { return; }`);
  defineCoordinates(emitter, nest.axes, "flat");
  writeOwn(frame, reduce, count);
  writeTree(frame, reduce);
  emitter.nested("branch", "if (local == 0u)", new Map(), () => {
    const { initial } = reduce;
    const all =
      initial === undefined ? "parts[0]" : combineText(emitter, reduce, emitter.scalar(initial), "parts[0]");
    emitter.line(`let total = ${all};`);
    emitter.known(reduce, "total");
    frame.store("flat", emitter.scalar(nest.value));
  });
  const type = wgslType(reduce.dtype)!;
  const memory = `var<workgroup> parts: array<${type}, ${WIDTH}>;\n`;
  return { source: frame.source(WIDTH, workgroups, memory), reads: frame.reads, workgroups };
}

/** What an invocation folds by itself. */
function writeOwn({ emitter }: ShaderFrame, reduce: ReduceScalar, count: number): void {
  const place = axis("place", constant(count));
  const coordinates = coordinatesOf(
    atom(place),
    reduce.axes.map(({ extent }) => extent),
  );
  const rewriter = new Rewriter({ axes: new Map(reduce.axes.map(({ name }, d) => [name, coordinates[d]!])) });
  emitter.line(`var own: ${wgslType(reduce.dtype)!} = ${identityText(emitter, reduce)};`);
  const head = `for (var q = i32(local); q < ${count}i; q += ${WIDTH}i)`;
  emitter.nested("loop", head, new Map([[place.name, "q"]]), () => {
    const take = (): void => {
      const value = emitter.scalar(rewriter.scalar(reduce.body));
      emitter.line(`own = ${combineText(emitter, reduce, "own", value)};`);
    };
    if (reduce.when === undefined) take();
    else emitter.nested("branch", `if (${emitter.scalar(rewriter.scalar(reduce.when))})`, new Map(), take);
  });
  emitter.line("parts[local] = own;");
  emitter.line("workgroupBarrier();");
}

/** Halves what is left until one is. */
function writeTree({ emitter }: ShaderFrame, reduce: ReduceScalar): void {
  emitter.line(`for (var half = ${WIDTH / 2}u; half > 0u; half >>= 1u) {`);
  const folded = combineText(emitter, reduce, "parts[local]", "parts[local + half]");
  emitter.line(`  if (local < half) { parts[local] = ${folded}; }`);
  emitter.line("  workgroupBarrier();");
  emitter.line("}");
}
