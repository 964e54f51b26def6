import { type Tensor, Tensor as TensorClass } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createEvaluator } from "../interpreter/backend.js";
import { createRandomSource } from "./random-source.js";

/** One call after `torch.manual_seed(0)`. */
const seeded = (target: string, args: readonly unknown[], kwargs: Record<string, unknown> = {}): Tensor =>
  createEvaluator({ random: createRandomSource(0) })(target, args as never, kwargs as never) as Tensor;

const expectNear = (tensor: Tensor, wanted: readonly number[]): void => {
  expect(tensor.shape).toEqual([wanted.length]);
  tensor.toArray().forEach((value, i) => {
    expect(Number(value)).toBeCloseTo(wanted[i]!, 5);
  });
};

describe("random kernels give PyTorch's numbers for a seed", () => {
  test("uniform float32, float64 and bfloat16", () => {
    expectNear(
      seeded("aten.rand.default", [[3]]),
      [0.49625658988952637, 0.7682217955589294, 0.08847743272781372],
    );
    expectNear(
      seeded("aten.rand.default", [[2]], { dtype: "float64" }),
      [0.9700530018065531, 0.707819864399788],
    );
    expectNear(seeded("aten.rand.default", [[2]], { dtype: "bfloat16" }), [0.49609375, 0.76953125]);
  });

  test("uniform numbers in a range, to the last bit", () => {
    const draw = (dtype: "float32" | "float64"): unknown[] => {
      const evaluate = createEvaluator({ random: createRandomSource(7) });
      const empty = TensorClass.from([0, 0, 0, 0, 0], [5], dtype);
      return (evaluate("aten.uniform.default", [empty, -0.577, 0.577]) as Tensor).toArray();
    };
    expect(draw("float32")).toEqual([
      0.04030061140656471, -0.347581148147583, 0.18373030424118042, 0.18105138838291168, -0.3083931803703308,
    ]);
    expect(draw("float64")).toEqual([
      -0.2545949838880098, -0.2611574544458624, 0.41785527747593976, 0.18081844889878437, 0.4875988900407472,
    ]);
  });

  test("normal deviates one by one below 16, in blocks from 16 on", () => {
    expectNear(
      seeded("aten.randn.default", [[3]]),
      [1.5409960746765137, -0.293428897857666, -2.1787893772125244],
    );
    const blocks = seeded("aten.randn.default", [[20]]).toArray();
    expect(blocks[0]).toBeCloseTo(-1.1258398294448853, 5);
    expect(blocks[19]).toBeCloseTo(0.05373690277338028, 5);
  });

  test("the spare deviate carries over to the next call", () => {
    const evaluate = createEvaluator({ random: createRandomSource(0) });
    evaluate("aten.randn.default", [[3]]);
    expectNear(evaluate("aten.randn.default", [[2]]) as Tensor, [0.5684312582015991, -1.0845223665237427]);
  });

  test("integers and permutations", () => {
    expectNear(seeded("aten.randint.default", [100, [5]]), [44, 39, 33, 60, 63]);
    expect(seeded("aten.randint.default", [2 ** 40, [2]]).toArray()).toEqual([741280623151n, 506137267392n]);
    expectNear(seeded("aten.randperm.default", [10]), [4, 1, 7, 5, 3, 9, 0, 8, 6, 2]);
  });

  test("draws by probability", () => {
    const half = TensorClass.from(new Array(8).fill(0.5), [8], "float32");
    expectNear(seeded("aten.bernoulli.default", [half]), [1, 0, 1, 1, 1, 0, 1, 0]);
    const weights = TensorClass.from([0.1, 0.2, 0.3, 0.4], [4], "float32");
    expectNear(seeded("aten.multinomial.default", [weights, 3]), [2, 1, 3]);
    expectNear(seeded("aten.multinomial.default", [weights, 6, true]), [3, 3, 2, 3, 3, 3]);
  });
});
