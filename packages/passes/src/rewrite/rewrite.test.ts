import { FakeTensor } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { context, programOf, textOf } from "../programs.fixture.js";
import { explainRule } from "./explain.js";
import { parsePattern, patternText } from "./pattern.js";
import { rewriteProgram } from "./rewrite.js";
import { defineRule, type Rule } from "./rule.js";

const { operators } = context;
const apply = (text: string, ...rules: Rule[]): string =>
  textOf(rewriteProgram(programOf(text), rules, { operators }));

const reluTwice = defineRule({
  name: "relu-twice",
  doc: "relu of a relu is the inner one.",
  match: "aten.relu.default(aten.relu.default($x))",
  replace: "aten.relu.default($x)",
});

const mulAdd = defineRule({
  name: "mul-add",
  doc: "a product and a sum in one call",
  match: "aten.add.Tensor(aten.mul.Tensor($x, $y), $z)",
  where: ({ x }) => (x instanceof FakeTensor ? true : "x is not a tensor"),
  replace: (emit, { x, y, z }) => emit("aten.addcmul.default", [z, x, y]),
});

describe("patterns", () => {
  test.each([
    "aten.relu.default($x)",
    "aten.add.Tensor(aten.mul.Tensor($x, 1.0), _, alpha=2)",
    "aten.relu.default|aten.gelu.default($x, ...)",
    "aten.cat.default([$a, _, $rest...], -1)",
    "aten.cat.default([$a..., aten.neg.default($x), ..., $b], -1)",
    "operator.getitem(aten.native_layer_norm.default($x, [4], none, $b, ...) as $norm, 0)",
    "aten.to.dtype($x, float32, true)",
  ])("%s reads back", (text) => {
    expect(patternText(parsePattern(text))).toBe(text);
  });

  test("take Python's words for true, false and none", () => {
    const text = "aten.layer_norm.default($x, [4], None, $b, eps=True, cudnn_enable=False)";
    expect(patternText(parsePattern(text))).toBe(
      "aten.layer_norm.default($x, [4], none, $b, eps=true, cudnn_enable=false)",
    );
  });

  test.each([
    ["aten.relu.default($x", 'expected ",", found the end'],
    ["aten.add.Tensor(..., $b)", "nothing may follow"],
    ["aten.add.Tensor($x, alpha=1, $y)", "an argument without a name"],
    ["aten.add.Tensor($xs...)", "cannot be captured"],
    ["aten.add.Tensor($x) more", "unexpected"],
    ["frobnicate", '"frobnicate" is'],
  ])("%s is refused", (text, reason) => {
    expect(() => parsePattern(text)).toThrow(reason);
  });
});

