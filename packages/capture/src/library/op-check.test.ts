import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { check, library, sym, torch } from "../index.js";

const { customOp, opCheck, getCtx } = library;
const ONE = { schema: "(Tensor x) -> Tensor", mutatesArgs: [] } as const;
const x = Tensor.from([
  [1.5, 2, 3],
  [-1, 0, 4],
]);
const op = (kernel: (x: Tensor) => Tensor, fake?: (x: Tensor) => Tensor) => {
  const made = customOp("c::op", ONE, kernel);
  return fake === undefined ? made : made.registerFake(fake);
};
const alike = (given: Tensor): Tensor => torch.emptyLike(given);
const problem = (text: string | RegExp) =>
  expect.objectContaining({
    code: "OP_CHECK",
    message: typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
    where: "c::op",
  });

describe("opCheck [S-119]", () => {
  test("reports no problems of an operator that is right, on samples that it makes", () => {
    const sin = op((given) => given.sin(), alike).registerDecomposition((given) => given.sin());
    const { samples, problems } = opCheck(sin);
    expect(samples).toBe(4);
    expect([...problems]).toEqual([
      ["schema", []],
      ["fake", []],
      ["dynamic", []],
      ["decomposition", []],
    ]);
    expect(opCheck(sin, [[x]]).samples).toBe(1);
  });

  test.each<[string, () => unknown, string | RegExp]>([
    ["another dtype", () => op((given) => given.gt(0), alike), "fake: the result: Dtypes bool and float32"],
    ["another size", () => op((given) => given.sum(0), alike), "fake: the result: Shapes [3] and [2, 3]"],
    [
      "other strides",
      () =>
        op(
          (given) => given.t().contiguous().t(),
          (given) => given.newEmpty([...given.size()]),
        ),
      "fake: the result: Strides [1, 2] and [3, 1]",
    ],
    [
      "a write that is not declared",
      () => op((given) => given.add_(1).clone(), alike),
      "schema: Argument x is not defined as mutable but was mutated",
    ],
    ["its argument", () => op((given) => given, alike), /schema: c::op: The output of this custom operator/],
    [
      "no fake",
      () => op((given) => given.clone()),
      "fake: There was no fake impl registered for <CustomOpDef(c::op)>",
    ],
    [
      "a fake that takes no dynamic sizes",
      () =>
        op(
          (given) => given.clone(),
          (given) => given.newEmpty([given.shape[0]!, given.shape[1]!]),
        ),
      /^opCheck\(c::op\): dynamic: .*sizes/,
    ],
    [
      "a size outside of the bounds of the fake",
      () =>
        op(
          (given) => given.maskedSelect(given.gt(0)),
          (given) => given.newEmpty([getCtx().newDynamicSize({ max: 3 })]),
        ),
      "fake: the kernel gives the size 4, which the fake bounds by [0, 3]",
    ],
    [
      "sizes that a check of the fake excludes",
      () =>
        op(
          () => torch.ones(2, 3),
          (given) => {
            const n = getCtx().newDynamicSize();
            const m = getCtx().newDynamicSize();
            check(sym.le(m, n));
            return given.newEmpty([n, m]);
          },
        ),
      "fake: the sizes of the kernel break u1 <= u0, which the fake requires",
    ],
    [
      "another decomposition",
      () => op((given) => given.sin(), alike).registerDecomposition((given) => given.cos()),
      /decomposition: the result: .*6 of 6/,
    ],
  ])("names %s", (_, make, text) => {
    expect(() => opCheck(make(), [[x]])).toThrow(problem(text));
  });

  test("gives all problems in a report, if asked", () => {
    const wrong = op((given) => given.add_(1).sum(), alike);
    const { problems } = opCheck(wrong, [[x]], { throws: false });
    expect(problems.get("schema")).toEqual(["Argument x is not defined as mutable but was mutated"]);
    expect(problems.get("fake")).toEqual([
      "the result: Shapes [] and [2, 3] of kernel and fake are not equal",
    ]);
    expect(x.tolist()).toEqual([
      [1.5, 2, 3],
      [-1, 0, 4],
    ]);
  });

  test("takes operators that write, with lists, numbers and several results", () => {
    const options = {
      schema: "(Tensor(a0!) x, Tensor[] xs, SymInt n=2, *, float k=1.0) -> (Tensor, SymInt)",
      mutatesArgs: ["x"],
    } as const;
    const many = customOp("c::op", options, (own, xs, n, { k }) => {
      own.add_(k);
      return [xs[0]!.mul(n), n];
    });
    many.registerFake((_own, xs, n) => [torch.emptyLike(xs[0]!), n]);
    expect(opCheck(many).problems.get("schema")).toEqual([]);
    many.registerDecomposition((_own, xs, n) => [xs[0]!.mul(n), n]);
    expect(() => opCheck(many, [[x, [x.clone()]]])).toThrow(
      problem(/^opCheck\(c::op\): decomposition: what is written to x: /),
    );
  });

  test("compares the sizes that only the data decide where a result gives them", () => {
    const fake = (given: Tensor): Tensor => {
      const n = getCtx().newDynamicSize();
      return given.newEmpty([n, sym.mul(n, 2)]);
    };
    expect(
      opCheck(
        op(() => torch.ones(2, 4), fake),
        [[x]],
      ).problems.get("fake"),
    ).toEqual([]);
    expect(() =>
      opCheck(
        op(() => torch.ones(2, 5), fake),
        [[x]],
      ),
    ).toThrow(problem("fake: the result: Shapes [2, 5] and [u0, 2*u0]"));
  });

  test("refuses what it cannot check", () => {
    const refusal = (code: string, text: string) =>
      expect.objectContaining({ code, message: expect.stringContaining(text) });
    expect(() => opCheck(torch.sin)).toThrow(refusal("CUSTOM_OP", "library.opCheck expects operators"));
    const picky = op(() => {
      throw new TypeError("only 7 rows");
    }, alike);
    expect(() => opCheck(picky)).toThrow(refusal("OP_CHECK_SAMPLES", "only 7 rows"));
    expect(() => opCheck(picky, [[x]])).toThrow(problem("schema: the kernel threw: only 7 rows"));
    expect(() => opCheck(picky, x as never)).toThrow(refusal("OP_CHECK_SAMPLES", "not lists of arguments"));
    expect(() => opCheck(picky, [[3]])).toThrow(refusal("NO_SIGNATURE", "c::op"));
    const named = customOp("c::op", { schema: "(Tensor x, str mode) -> Tensor", mutatesArgs: [] }, (given) =>
      given.clone(),
    );
    expect(() => opCheck(named)).toThrow(refusal("OP_CHECK_SAMPLES", "a type without an obvious value"));
  });
});
