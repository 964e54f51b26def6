import { type FakeTensor, pythonTuple, registerDataclass } from "@sconce/ir";
import { eq, type IntLike, printExpr, printRange } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import {
  AdditionalInputs,
  bindInputs,
  Dim,
  type DynamicShapes,
  dims,
  dynamicDim,
  makeFakeInputs,
  refineDynamicShapesFromSuggestedFixes,
  refuseOldOptions,
  ShapesCollection,
  solveConstraints,
} from "./index.js";

const t = (...shape: number[]): Tensor => Tensor.withoutValues({ dtype: "float32", shape });
const named = (name: string) => ({ name, isRest: false });
const rest = (name: string) => ({ name, isRest: true });
const b = Dim("b");

class Point {
  constructor(
    readonly a: Tensor,
    readonly b: Tensor,
  ) {}
}
registerDataclass(Point, { fields: ["a", "b"], serializedTypeName: "dynamic.Point" });

interface Call {
  readonly parameters?: Parameters<typeof bindInputs>[0];
  readonly args: readonly unknown[];
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

/** What an export of a function that does nothing declares; `guard` runs on the first fake. */
function declared(
  { parameters = [named("x"), named("y")], args, kwargs }: Call,
  spec: DynamicShapes | null,
  guard?: (fake: IntLike, prepared: ReturnType<typeof makeFakeInputs>) => void,
): unknown {
  const prepared = makeFakeInputs(bindInputs(parameters, args, kwargs), spec);
  const integer = prepared.inputs.find(({ value }) => typeof value === "number");
  guard?.(integer?.fake as IntLike, prepared);
  const { rangeConstraints, guardsCode } = solveConstraints(prepared);
  const sizes = prepared.inputs.map(({ fake }) => {
    const shape = (fake as FakeTensor | undefined)?.shape;
    if (shape === undefined) return String(prepared.env.replace(fake as IntLike));
    return `[${shape.map((size) => printExpr(prepared.env.replace(size))).join(", ")}]`;
  });
  const ranges = [...rangeConstraints].map(([name, range]) => `${name}: ${printRange(range)}`);
  return [sizes.join(" "), ranges.join(" "), guardsCode.join(" ")];
}

const one = (...shape: number[]): Call => ({ args: [t(...shape)] });

describe("specifications", () => {
  const variadic = { parameters: [named("x"), rest("ys")], args: [t(4), t(4), t(5)] };
  const small = { 0: Dim.DYNAMIC({ max: 3 }) };
  test.each<[string, Call, DynamicShapes | null, readonly string[]]>([
    ["nothing", one(4, 3), null, ["[4, 3]", "", ""]],
    ["an empty object", one(4, 3), {}, ["[4, 3]", "", ""]],
    ["a hint for a dimension that does not exist", one(4, 3), { x: { 5: Dim.AUTO } }, ["[4, 3]", "", ""]],
    ["a size of 0", one(0, 3), { x: { 0: Dim.AUTO } }, ["[0, 3]", "", ""]],
    ["a Map", one(4, 3), new Map([["x", new Map([[0, b]])]]), ["[s77, 3]", "s77: VR[0, int_oo]", ""]],
    ["numbers and null", one(4, 3), [[4, null]], ["[4, 3]", "", ""]],
    [
      "variadic arguments",
      variadic,
      { x: { 0: b }, ys: [{ 0: b }, { 0: Dim.DYNAMIC }] },
      [
        "[s43] [s43] [s30]",
        "s43: VR[0, int_oo] s30: VR[2, int_oo]",
        "L['ys'][0].size()[0] == L['x'].size()[0]",
      ],
    ],
    [
      "a list",
      variadic,
      [{ 0: b }, [{ 0: b }, { 0: Dim.DYNAMIC }]],
      [
        "[s43] [s43] [s30]",
        "s43: VR[0, int_oo] s30: VR[2, int_oo]",
        "L['ys'][0].size()[0] == L['x'].size()[0]",
      ],
    ],
    [
      "keyword arguments",
      { args: [t(4)], kwargs: { z: t(5) } },
      { x: { 0: b }, z: { 0: Dim.DYNAMIC } },
      ["[s77] [s68]", "s77: VR[0, int_oo] s68: VR[2, int_oo]", ""],
    ],
    [
      "keyword arguments under their parameter",
      { parameters: [named("x"), named("options")], args: [t(4)], kwargs: { z: t(5) } },
      { x: { 0: b }, options: { z: { 0: Dim.DYNAMIC } } },
      ["[s77] [s68]", "s77: VR[0, int_oo] s68: VR[2, int_oo]", ""],
    ],
    [
      "containers",
      { parameters: [named("d"), named("l")], args: [{ a: t(4) }, [t(4), { k: t(5) }]] },
      { d: { a: { 0: b } }, l: [{ 0: b }, { k: [Dim.DYNAMIC] }] },
      [
        "[s56] [s56] [s43]",
        "s56: VR[0, int_oo] s43: VR[2, int_oo]",
        "L['l'][0].size()[0] == L['d']['a'].size()[0]",
      ],
    ],
    [
      "a registered class",
      { parameters: [named("p")], args: [new Point(t(4), t(4))] },
      { p: [{ 0: b }, { 0: b }] },
      ["[s86] [s86]", "s86: VR[0, int_oo]", "L['p'].b.size()[0] == L['p'].a.size()[0]"],
    ],
    [
      "an integer",
      { parameters: [named("x"), named("n")], args: [t(4), 3] },
      { x: null, n: Dim.DYNAMIC },
      ["[4] s86", "s86: VR[0, int_oo]", ""],
    ],
    [
      "an integer with bounds",
      { parameters: [named("x"), named("n")], args: [t(4), 3] },
      { x: null, n: Dim.DYNAMIC({ min: 5 }) },
      ["[4] s86", "s86: VR[5, int_oo]", ""],
    ],
    [
      "derived dims",
      { args: [t(9), t(8)] },
      { x: { 0: Dim("d", { max: 64 }).add(1) }, y: { 0: Dim("d", { max: 64 }) } },
      ["[s17 + 1] [s17]", "s17 + 1: VR[1, 65] s17: VR[0, 64]", "L['x'].size()[0] == (1 + L['y'].size()[0])"],
    ],
    [
      "a root that no size is",
      one(8),
      { x: { 0: Dim("h").mul(2) } },
      ["[2*s39]", "2*s39: VR[0, int_oo] s39: VR[2, int_oo]", ""],
    ],
  ])("%s", (_, call, spec, expected) => {
    expect(declared(call, spec)).toEqual(expected);
  });

  test("a tensor that is passed twice has one symbol", () => {
    const x = t(4, 3);
    const spec = { x: { 0: b }, y: { 0: b } };
    expect(declared({ args: [x, x] }, spec)).toEqual(["[s77, 3] [s77, 3]", "s77: VR[0, int_oo]", ""]);
  });
  test("an integer with `Dim.AUTO` may become a constant, with `Dim.DYNAMIC` it may not", () => {
    const call = { parameters: [named("x"), named("n")], args: [t(4), 3] };
    const guard = (n: IntLike, { env }: ReturnType<typeof makeFakeInputs>): void => {
      env.guard(eq(n, 3));
    };
    expect(declared(call, { x: null, n: Dim.AUTO }, guard)).toEqual(["[4] 3", "", "L['n'] == 3"]);
    expect(() => declared(call, { x: null, n: Dim.DYNAMIC }, guard)).toThrow(
      "You marked L['n'] as dynamic but your code specialized it to be a constant (3).",
    );
  });
  test("hint bounds narrow the range, and conflicts are listed", () => {
    const spec = { x: small, y: null };
    expect(declared({ args: [t(4), t(2)] }, spec)).toEqual(["[s77] [2]", "s77: VR[2, 3]", ""]);
    expect(() => declared(one(1, 3), { x: { 0: Dim.DYNAMIC } })).toThrow(
      "Found the following conflicts between user-specified ranges and inferred ranges from model tracing:\n- Received user-specified dim hint Dim.DYNAMIC(min=None, max=None), but export 0/1 specialized due to hint of 1 for dimension inputs['x'].shape[0].",
    );
  });
  test("an example size of 1 is warned of [S-037]", () => {
    const prepared = makeFakeInputs(bindInputs([named("x")], [t(1, 3)]), { x: { 0: Dim.AUTO } });
    expect(solveConstraints(prepared).warnings).toEqual([
      "dimension inputs['x'].shape[0] 0/1 specialized; Dim.AUTO was specified along with a sample input with hint = 1. Pass an example size of 2 or more to keep it dynamic.",
    ]);
  });
});

describe("refusals", () => {
  const x43 = one(4, 3);
  const tuple = pythonTuple;
  test.each<[string, Call, DynamicShapes]>([
    [
      "Detected mismatch between the structure of `inputs` and `dynamic_shapes`: `inputs['d']` is a <class 'dict'>, but `dynamic_shapes['d']` is not",
      { parameters: [named("d")], args: [{ a: t(4) }] },
      { d: null },
    ],
    [
      "Detected mismatch between the structure of `inputs` and `dynamic_shapes`: `inputs['d']` is a <class 'list'>, but `dynamic_shapes['d']` is a <class 'dict'>",
      { parameters: [named("d")], args: [[t(4)]] },
      { d: { a: null } },
    ],
    [
      "Detected mismatch between the structure of `inputs` and `dynamic_shapes`: `inputs['d']` is a <class 'list'>, but `dynamic_shapes['d']` is not",
      { parameters: [named("d")], args: [[t(4)]] },
      { d: Dim.AUTO },
    ],
    [
      "Detected mismatch between the structure of `inputs` and `dynamic_shapes`: `inputs['d']` has 1 elements, but `dynamic_shapes['d']` has 2 elements",
      { parameters: [named("d")], args: [[t(4)]] },
      { d: [null, null] },
    ],
    [
      "Detected mismatch between the structure of `inputs` and `dynamic_shapes`: `inputs['d']` has keys ['a'], but `dynamic_shapes['d']` has keys ['b']",
      { parameters: [named("d")], args: [{ a: t(4) }] },
      { d: { b: null } },
    ],
    [
      "Detected mismatch between the structure of `inputs` and `dynamic_shapes`: `inputs` has 2 elements, but `dynamic_shapes` has 1 elements",
      { args: [t(4), t(4)] },
      [null],
    ],
    [
      "When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg names ['x', 'y'] of `inputs`, but here they are ['x']. Alternatively, you could also ignore arg names entirely and specify `dynamic_shapes` as a list/tuple matching `inputs`.",
      { args: [t(4), t(4)] },
      { x: null },
    ],
    [
      "When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg names ['d'] of `inputs`, but here they are ['a']. Since here `inputs` is a list/tuple enclosing a single dict, maybe you just forgot to enclose `dynamic_shapes` in a list/tuple?",
      { parameters: [named("d")], args: [{ a: t(4) }] },
      { a: null },
    ],
    [
      "Cannot associate shape {0: DimHint(AUTO)} specified at `dynamic_shapes['s']` to non-tensor type <class 'str'> at `inputs['s']` (expected None)",
      { parameters: [named("x"), named("s")], args: [t(4), "a"] },
      { x: null, s: { 0: Dim.AUTO } },
    ],
    [
      "Expected dynamic shape spec (DimHint(AUTO),) specified at `dynamic_shapes[0]` to have the same length as the actual tensor shape torch.Size([4, 3]) (expected 2, but got 1 instead)",
      x43,
      [tuple(Dim.AUTO)],
    ],
    [
      "Expected dynamic shape spec [DimHint(AUTO)] specified at `dynamic_shapes['x']` to have the same length as the actual tensor shape torch.Size([4, 3]) (expected 2, but got 1 instead)",
      x43,
      { x: [Dim.AUTO] },
    ],
    [
      "Unexpected dimension mapped to index 0 in input tensor shape {0: 'a'} specified at `dynamic_shapes['x']` (expected None, an int, a Dim, Dim.AUTO, Dim.STATIC, or Dim.DYNAMIC,  but got 'a' instead)",
      x43,
      { x: { 0: "a" } },
    ],
    [
      "Unexpected dimension #0 in input tensor shape ('a', None) specified at `dynamic_shapes['x']` (expected None, an int, a Dim, Dim.AUTO, Dim.STATIC, or Dim.DYNAMIC, but got 'a' instead)",
      x43,
      { x: tuple("a", null) },
    ],
    [
      "Unexpected input tensor shape a specified at `dynamic_shapes['x']` (expected either a list/tuple of dimensions, or a dict mapping indices to dimensions, where each dimension is an int, a Dim, Dim.AUTO, Dim.STATIC, or Dim.DYNAMIC)",
      x43,
      { x: "a" },
    ],
    [
      "Found different definitions Dim('b', min=0) and Dim('b', min=0, max=9) for the same symbolic dimension Dim('b', min=0, max=9)!",
      { args: [t(4), t(4)] },
      { x: { 0: b }, y: { 0: Dim("b", { max: 9 }) } },
    ],
    [
      "Expected derived min value of b - 3 to be >= 0. Please specify an appropriate min value for b (currently 0).",
      one(4),
      { x: { 0: b.sub(3) } },
    ],
    ["12 not in range [2, 10]", one(12), { x: { 0: Dim("b", { max: 10 }) } }],
    [
      "Static shape constraint of 5 does not match input size of 4, for L['x'].size()[0]",
      x43,
      { x: { 0: 5 } },
    ],
    [
      "Expected shape[0] = 5 of input Tensor to be of the form 2*h, where h is an integer",
      one(5),
      { x: { 0: Dim("h").mul(2) } },
    ],
    [
      "Unable to specify input integers as dynamic through named Dims. Please use Dim.AUTO/DYNAMIC instead.",
      { parameters: [named("x"), named("n")], args: [t(4), 3] },
      { x: null, n: Dim("n") },
    ],
    [
      "Constraints violated (b)!\n  - You marked b as dynamic but your code specialized it to be a constant (1). If you're using mark_dynamic, either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace it with either Dim.STATIC or Dim.AUTO.\nSuggested fixes:\n  b = 1",
      one(1, 3),
      { x: { 0: b } },
    ],
    [
      "Constraints violated (2*h)!\n  - You marked 2*h as dynamic but your code specialized it to be a constant (2). If you're using mark_dynamic, either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace it with either Dim.STATIC or Dim.AUTO.",
      one(2, 3),
      { x: { 0: Dim("h").mul(2) } },
    ],
    [
      "L['y'].size()[0] = 4 is not equal to L['x'].size()[0] = 8",
      { args: [t(8), t(4)] },
      { x: { 0: b }, y: { 0: b } },
    ],
    [
      "Expected input L['y'].size()[0] to be equal to b + 1, where b = 8, but got 8",
      { args: [t(8), t(8)] },
      { x: { 0: b }, y: { 0: b.add(1) } },
    ],
    [
      "dimension 5 specified at `dynamic_shapes['x']` is out of range for a tensor of 2 dimensions",
      x43,
      { x: { 5: b } },
    ],
  ])("%s", (message, call, spec) => {
    const parameters = call.parameters ?? [named("x"), named("y")].slice(0, call.args.length);
    try {
      declared({ ...call, parameters }, spec);
      expect.unreachable("nothing is refused");
    } catch (error) {
      expect((error as Error).message.split("\n\nSizes that break it:")[0]).toBe(message);
    }
  });
});

describe("dims", () => {
  test("print as PyTorch's", () => {
    const d = Dim("d");
    const all = [d.add(1), d.sub(1), d.mul(2), d.add(2).mul(3).add(1), b, Dim("b", { min: 2 })];
    expect(all.map(String)).toEqual(["d + 1", "d - 1", "2*d", "3*d + 7", "Dim('b', min=0)", "Dim('b')"]);
    const rest = [
      new Dim("b", { min: 2, max: 4 }),
      Dim.AUTO,
      Dim.AUTO({ min: 4, max: 64 }),
      Dim.DYNAMIC({ max: 8 }),
    ];
    expect(rest.map(String)).toEqual([
      "Dim('b', max=4)",
      "DimHint(AUTO)",
      "DimHint(AUTO, min=4, max=64)",
      "DimHint(DYNAMIC, max=8)",
    ]);
    expect(d.add(1).sub(1).toString()).toBe("d");
    expect(dims("p", "q", { max: 9 }).map(String)).toEqual([
      "Dim('p', min=0, max=9)",
      "Dim('q', min=0, max=9)",
    ]);
    expect([b instanceof Dim, d.add(1) instanceof Dim]).toEqual([true, true]);
  });
  const linear = "(Only increasing linear operations with integer coefficients are supported.)";
  test.each<[string, () => unknown]>([
    ["Dim name must be a valid identifier, got a b", () => Dim("a b")],
    ["Cannot create Dim with inconsistent min=5, max=4", () => Dim("a", { min: 5, max: 4 })],
    [`Attempted to add 1.5 to a, where an integer was expected. ${linear}`, () => Dim("a").add(1.5)],
    [
      `Attempted to subtract x from a, where an integer was expected. ${linear}`,
      () => Dim("a").sub("x" as never),
    ],
    [
      `Attempted to multiply -1 with a, where a positive integer was expected. ${linear}`,
      () => Dim("a").mul(-1),
    ],
    [`Attempted to negate a. ${linear}`, () => Dim("a").neg()],
    ["min must be non-negative, got -1", () => Dim.AUTO({ min: -1 })],
    ["min must be <= max, got min=3, max=2", () => Dim.AUTO({ min: 3, max: 2 })],
  ])("%s", (message, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "BAD_DIM", message }));
  });
});