describe("rules", () => {
  test("fire until nothing is left", () => {
    expect(
      apply(
        `graph(%x: f32[2]) {
  %a: f32[2] = aten.relu.default(%x)
  %b: f32[2] = aten.relu.default(%a)
  %c: f32[2] = aten.relu.default(%b)
  return (%c)
}`,
        reluTwice,
      ),
    ).toBe(`graph(%x: f32[2]) {
  %relu_1: f32[2] = aten.relu.default(%x)
  return (%relu_1)
}`);
  });

  test("give the same program where nothing matches", () => {
    const program = programOf(`graph(%x: f32[2]) {
  %a: f32[2] = aten.relu.default(%x)
  return (%a)
}`);
    expect(rewriteProgram(program, [reluTwice], { operators })).toBe(program);
    expect(rewriteProgram(program, [], { operators })).toBe(program);
  });

  test("match operands of commutative calls in either order", () => {
    expect(
      apply(
        `graph(%x: f32[2], %y: f32[2], %z: f32[2]) {
  %m: f32[2] = aten.mul.Tensor(%x, %y)
  %s: f32[2] = aten.add.Tensor(%z, %m)
  return (%s)
}`,
        mulAdd,
      ),
    ).toBe(`graph(%x: f32[2], %y: f32[2], %z: f32[2]) {
  %addcmul: f32[2] = aten.addcmul.default(%z, %x, %y)
  return (%addcmul)
}`);
  });

  test("leave a call with other arguments than the defaults alone", () => {
    const text = `graph(%x: f32[2], %y: f32[2], %z: f32[2]) {
  %m: f32[2] = aten.mul.Tensor(%x, %y)
  %s: f32[2] = aten.add.Tensor(%m, %z, alpha=2)
  return (%s)
}`;
    expect(apply(text, mulAdd)).toBe(text);
    expect(explainRule(programOf(text), mulAdd, operators)).toEqual([
      { rule: "mul-add", node: "s", target: "aten.add.Tensor", reason: "%s has alpha=2", kind: "pattern" },
    ]);
  });

  test("leave inner calls that others read alone, and say so", () => {
    const text = `graph(%x: f32[2], %y: f32[2], %z: f32[2]) {
  %m: f32[2] = aten.mul.Tensor(%x, %y)
  %s: f32[2] = aten.add.Tensor(%m, %z)
  return (%s, %m)
}`;
    expect(apply(text, mulAdd)).toBe(text);
    expect(explainRule(programOf(text), mulAdd, operators)[0]!.reason).toBe("%m is used by %output too");
  });

  test("refuse a replacement of another type, and say so", () => {
    const plus0 = defineRule({ name: "plus-0", doc: "", match: "aten.add.Tensor($x, $y)", replace: "$x" });
    const text = `graph(%x: i64[2], %y: f32[3, 2]) {
  %s: f32[3, 2] = aten.add.Tensor(%x, %y)
  return (%s)
}`;
    expect(apply(text, plus0)).toBe(text);
    expect(explainRule(programOf(text), plus0, operators)[0]!.reason).toBe(
      "would give int64 instead of float32",
    );
  });

  test.each([
    ["the root", "i64[2]", "", "%s"],
    ["an operand", "", "f32[2]", "%m"],
  ])("refuse values whose type is not recorded, and say so: %s", (_, operand, root, name) => {
    const plus0 = defineRule({ name: "plus-0", doc: "", match: "aten.add.Tensor($x, 0.0)", replace: "$x" });
    const typed = (type: string): string => (type === "" ? "" : `: ${type}`);
    const text = `graph(%x: i64[2]) {
  %m${typed(operand)} = aten.neg.default(%x)
  %s${typed(root)} = aten.add.Tensor(%m, 0.0)
  return (%s)
}`;
    expect(apply(text, plus0)).toBe(text);
    expect(explainRule(programOf(text), plus0, operators)).toMatchObject([
      { kind: "type", reason: `${name} has no recorded type; \`propagate-shapes\` records it` },
    ]);
  });

  test("rename outputs in the signature", () => {
    const program = programOf(`graph(%x: f32[2]) {
  %a: f32[2] = aten.relu.default(%x)
  %b: f32[2] = aten.relu.default(%a)
  return (%b)
}`);
    const result = rewriteProgram(program, [reluTwice], { operators });
    expect(result.userOutputs).toEqual([{ name: "relu" }]);
  });

  test("name where new nodes come from", () => {
    const result = rewriteProgram(
      programOf(`graph(%x: f32[2]) {
  %a: f32[2] = aten.relu.default(%x)
  %b: f32[2] = aten.relu.default(%a)
  return (%b)
}`),
      [reluTwice],
      { operators, pass: "tidy" },
    );
    expect(result.graph.node("relu").meta.origin).toEqual({
      pass: "tidy",
      rule: "relu-twice",
      from: ["a", "b"],
    });
  });

  test("with several roots replace all of them together", () => {
    const split = defineRule({
      name: "sum-and-difference",
      doc: "",
      match: { sum: "aten.add.Tensor($x, $y)", difference: "aten.sub.Tensor($x, $y)" },
      replace: { sum: "aten.maximum.default($x, $y)", difference: "aten.minimum.default($x, $y)" },
    });
    expect(
      apply(
        `graph(%x: f32[2], %y: f32[2]) {
  %s: f32[2] = aten.add.Tensor(%x, %y)
  %u: f32[2] = aten.neg.default(%s)
  %d: f32[2] = aten.sub.Tensor(%x, %y)
  return (%u, %d)
}`,
        split,
      ),
    ).toBe(`graph(%x: f32[2], %y: f32[2]) {
  %maximum: f32[2] = aten.maximum.default(%x, %y)
  %minimum: f32[2] = aten.minimum.default(%x, %y)
  %u: f32[2] = aten.neg.default(%maximum)
  return (%u, %minimum)
}`);
  });

  test("may call their only root as they like", () => {
    const rule = defineRule({
      name: "named-root",
      doc: "A root of another name.",
      match: { out: "aten.relu.default($x)" },
      replace: { out: "aten.sigmoid.default($x)" },
    });
    expect(
      apply("graph(%x: f32[2]) { %a: f32[2] = aten.relu.default(%x) return (%a) }", rule),
    ).toMatchInlineSnapshot(`
      "graph(%x: f32[2]) {
        %sigmoid: f32[2] = aten.sigmoid.default(%x)
        return (%sigmoid)
      }"
    `);
  });

  test("ask about each place once, however long the graph", () => {
    const chainOf = (count: number): string => {
      const lines = Array.from({ length: count }, (_, i) => `%n${i + 1}: f32[2] = aten.relu.default(%n${i})`);
      return `graph(%n0: f32[2]) { ${lines.join("\n")} return (%n${count}) }`;
    };
    const toSigmoid = defineRule({
      name: "to-sigmoid",
      doc: "Another call.",
      match: "aten.relu.default($x)",
      replace: "aten.sigmoid.default($x)",
    });
    const visits = (count: number): number => {
      let asked = 0;
      const counted = { ...toSigmoid, where: () => asked++ >= 0 || "never" };
      rewriteProgram(programOf(chainOf(count)), [counted], { operators });
      return asked;
    };
    expect([visits(20), visits(200)]).toEqual([20, 200]);
  });

  const CATS = `graph(%x: f32[2], %y: f32[3]) {
  %a: f32[5] = aten.cat.default([%x, %y], 0)
  %b: f32[10] = aten.cat.default([%y, %a, %x], 0)
  return (%b)
}`;

  test("capture items of a list, and put them into others", () => {
    const flatten = defineRule({
      name: "cat-of-cat",
      doc: "",
      match: "aten.cat.default([$before..., aten.cat.default([$inner...], $dim), $after...], $dim)",
      replace: "aten.cat.default([$before..., $inner..., $after...], $dim)",
    });
    expect(apply(CATS, flatten)).toContain("%cat: f32[10] = aten.cat.default([%y, %x, %y, %x])");
    const again = CATS.replace("[%y, %a, %x]", "[%a, %y, %x]");
    expect(apply(again, flatten)).toContain("aten.cat.default([%x, %y, %y, %x])");
  });

  test("are asked again where an item of a list has lost its last other user", () => {
    const first = defineRule({
      name: "first-of-stack",
      doc: "",
      match: "aten.select.int(aten.stack.default([$x, $others...]), 0, 0)",
      replace: "aten.abs.default($x)",
    });
    const inner = defineRule({
      name: "relu-of-neg",
      doc: "",
      match: "aten.relu.default(aten.neg.default($x))",
      replace: "aten.exp.default($x)",
    });
    const text = `graph(%x: f32[2]) {
  %n: f32[2] = aten.neg.default(%x)
  %r: f32[2] = aten.relu.default(%n)
  %s: f32[2, 2] = aten.stack.default([%x, %n])
  %f: f32[2] = aten.select.int(%s, 0, 0)
  return (%r, %f)
}`;
    const both = (...rules: Rule[]): string => textOf(rewriteProgram(programOf(text), rules, { operators }));
    expect(both(first, inner)).toContain("return (%exp, %abs_1)");
  });

  test("take lists that are as long as their patterns only", () => {
    const dropped = (items: string): Rule =>
      defineRule({
        name: "items",
        doc: "",
        match: `aten.cat.default([${items}], 0)`,
        replace: (emit, { x }) => emit("aten.cat.default", [[x, x, x, x, x], 0]),
        sharesInner: true,
      });
    const reason = (items: string): string | undefined =>
      explainRule(programOf(CATS), dropped(items), operators).find(({ node }) => node === "b")!.reason;
    expect(reason("$x, _")).toContain("is not [$x, _]");
    expect(reason("$x, ..., _, _, _")).toContain("is no");
    expect(reason("$y, ..., $x, aten.neg.default(_)")).toContain("not aten.neg.default");
    expect(reason("..., aten.cat.default(...), $x, ...")).toBeUndefined();
    expect(reason("..., aten.cat.default(...), $x, $x, ...")).toBeDefined();
  });

  test("that never converge are named", () => {
    const swap = defineRule({
      name: "swap",
      doc: "",
      match: "aten.sub.Tensor($x, $y)",
      replace: (emit, { x, y }) => emit("aten.sub.Tensor", [x, y]),
    });
    const text = `graph(%x: f32[2]) {
  %a: f32[2] = aten.sub.Tensor(%x, %x)
  return (%a)
}`;
    expect(() => apply(text, swap)).toThrow(
      /^rule "swap" never converges at %a: aten.sub.Tensor\(%x, %x\) is back after 1 rewrite$/,
    );
  });

  test("do not fire where an operator refuses the replacement", () => {
    const wrong = defineRule({
      name: "wrong-size",
      doc: "",
      match: "aten.relu.default($x)",
      replace: (emit, { x }) => emit("aten.view.default", [x, [7]]),
    });
    const text = `graph(%x: f32[2]) {
  %a: f32[2] = aten.relu.default(%x)
  return (%a)
}`;
    expect(apply(text, wrong)).toBe(text);
    expect(explainRule(programOf(text), wrong, operators)[0]!.reason).toContain(
      "is invalid for input of size 2",
    );
  });

  test.each([
    ["aten.rellu.default", "aten.relu.default"],
    ["aten.relu", "aten.relu.default"],
  ])("that emit %s get a suggestion", (target, meant) => {
    const rule = defineRule({
      name: "misspelled",
      doc: "emits what does not exist",
      match: "aten.neg.default($x)",
      replace: (emit, { x }) => emit(target, [x]),
    });
    const text = "graph(%x: f32[2]) {\n  %a: f32[2] = aten.neg.default(%x)\n  return (%a)\n}";
    expect(() => apply(text, rule)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`unknown operator "${target}"`),
        fix: expect.stringContaining(`did you mean "${meant}"`),
      }),
    );
  });

  test("that throw are named, with the node", () => {
    const broken = defineRule({
      name: "broken",
      doc: "",
      match: "aten.relu.default($x)",
      replace: () => {
        throw new TypeError("not today");
      },
    });
    const text = `graph(%x: f32[2]) {
  %a: f32[2] = aten.relu.default(%x)
  return (%a)
}`;
    expect(() => apply(text, broken)).toThrow(/rule "broken" threw at %a: not today/);
  });

  test("refuse programs that write", () => {
    const text = `graph(%x: f32[2]) {
  %a: f32[2] = aten.relu_.default(%x)
  return (%a)
}`;
    expect(() => apply(text, reluTwice)).toThrow(
      /rewriting needs a functional program: aten.relu_.default writes to "self"/,
    );
  });

  test.each<[string, () => Rule, string]>([
    [
      "no capture",
      () => defineRule({ name: "r", doc: "", match: "aten.relu.default($x)", replace: "$y" as string }),
      "uses $y",
    ],
    ["no call", () => defineRule({ name: "r", doc: "", match: "$x", replace: "$x" }), "which is not a call"],
    ...(
      [
        ["aten.add.Tensor($x, _)", "has `_` in its replacement"],
        ["aten.cat.default([$x, ...])", "has `...` in its replacement"],
        ["aten.add.Tensor($x, ...)", "has `...` in its replacement"],
        ["aten.abs.default|aten.neg.default($x)", "has a choice of operators in its replacement"],
        ["aten.abs.default($x) as $y", "has a name, $y, in its replacement"],
      ] as const
    ).map(
      ([replace, reason]) =>
        [
          `${replace} for a replacement`,
          () =>
            defineRule({ name: "r", doc: "", match: "aten.relu.default($x)", replace: replace as string }),
          reason,
        ] as [string, () => Rule, string],
    ),
  ])("%s is refused when it is defined", (_, define, reason) => {
    expect(define).toThrow(reason);
  });

  test.each([
    ["aten.relu.default($x, $y)", "with 2 positional arguments, of which it takes 1"],
    ["aten.nope.default($x)", "matches aten.nope.default, which is not an operator"],
    ["aten.add.Tensor($x, $y, beta=1)", 'the argument "beta", which it does not have'],
    ["aten.add.Tensor($x, aten.relu($y))", "matches aten.relu, which is not an operator"],
  ])("hold against the schemas: %s", (match, reason) => {
    const rule = defineRule({ name: "odd", doc: "", match: match as string, replace: () => "never" });
    const text = `graph(%x: f32[2]) {
  return (%x)
}`;
    expect(() => apply(text, rule)).toThrow(reason);
  });

  test("may not write", () => {
    const writes = defineRule({
      name: "writes",
      doc: "",
      match: "aten.relu.default($x)",
      replace: (emit, { x }) => emit("aten.relu_.default", [x]),
    });
    const text = `graph(%x: f32[2]) {
  %a: f32[2] = aten.relu.default(%x)
  return (%a)
}`;
    expect(() => apply(text, writes)).toThrow('rule "writes" threw at %a: a replacement may not write');
  });

  test("need an answer from their guards", () => {
    const silent = defineRule({
      name: "silent",
      doc: "",
      match: "aten.relu.default($x)",
      where: (() => undefined) as unknown as () => true,
      replace: "$x",
    });
    const text = `graph(%x: f32[2]) {
  %a: f32[2] = aten.relu.default(%x)
  return (%a)
}`;
    expect(() => apply(text, silent)).toThrow('rule "silent" has a guard that gives undefined');
  });

  test("compute sizes that their calls need", () => {
    const fold = defineRule({
      name: "flatten",
      doc: "",
      match: "aten.relu.default($x)",
      replace: (emit, { x }) => {
        const tensor = x as FakeTensor;
        if (tensor.ndim === 1) return "is flat";
        const flat = emit("aten.view.default", [tensor, [-1]]);
        return emit("aten.view.default", [emit("aten.relu.default", [flat]), tensor.shape]);
      },
    });
    expect(
      apply(
        `graph(%x: f32[s0, 3]) {
  %a: f32[s0, 3] = aten.relu.default(%x)
  return (%a)
}`,
        fold,
      ),
    ).toBe(`graph(%x: f32[s0, 3]) {
  %view: f32[3*s0] = aten.view.default(%x, [-1])
  %relu: f32[3*s0] = aten.relu.default(%view)
  %sym_size_int: int(s0) = aten.sym_size.int(%x, 0)
  %view_1: f32[s0, 3] = aten.view.default(%relu, [%sym_size_int, 3])
  return (%view_1)
}`);
  });
});
