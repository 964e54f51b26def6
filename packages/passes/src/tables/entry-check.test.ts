import { type ExportedProgram, FakeTensor } from "@sconce/ir";
import { defaultOperators, defineOp, type EmitArg } from "@sconce/ops";
import { symbol } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { programOf } from "../programs.fixture.js";
import type { Decomposition } from "./decomposition.js";
import { type Decompositions, defaultDecompositions } from "./table.js";

const program = programOf(
  `graph(%x: f32[2, 3]) {
  %r: f32[2, 3] = aten.relu_.default(%x)
  %m: (f32[2], i64[2]) = aten.max.dim(%r, 1)
  %g: f32[2] = operator.getitem(%m, 0)
  %e: f32[2] = aten.exp.default(%g)
  return (%e)
}`,
  "TRAINING",
);

/** What lowering with these entries is refused for. */
function refusal(
  entries: unknown,
  subject: ExportedProgram = program,
): Record<"code" | "message" | "where" | "fix", string> {
  try {
    runDecompositions(subject, entries as Decompositions);
  } catch (error) {
    return error as never;
  }
  throw new Error("nothing was refused");
}
const relu = (entry: unknown) => refusal({ "aten.relu.default": entry });
const self = (args: Readonly<Record<string, EmitArg>>): FakeTensor => args["self"] as FakeTensor;
const stranger = new FakeTensor({ dtype: "float32", shape: [2, 3], strides: [3, 1] });

describe("a result that the replaced call does not have", () => {
  test.each<[string, unknown, RegExp]>([
    ["nothing", () => undefined, /returned undefined where its schema says Tensor/],
    ["None", () => null, /returned null where its schema says Tensor/],
    ["a number", () => 3, /returned a number where its schema says Tensor/],
    ["a list", (_: never, args: never) => [self(args)], /returned a list of 1 where its schema says Tensor/],
    ["a promise", async (_: never, args: never) => self(args), /returned a promise/],
    ["a real tensor", () => Tensor.from([1], [1], "float32"), /returned an object that is not a FakeTensor/],
    [
      "another shape",
      ((emit, args) => emit("aten.sum.dim_IntList", [self(args), [0]])) satisfies Decomposition,
      /returned float32\[3\], the replaced call gives float32\[2, 3\]/,
    ],
    [
      "another dtype",
      ((emit, args) =>
        emit("aten._to_copy.default", [self(args)], { dtype: "int64" })) satisfies Decomposition,
      /returned int64\[2, 3\], the replaced call gives float32\[2, 3\]/,
    ],
    ["a tensor of no graph", () => stranger, /returned a tensor that is in no graph or in another one/],
  ])("%s", (_, entry, message) => {
    const error = relu(entry);
    expect(error.code).toBe("DECOMPOSITION_RESULT");
    expect(error.message).toMatch(/^the decomposition of aten.relu.default /);
    expect(error.message).toMatch(message);
    expect(error.where).toBe("%r = aten.relu_.default: aten.relu.default");
    expect(error.fix).toMatch(/^return what the replaced call returns/);
  });

  test("too few and too many results, and one of another kind", () => {
    const max = (entry: Decomposition) => refusal({ "aten.max.dim": entry }).message;
    const pair: Decomposition = (emit, args) => emit.many("aten.sort.default", [self(args), 1]);
    expect(max((emit, args) => emit("aten.amax.default", [self(args), [1]]))).toMatch(
      /returned a tensor where its schema says \(Tensor, Tensor\)/,
    );
    expect(max((emit, args) => [emit("aten.amax.default", [self(args), [1]])])).toMatch(
      /returned a list of 1/,
    );
    expect(max(pair)).toMatch(/returned float32\[2, 3\] as result 0, the replaced call gives float32\[2\]/);
    expect(
      max((emit, args) => {
        const value = emit("aten.amax.default", [self(args), [1]]);
        return [value, value];
      }),
    ).toMatch(/returned float32\[2\] as result 1, the replaced call gives int64\[2\]/);
  });

  test("a tensor of another program", () => {
    let kept: FakeTensor | undefined;
    runDecompositions(program, {
      "aten.relu.default": (emit, args) => {
        kept = emit("aten.neg.default", [self(args)]);
        return kept;
      },
    });
    expect(relu(() => kept).message).toMatch(/in no graph or in another one/);
    const emitted = relu(((emit) => emit("aten.neg.default", [kept])) satisfies Decomposition);
    expect(emitted.code).toBe("UNTRACED_TENSOR");
    expect(emitted.message).toMatch(/^the decomposition of aten.relu.default calls aten.neg.default: /);
  });

  test("an entry for a composite", () => {
    const linear = programOf(
      `graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
  %l: f32[2, 2] = aten.linear.default(%x, %p_w)
  return (%l)
}`,
      "TRAINING",
    );
    const entry: Decomposition = (emit, args) => emit("aten.sum.default", [args["input"]]);
    expect(refusal({ "aten.linear.default": entry }, linear).message).toBe(
      "the decomposition of aten.linear.default returned float32[], the replaced call gives float32[2, 2]",
    );
    const strange = refusal({ "aten.linear.default": () => stranger }, linear);
    expect(strange.message).toMatch(/aten.linear.default returned a tensor that is in no graph/);
  });
});

