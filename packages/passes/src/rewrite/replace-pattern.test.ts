import { type FakeTensor, float, symFloat } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { context, programOf, textOf } from "../programs.fixture.js";
import { explainRule } from "./explain.js";
import { type Expression, replacePattern } from "./replace-pattern.js";
import { rewriteProgram } from "./rewrite.js";
import { defineRule, type Rule } from "./rule.js";

const { operators } = context;
const apply = (text: string, rule: Rule): string =>
  textOf(rewriteProgram(programOf(text), [rule], { operators }));
const reason = (text: string, rule: Rule): string | undefined =>
  explainRule(programOf(text), rule, operators).at(-1)?.reason;

const ONE_NODE = `graph(%x: f32[4]) {
  %s: f32[4] = aten.exp.default(%x)
  %n: f32[4] = aten.neg.default(%s)
  %r: f32[4] = aten.add.Tensor(%s, %n)
  return (%r)
}`;
const TWO_NODES = `graph(%x: f32[4]) {
  %s: f32[4] = aten.exp.default(%x)
  %t: f32[4] = aten.exp.default(%x)
  %n: f32[4] = aten.neg.default(%t)
  %r: f32[4] = aten.add.Tensor(%s, %n)
  return (%r)
}`;
const ZEROS = `graph(%x: f32[4]) {
  %zeros_like: f32[4] = aten.zeros_like.default(%x)
  return (%zeros_like)
}`;

const zeros: Expression = (emit, x) => emit("aten.zeros_like.default", [x]);

describe("a value that is used twice", () => {
  const rule = replacePattern((emit, x) => {
    const s = emit("aten.exp.default", [x]);
    return emit("aten.add.Tensor", [s, emit("aten.neg.default", [s])]);
  }, zeros);

  test("is one node", () => {
    expect(apply(ONE_NODE, rule)).toBe(ZEROS);
    expect(reason(TWO_NODES, rule)).toContain("$value0 would be both");
  });

  test("is found in either order of a commutative call", () => {
    expect(apply(ONE_NODE.replace("(%s, %n)", "(%n, %s)"), rule)).toBe(ZEROS);
  });

  test("may be used often, and by each other", () => {
    const softmax = replacePattern(
      (emit, x) => {
        const exp = emit("aten.exp.default", [
          emit("aten.sub.Tensor", [x, emit("aten.amax.default", [x, [-1], true])]),
        ]);
        return emit("aten.div.Tensor", [exp, emit("aten.sum.dim_IntList", [exp, [-1], true])]);
      },
      (emit, x) => emit("aten._softmax.default", [x, -1, false]),
    );
    expect(
      apply(
        `graph(%x: f32[2, 3]) {
  %m: f32[2, 1] = aten.amax.default(%x, [-1], true)
  %d: f32[2, 3] = aten.sub.Tensor(%x, %m)
  %e: f32[2, 3] = aten.exp.default(%d)
  %s: f32[2, 1] = aten.sum.dim_IntList(%e, [-1], true)
  %r: f32[2, 3] = aten.div.Tensor(%e, %s)
  return (%r)
}`,
        softmax,
      ),
    ).toContain("%_softmax: f32[2, 3] = aten._softmax.default(%x, -1, false)");
  });

  test("may itself be replaced", () => {
    const both = replacePattern(
      (emit, x) => {
        const s = emit("aten.exp.default", [x]);
        return [emit("aten.neg.default", [s]), s];
      },
      (emit, x) => {
        const s = emit("aten.exp2.default", [x]);
        return [emit("aten.abs.default", [s]), s];
      },
    );
    const text = apply(
      `graph(%x: f32[4]) {
  %s: f32[4] = aten.exp.default(%x)
  %n: f32[4] = aten.neg.default(%s)
  return (%n, %s)
}`,
      both,
    );
    expect(text).toContain("return (%abs_1, %exp2)");
  });
});