describe("collections", () => {
  const x = t(4, 3);
  const model = (x: unknown, others: unknown): unknown => [x, others];
  test("a collection gives the structure of the inputs", () => {
    const shapes = new ShapesCollection().set(x, [b, 3]);
    shapes.get(x).set(1, Dim.AUTO);
    expect([shapes.size, shapes.dynamicShapes(model, [x, [t(3), 7]])]).toEqual([
      1,
      {
        x: new Map<number, unknown>([
          [0, b],
          [1, Dim.AUTO],
        ]),
        others: [null, null],
      },
    ]);
  });
  test.each<[string, () => unknown]>([
    [
      "Shapes assigned to input do not match: expected {0: DimHint(DYNAMIC)}, got {0: DimHint(AUTO)}",
      () => new ShapesCollection().set(x, { 0: Dim.DYNAMIC }).set(x, { 0: Dim.AUTO }),
    ],
    [
      "Cannot assign shape to non-tensor or non-_IntWrapper type <class 'int'>",
      () => new ShapesCollection().set(4 as never, { 0: Dim.AUTO }),
    ],
    [
      "Some tensors that were assigned shapes were not found in args. Maybe such tensors were copied when passing them as args? Maybe such tensors are contained in classes that were not registered with pytree?",
      () => new ShapesCollection().set(t(4), { 0: b }).dynamicShapes(model, [x, []]),
    ],
  ])("%s", (message, use) => {
    expect(use).toThrow(expect.objectContaining({ message }));
  });
  test.each<[string, (one: ShapesCollection | AdditionalInputs) => unknown]>([
    [
      "takes a model first, a module or a function, not <class 'list'>",
      (one) => one.dynamicShapes([x] as never, []),
    ],
    [
      "takes a model first, a module or a function, not <class 'NoneType'>",
      (one) => one.dynamicShapes(null as never, []),
    ],
    ["takes the positional arguments as a list", (one) => one.dynamicShapes(model, x as never)],
    ["takes the positional arguments as a list", (one) => one.dynamicShapes(model, undefined as never)],
  ])("dynamicShapes %s", (message, use) => {
    for (const one of [new ShapesCollection(), new AdditionalInputs()])
      expect(() => use(one)).toThrow(
        expect.objectContaining({ code: "BAD_DYNAMIC_SHAPES", message: expect.stringContaining(message) }),
      );
  });
  test("additional inputs make sizes and integers that differ dynamic", () => {
    const three = { forward: (x: unknown, y: unknown, n: unknown): unknown => [x, y, n] };
    const shapesOf = (...others: readonly (readonly unknown[])[]): DynamicShapes => {
      const more = new AdditionalInputs();
      for (const args of others) more.add(args);
      return more.dynamicShapes(three, [t(4, 3), "a", 6]);
    };
    expect(shapesOf([t(4, 5), "a", 7])).toEqual({ x: [null, Dim.DYNAMIC], y: null, n: Dim.DYNAMIC });
    expect(() => shapesOf([t(4, 3), "b", 6])).toThrow(
      "The following inputs were found to have differing values, but they cannot be marked as dynamic: ('a', 'b').",
    );
    expect(() => shapesOf([t(4, 3), "a", "b"])).toThrow(
      "The following inputs were found to have differing types, so they cannot be marked as dynamic: (6, 'b').",
    );
  });
});