describe("sizes are compared by symbolic equality", () => {
  const dynamic = programOf(
    `graph(%x: f32[s0, s1], %y: f32[s0 + s1, 2]) {
  %r: f32[s0, s1] = aten.relu.default(%x)
  return (%r)
}`,
    "TRAINING",
  );
  const size = (name: string): EmitArg => symbol(name, { integer: true, positive: true } as never) as EmitArg;

  test("equal expressions in another form pass", () => {
    const entry: Decomposition = (emit, args) => {
      const [rows, columns] = self(args).shape;
      const joined = emit("aten.cat.default", [[self(args), self(args)], 0]);
      const flat = emit("aten.view.default", [joined, [-1, columns as EmitArg]]);
      return emit("aten.slice.Tensor", [flat, 0, 0, rows as EmitArg]);
    };
    const lowered = runDecompositions(dynamic, { "aten.relu.default": entry });
    expect(lowered.opHistogram().get("aten.slice.Tensor")).toBe(1);
  });

  test("other symbols, and other expressions of them, do not", () => {
    const transposed: Decomposition = (emit, args) => emit("aten.permute.default", [self(args), [1, 0]]);
    expect(refusal({ "aten.relu.default": transposed }, dynamic).message).toBe(
      "the decomposition of aten.relu.default returned float32[s1, s0], the replaced call gives float32[s0, s1]",
    );
    const twice: Decomposition = (emit, args) => emit("aten.cat.default", [[self(args), self(args)], 0]);
    expect(refusal({ "aten.relu.default": twice }, dynamic).message).toMatch(/returned float32\[2\*s0, s1\]/);
    expect(size("s0")).toBeDefined();
  });

  test("sizes that only the data decide are left open", () => {
    const masked = programOf(
      `graph(%x: f32[4]) {
  %n: i64[u0, 1] = aten.nonzero.default(%x)
  return (%n)
}`,
      "TRAINING",
    );
    const entry: Decomposition = (emit, args) =>
      emit("aten.stack.default", [emit.many("aten.nonzero_numpy.default", [self(args)]), 1]);
    expect(() => runDecompositions(masked, { "aten.nonzero.default": entry })).not.toThrow(/returned/);
  });
});

describe("an entry that emits its own operator", () => {
  test("directly, on the same and on other values", () => {
    const again: Decomposition = (emit, args) => emit("aten.relu.default", [self(args)]);
    const other: Decomposition = (emit, args) =>
      emit("aten.relu.default", [emit("aten.neg.default", [self(args)])]);
    for (const entry of [again, other]) {
      const error = relu(entry);
      expect(error.code).toBe("DECOMPOSITION_CYCLE");
      expect(error.message).toBe(
        "the decomposition of aten.relu.default never ends: aten.relu.default -> aten.relu.default",
      );
      expect(error.where).toBe("%r = aten.relu_.default: aten.relu.default");
    }
  });

  test("on values that grow for ever", () => {
    const grows: Decomposition = (emit, args) =>
      emit("aten.relu.default", [emit("aten.cat.default", [[self(args), self(args)], 0])]);
    expect(relu(grows).code).toBe("DECOMPOSITION_CYCLE");
  });

  test("through other entries, Sconce's included", () => {
    const table = defaultDecompositions();
    table.set("aten.relu.default", (emit, args) => emit("aten.silu.default", [self(args)]));
    table.set("aten.mul.Tensor", (emit, args) => emit("aten.relu.default", [self(args)]));
    expect(refusal(table).message).toBe(
      "the decomposition of aten.relu.default never ends: aten.relu.default -> aten.silu.default -> aten.mul.Tensor -> aten.relu.default",
    );
  });

  test("is allowed where it ends", () => {
    const halves: Decomposition = (emit, args) => {
      const rows = self(args).shape[0] as number;
      if (rows === 1) return emit("aten.clamp.default", [self(args), 0]);
      const parts = [
        emit("aten.slice.Tensor", [self(args), 0, 0, 1]),
        emit("aten.slice.Tensor", [self(args), 0, 1, rows]),
      ];
      return emit("aten.cat.default", [parts.map((part) => emit("aten.relu.default", [part])), 0]);
    };
    expect(
      runDecompositions(program, { "aten.relu.default": halves }).opHistogram().get("aten.clamp.default"),
    ).toBe(2);
  });
});