describe("equal expressions that are written twice", () => {
  const twice = [
    replacePattern((emit, x) => {
      const [s, t] = [emit("aten.exp.default", [x]), emit("aten.exp.default", [x])];
      return emit("aten.add.Tensor", [s, emit("aten.neg.default", [t])]);
    }, zeros),
    defineRule({
      name: "text",
      doc: "",
      match: "aten.add.Tensor(aten.exp.default($x), aten.neg.default(aten.exp.default($x)))",
      replace: "aten.zeros_like.default($x)",
    }),
  ];

  test.each(twice)("are one node or two: %#", (rule) => {
    expect(apply(ONE_NODE, rule)).toBe(ZEROS);
    expect(apply(TWO_NODES, rule)).toBe(ZEROS);
  });

  test.each([
    "aten.add.Tensor(aten.exp.default($x) as $s, aten.neg.default($s))",
    "aten.add.Tensor(aten.exp.default($x) as $s, aten.neg.default(aten.exp.default($x) as $s))",
  ])("are one with a name: %s", (match) => {
    const rule = defineRule({
      name: "named",
      doc: "",
      match: match as string,
      replace: "aten.zeros_like.default($x)",
    });
    expect(apply(ONE_NODE, rule)).toBe(ZEROS);
    expect(apply(TWO_NODES, rule)).toBe(TWO_NODES);
  });

  test("one name for two expressions is refused", () => {
    expect(() =>
      defineRule({
        name: "r",
        doc: "",
        match: "aten.add.Tensor(aten.exp.default($x) as $s, aten.neg.default($x) as $s)",
        replace: "$x",
      }),
    ).toThrow(/calls two expressions \$s/);
  });
});

describe("several results", () => {
  const SPLIT = `graph(%x: f32[4]) {
  %q = aten.split.Tensor(%x, 2)
  %a: f32[2] = operator.getitem(%q, 0)
  %b: f32[2] = operator.getitem(%q, 1)
  %r: f32[2] = aten.add.Tensor(%a, %b)
  return (%r)
}`;
  const halves: Expression = (emit, x) =>
    emit("aten.sub.Tensor", [
      emit("aten.slice.Tensor", [x, 0, 0, 2]),
      emit("aten.slice.Tensor", [x, 0, 2, 4]),
    ]);
  const item = (value: FakeTensor, index: number): FakeTensor => (value as unknown as FakeTensor[])[index]!;

  test.each<[string, Expression]>([
    [
      "many, unpacked",
      (emit, x) => {
        const [a, b] = emit.many("aten.split.Tensor", [x, 2]);
        return emit("aten.add.Tensor", [a, b]);
      },
    ],
    [
      "many, by index",
      (emit, x) => {
        const parts = emit.many("aten.split.Tensor", [x, 2]);
        return emit("aten.add.Tensor", [parts[0], parts[1]]);
      },
    ],
    [
      "operator.getitem",
      (emit, x) => {
        const parts = emit("aten.split.Tensor", [x, 2]);
        return emit("aten.add.Tensor", [
          emit("operator.getitem", [parts, 0]),
          emit("operator.getitem", [parts, 1]),
        ]);
      },
    ],
    [
      "as torch.fx has it",
      (emit, x) => {
        const parts = emit("aten.split.Tensor", [x, 2]);
        return emit("aten.add.Tensor", [item(parts, 0), item(parts, 1)]);
      },
    ],
  ])("%s", (_, before) => {
    expect(apply(SPLIT, replacePattern(before, halves))).toContain("aten.sub.Tensor(%slice_1, %slice_2)");
  });

  test("of the replacement are taken in the same ways", () => {
    const add: Expression = (emit, x) => {
      const [a, b] = emit.many("aten.split.Tensor", [x, 2]);
      return emit("aten.add.Tensor", [a, b]);
    };
    const afters: Expression[] = [
      (emit, x) => {
        const parts = emit.many("aten.chunk.default", [x, 2]);
        return emit("aten.sub.Tensor", [parts[0], emit("operator.getitem", [parts as never, 1])]);
      },
      (emit, x) => {
        const parts = emit("aten.chunk.default", [x, 2]);
        return emit("aten.sub.Tensor", [item(parts, 0), emit("operator.getitem", [parts, 1])]);
      },
    ];
    for (const after of afters) {
      const text = apply(SPLIT, replacePattern(add, after));
      expect(text).toContain("aten.chunk.default(%x, 2)");
      expect(text).toContain("aten.sub.Tensor(%getitem, %getitem_1)");
    }
  });

  test("are roots that are replaced together", () => {
    const rule = replacePattern(
      (emit, x) => {
        const [values, indices] = emit.many("aten.max.dim", [x, 0]);
        return [values!, indices!];
      },
      (emit, x) => [emit("aten.amax.default", [x, [0]]), emit("aten.argmax.default", [x, 0])],
    );
    expect(
      apply(
        `graph(%x: f32[4, 3]) {
  %m = aten.max.dim(%x, 0)
  %v: f32[3] = operator.getitem(%m, 0)
  %i: i64[3] = operator.getitem(%m, 1)
  return (%i, %v)
}`,
        rule,
      ),
    ).toContain("return (%argmax, %amax)");
  });
});