describe("suggested fixes", () => {
  const [dx, dy] = dims("dx", "dy");
  const refine = (fixes: string, spec: DynamicShapes): string => {
    const refined = refineDynamicShapesFromSuggestedFixes(`Suggested fixes:\n  ${fixes}`, spec);
    return JSON.stringify(refined, (_, value: unknown) => (value instanceof Dim ? String(value) : value));
  };
  test.each([
    ["dx = Dim('dx', min=3, max=6)", `{"x":["Dim('dx', min=3, max=6)"],"y":["dx + 2"]}`],
    ["dx = 4", `{"x":[4],"y":[6]}`],
    ["_dx = Dim('_dx', min=1, max=oo)\n  dx = 4*_dx", `{"x":["4*_dx"],"y":["4*_dx + 2"]}`],
  ])("%s", (fixes, expected) => {
    expect(refine(fixes, { x: [dx], y: [dx.add(2)] })).toBe(expected);
  });
  test("one dim becomes a formula of another [S-040]", () => {
    expect(refine("dx = dy + 1", { x: [dx], y: [dy, null, 3] })).toBe(
      `{"x":["dy + 1"],"y":["Dim('dy', min=0)",null,3]}`,
    );
  });
  test("a message without fixes is refused", () => {
    expect(() => refineDynamicShapesFromSuggestedFixes("no", { x: [dx] })).toThrow(
      "Suggested fixes not found in error message given to refine_dynamic_shapes_from_suggested_fixes()",
    );
  });
});

test("the older spelling is refused with the new one [S-041, T-14]", () => {
  for (const use of [
    () => dynamicDim(t(4), 0),
    () => refuseOldOptions({ constraints: [] }),
    () => refuseOldOptions({ dynamic_shapes: {} }),
  ])
    expect(use).toThrow(
      expect.objectContaining({
        code: "OLD_DYNAMIC_SHAPES",
        fix: expect.stringContaining("dynamicShapes: {"),
      }),
    );
  refuseOldOptions({ dynamicShapes: {} });
});