describe("wrong calls of the emitter name the entry", () => {
  test.each<[string, Decomposition, string, RegExp]>([
    [
      "an unknown operator",
      (emit, args) => emit("aten.rellu.default", [self(args)]),
      "UNKNOWN_OPERATOR",
      /calls aten.rellu.default: unknown operator "aten.rellu.default"/,
    ],
    [
      "a missing overload",
      (emit, args) => emit("aten.clamp", [self(args), 0]),
      "UNKNOWN_OPERATOR",
      /unknown operator "aten.clamp"/,
    ],
    [
      "a name that is not a string",
      (emit, args) => emit(undefined as never, [self(args)]),
      "UNKNOWN_OPERATOR",
      /named by a string/,
    ],
    [
      "a tensor in place of the list",
      (emit, args) => emit("aten.neg.default", self(args) as never),
      "ARGUMENT_KIND",
      /must be a list/,
    ],
    [
      "an argument of another kind",
      (emit, args) => emit("aten.clamp.default", [self(args), "low"]),
      "ARGUMENT_KIND",
      /"min" must be/,
    ],
    [
      "an unknown keyword",
      (emit, args) => emit("aten.clamp.default", [self(args)], { least: 0 }),
      "ARGUMENT_UNEXPECTED",
      /no argument "least"/,
    ],
    [
      "a misspelled argument of the entry",
      (emit, args) => emit("aten.neg.default", [args["slef"]]),
      "ARGUMENT_MISSING",
      /missing a value/,
    ],
    [
      "sizes that do not go together",
      (emit, args) => emit("aten.mm.default", [self(args), self(args)]),
      "SHAPE_MISMATCH",
      /calls aten.mm.default: /,
    ],
    [
      "one tensor of several",
      (emit, args) => emit("aten.max.dim", [self(args), 1]),
      "RESULT_KIND",
      /aten.max.dim/,
    ],
  ])("%s", (_, entry, code, message) => {
    const error = relu(entry);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(`${error.message} ${error.where}`).toMatch(/decomposition of aten.relu.default|aten.relu.default/);
    expect(error.where).toMatch(/^%r = aten.relu_.default: aten.relu.default/);
  });

  test("a suggestion is near", () => {
    expect(
      relu(((emit, args) => emit("aten.rellu.default", [self(args)])) satisfies Decomposition).fix,
    ).toMatch(/^did you mean "aten.relu.default"/);
  });

  test("an entry that throws", () => {
    const error = relu(() => {
      throw new TypeError("not today");
    });
    expect(error).toMatchObject({
      code: "DECOMPOSITION_FAILED",
      message: "the decomposition of aten.relu.default threw: not today; got self: float32[2, 3]",
    });
  });

  test("the innermost entry is named", () => {
    const error = refusal({
      "aten.relu.default": (emit: never, args: never) =>
        (emit as never as (...args: unknown[]) => unknown)("aten.silu.default", [self(args)]),
      "aten.silu.default": () => 1,
    });
    expect(error.message).toMatch(/^the decomposition of aten.silu.default returned a number/);
    expect(error.where).toBe("%r = aten.relu_.default: aten.silu.default");
  });
});

describe("the decomposition of a custom operator", () => {
  const lowered = (decompose: Decomposition, meta?: () => FakeTensor): unknown => {
    const row = defineOp({
      schema: "own::op(Tensor self) -> Tensor",
      ...(meta && { meta }),
      decompose: decompose as never,
    });
    const subject = programOf(
      `graph(%x: f32[2]) {\n%r: f32[2] = own.op.default(%x)\nreturn (%r)\n}`,
      "TRAINING",
    );
    return runDecompositions(subject, undefined, { operators: defaultOperators().extend([row]) });
  };

  test("is held to its shape rule", () => {
    const meta = () => new FakeTensor({ dtype: "float32", shape: [2], strides: [1] });
    expect(() => lowered((emit, args) => emit("aten.sum.default", [self(args)]), meta)).toThrow(
      "the decomposition of own.op.default returned float32[], the replaced call gives float32[2]",
    );
  });

  test("is held to its schema, also as the shape rule", () => {
    expect(() => lowered(() => [] as never)).toThrow(
      "the decomposition of own.op.default returned a list of 0 where its schema says Tensor",
    );
  });
});