describe("mistakes are reported when the rule is defined", () => {
  const neg: Expression = (emit, x) => emit("aten.neg.default", [x]);
  test.each<[string, Expression, Expression, RegExp]>([
    [
      "an ignored operand",
      (emit, x, _y) => neg(emit, x!),
      (emit, x, y) => emit("aten.add.Tensor", [x, y]),
      /ignores its operand 2/,
    ],
    [
      "a call for nothing",
      (emit, x) => {
        emit("aten.exp.default", [x]);
        return neg(emit, x!);
      },
      neg,
      /emits aten.exp.default for nothing/,
    ],
    [
      "undefined passed on",
      (emit, x) => emit("aten.add.Tensor", [x, undefined]),
      neg,
      /passes undefined to aten.add.Tensor/,
    ],
    [
      "undefined in a replacement",
      neg,
      (emit, x) => emit("aten.add.Tensor", [x, undefined]),
      /passes undefined to/,
    ],
    [
      "no result",
      (() => undefined) as unknown as Expression,
      (() => undefined) as unknown as Expression,
      /gives undefined/,
    ],
    [
      "no result of a replacement",
      neg,
      ((_: unknown, _x: unknown) => undefined) as unknown as Expression,
      /gives undefined/,
    ],
    [
      "another number of results",
      neg,
      (emit, x) => [neg(emit, x!) as FakeTensor, x!],
      /replaces 1 results by 2/,
    ],
    [
      "item of one tensor",
      (emit, x) => emit("operator.getitem", [neg(emit, x!) as FakeTensor, 0]),
      neg,
      /gives one tensor/,
    ],
    [
      "item past the end",
      (emit, x) => emit("operator.getitem", [emit("aten.max.dim", [x, 0]), 2]),
      neg,
      /gives 2 results/,
    ],
    ["several of one", (emit, x) => emit.many("aten.neg.default", [x])[0]!, neg, /gives one tensor/],
    [
      "a list of any length",
      (emit, x) => emit.many("aten.split.Tensor", [x, 1]),
      neg,
      /whose length is not known/,
    ],
    ["sizes of a pattern", (emit, x) => emit("aten.view.default", [x, [...x!.shape]]), neg, /reads shape/],
    [
      "one value twice",
      (emit, x) => {
        const s = neg(emit, x!) as FakeTensor;
        return [s, s];
      },
      (_, x) => [x!, x!],
      /the same value twice/,
    ],
  ])("%s", (_, before, after, message) => {
    const define = (): Rule => replacePattern(before, after);
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: "RULE" }));
  });

  test("but a replacement may ask for sizes", () => {
    const rule = replacePattern(neg, (emit, x) => emit("aten.full.default", [[...x!.shape], float(1)]), {
      name: "ones",
    });
    expect(
      apply("graph(%x: f32[2]) {\n  %r: f32[2] = aten.neg.default(%x)\n  return (%r)\n}", rule),
    ).toContain("aten.full.default([2], 1.0)");
  });
});

describe("a pair of functions", () => {
  test("makes a rule", () => {
    const rule = replacePattern(
      (emit, x, y) => emit("aten.relu.default", [emit("aten.add.Tensor", [x, y])]),
      (emit, x, y) => emit("aten.maximum.default", [x, y]),
    );
    expect(
      apply(
        `graph(%x: f32[2], %y: f32[2]) {
  %s: f32[2] = aten.add.Tensor(%y, %x)
  %r: f32[2] = aten.relu.default(%s)
  return (%r)
}`,
        rule,
      ),
    ).toContain("%maximum: f32[2] = aten.maximum.default(%y, %x)");
  });

  test("must agree on operands, and match something", () => {
    expect(() =>
      replacePattern(
        (_, x) => x!,
        (_, x, _y) => x!,
      ),
    ).toThrow(/1 operands and a replacement of 2/);
    expect(() =>
      replacePattern(
        (_, x) => x!,
        (_, x) => x!,
      ),
    ).toThrow(/nothing to match/);
  });
});

test("a number that a rule computes keeps its kind", () => {
  const rule = defineRule({
    name: "halves",
    doc: "A product with a number.",
    match: "aten.neg.default($x)",
    replace: (emit, { x }) => emit("aten.mul.Tensor", [x!, symFloat(2)]),
  });
  const text = `graph(%x: i64[2]) {
    %y: f32[2] = aten.neg.default(%x)
    return (%y)
  }`;
  expect(apply(text, rule)).toContain("aten.mul.Tensor(%x, 2.0)");
});
