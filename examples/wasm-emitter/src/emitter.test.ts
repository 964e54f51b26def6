import { createSconce, defaultOperators, Tensor } from "sconce";
import { elementKernel, evaluateLoops, lowerToLoops, parseKernel, printKernel } from "sconce/loops";
import { describe, expect, test } from "vitest";
import { emitModule, TOY } from "./emitter.js";
import { runLoops } from "./run.js";

const loopsOf = (graph: string) =>
  lowerToLoops(createSconce().parseGraph(graph), { operators: defaultOperators() });
const GRAPHS = {
  softmax: `graph(%x: f32[4, 6]) {
    %a: f32[4, 6] = aten._softmax.default(%x, 1, false)
    return (%a,)
  }`,
  product: `graph(%x: f32[4, 6], %y: f32[6, 5], %b: f32[5]) {
    %a: f32[4, 5] = aten.addmm.default(%b, %x, %y)
    %r: f32[4, 5] = aten.relu.default(%a)
    return (%r,)
  }`,
  padded: `graph(%x: f32[4, 6]) {
    %t: f32[6, 4] = aten.permute.default(%x, [1, 0])
    %a: f32[7, 6] = aten.constant_pad_nd.default(%t, [1, 1, 0, 1], 0.5)
    %s: f32[7] = aten.amax.default(%a, [1])
    return (%a, %s)
  }`,
  "any size": `graph(%x: f32[s0, 6]) {
    %m: f32[6] = aten.mean.dim(%x, [0])
    %d: f32[s0, 6] = aten.sub.Tensor(%x, %m)
    %e: f32[s0, 6] = aten.exp.default(%d)
    return (%e,)
  }`,
};

/** Numbers between -2 and 2. */
const numbers = (shape: readonly number[], seed: number): Tensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  const values = Array.from({ length: count }, (_, i) => ((i * 37 + seed * 11) % 17) / 4 - 2);
  return Tensor.from(values, shape, "float32");
};

describe.each(Object.entries(GRAPHS))("%s", (_, graph) => {
  test("the modules give the numbers of the loops", () => {
    const program = loopsOf(graph);
    const shapes = program.inputs.map((id) =>
      program.buffers[id!]!.shape.map(({ constant, terms }) => (terms.length > 0 ? 3 : constant)),
    );
    const inputs = shapes.map(numbers);
    const want = evaluateLoops(program, inputs) as Tensor[];
    const got = runLoops(program, inputs);
    got.forEach((tensor, i) => {
      expect(tensor.shape).toEqual(want[i]!.shape);
      const exact = want[i]!.toFloat64Array();
      for (const [at, value] of tensor.toFloat64Array().entries()) expect(value).toBeCloseTo(exact[at]!, 5);
    });
  });
});

test("the text of a kernel is enough to emit it", () => {
  const program = loopsOf(GRAPHS.product);
  const kernel = elementKernel(program.nests[0]!, program, new Map(), TOY);
  const offset = (buffer: number): number => 256 * buffer;
  expect(emitModule(parseKernel(printKernel(kernel)), offset)).toEqual(emitModule(kernel, offset));
});

test("what the toy lacks is refused", () => {
  const program = loopsOf(`graph(%x: i64[3]) {
    %a: i64[3] = aten.neg.default(%x)
    return (%a,)
  }`);
  const kernel = elementKernel(program.nests[0]!, program, new Map(), TOY);
  expect(() => emitModule(kernel, () => 0)).toThrow("the toy has no memory of int64");
});
