/**
 * @file Long reductions to few elements, a workgroup for each: invocations take every 256th element
 * and fold what they have through workgroup memory. One invocation alone would leave most of a GPU
 * idle; in software there is nothing to share.
 */
import {
  add,
  apply,
  atom,
  axis,
  constant,
  constantScalar,
  coordinatesOf,
  indexScalar,
  type LoopNest,
  type LoopProgram,
  outerReductions,
  type ReduceScalar,
  Rewriter,
  scale,
  UNORDERED_REDUCTIONS,
  withSumGroups,
} from "@sconce/codegen";
import {
  defineCoordinates,
  elementsOf,
  extentOf,
  foldWorkgroups,
  type Shader,
  ShaderFrame,
} from "./shader.js";
import { combineText } from "./wgsl-fold.js";
import { wgslType } from "./wgsl-text.js";

/** Invocations of a workgroup: what WebGPU guarantees. */
const WIDTH = 256;
/** Elements that keep a GPU busy without help. */
const MANY_ELEMENTS = 16384;

/** Returns the shader, or undefined if the nest is not a reduction that profits from it. */
export function sharedReduction(nest: LoopNest, program: LoopProgram): Shader | undefined {
  const [reduce, ...more] = outerReductions(nest.value);
  if (reduce === undefined || more.length > 0 || !UNORDERED_REDUCTIONS.has(reduce.reduce)) return undefined;
  const elements = elementsOf(nest.axes);
  const count = reduce.axes.reduce((product, one) => product * extentOf(one), 1);
  if (count < 2 * WIDTH || elements > MANY_ELEMENTS || outerReductions(reduce.body).size > 0)
    return undefined;
  const frame = new ShaderFrame(nest, program);
  const { emitter } = frame;
  const workgroups = foldWorkgroups(elements);
  emitter.line("let flat = i32(group);");
  emitter.line(`if (flat >= ${elements}i) { return; }`);
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

/** What an invocation folds by itself: every 256th element. */
function writeOwn({ emitter }: ShaderFrame, reduce: ReduceScalar, count: number): void {
  const [step, lane] = [axis("step", constant(Math.ceil(count / WIDTH))), axis("lane", constant(WIDTH))];
  const place = add(scale(atom(step), WIDTH), atom(lane));
  const coordinates = coordinatesOf(
    place,
    reduce.axes.map(({ extent }) => extent),
  );
  const rewriter = new Rewriter({ axes: new Map(reduce.axes.map(({ name }, d) => [name, coordinates[d]!])) });
  const tests = [
    ...(count % WIDTH === 0 ? [] : [apply("lt", indexScalar(place), constantScalar(count, "int64"))]),
    ...(reduce.when === undefined ? [] : [rewriter.scalar(reduce.when)]),
  ];
  const own: ReduceScalar = {
    ...reduce,
    axes: [step],
    body: rewriter.scalar(reduce.body),
    when: tests.length === 2 ? apply("and", ...tests) : tests[0],
    initial: undefined,
  };
  emitter.defineAxis(lane.name, () => "i32(local)");
  emitter.line(`parts[local] = ${emitter.scalar(withSumGroups(own, [], WIDTH))};`);
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
