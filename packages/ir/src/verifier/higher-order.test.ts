import { describe, expect, test } from "vitest";
import { TRAINING } from "../graph/dialect.js";
import { parseGraph } from "../ir-text/parse-program.js";
import { verifyGraph } from "./verify.js";

const problems = (text: string): string[] =>
  verifyGraph(parseGraph(text, { unknownTargets: "allow" }), TRAINING).map(
    ({ code, message, node }) => `${code} at ${node}: ${message}`,
  );

const COND = `graph(%p: b8[], %x: f32[2], %n: int(3)) {
  %t = get_attr t
  %f = get_attr f
  %c: (f32[2]) = higher_order.cond(%p, %t, %f, (%x))
  %r: f32[2] = operator.getitem(%c, 0)
  return (%r)
  graph t(%a: f32[2]) {
    %y: f32[2] = aten.sin.default(%a)
    return (%y)
  }
  graph f(%a: f32[2]) {
    %z: f32[2] = aten.cos.default(%a)
    return (%z)
  }
}`;

const LOOP = `graph(%i: i64[], %x: f32[2]) {
  %c = get_attr c
  %b = get_attr b
  %w: (i64[], f32[2]) = higher_order.while_loop(%c, %b, (%i, %x), ())
  %r: f32[2] = operator.getitem(%w, 1)
  return (%r)
  graph c(%j: i64[], %y: f32[2]) {
    %lt: b8[] = aten.lt.Scalar(%j, 3)
    return %lt
  }
  graph b(%j: i64[], %y: f32[2]) {
    %k: i64[] = aten.add.Scalar(%j, 1)
    %s: f32[2] = aten.sin.default(%y)
    return (%k, %s)
  }
}`;

const SCAN = `graph(%h: f32[3], %xs: f32[5, 3]) {
  %g = get_attr g
  %w: (f32[3], f32[5, 3]) = higher_order.scan(%g, [%h], [%xs], ())
  %r: f32[3] = operator.getitem(%w, 0)
  return (%r)
  graph g(%c: f32[3], %x: f32[3]) {
    %n: f32[3] = aten.add.Tensor(%c, %x)
    %o: f32[3] = aten.sin.default(%n)
    return [%n, %o]
  }
}`;

const ASSOCIATIVE = `graph(%xs: f32[5, 3]) {
  %g = get_attr g
  %w: (f32[5, 3]) = higher_order.associative_scan(%g, [%xs], ())
  %r: f32[5, 3] = operator.getitem(%w, 0)
  return (%r)
  graph g(%a: f32[3], %b: f32[3]) {
    %n: f32[3] = aten.add.Tensor(%a, %b)
    return [%n]
  }
}`;

const MAP = `graph(%xs: f32[4, 3], %k: f32[3]) {
  %g = get_attr g
  %w: (f32[4, 3]) = higher_order.map_impl(%g, [%xs], [%k])
  %r: f32[4, 3] = operator.getitem(%w, 0)
  return (%r)
  graph g(%x: f32[3], %y: f32[3]) {
    %n: f32[3] = aten.mul.Tensor(%x, %y)
    return (%n)
  }
}`;

const WRAP = `graph(%x: f32[2]) {
  %g = get_attr g
  %w: (f32[2]) = higher_order.wrap_with_set_grad_enabled(false, %g, %x)
  %r: f32[2] = operator.getitem(%w, 0)
  return (%r)
  graph g(%a: f32[2]) {
    %n: f32[2] = aten.sin.default(%a)
    return (%n)
  }
}`;

test.each([
  ["cond", COND],
  ["while_loop", LOOP],
  ["scan", SCAN],
  ["associative_scan", ASSOCIATIVE],
  ["map", MAP],
  ["wrap", WRAP],
])("a valid %s has no problems", (_, text) => expect(problems(text)).toEqual([]));

test("sizes that the branches do not share become symbols of the result", () => {
  const merged = COND.replace("%c: (f32[2])", "%c: (f32[u0])")
    .replace("%r: f32[2]", "%r: f32[u0]")
    .replace("%z: f32[2]", "%z: f32[3]");
  expect(problems(`${merged}`)).toEqual([]);
  expect(problems(COND.replace("%z: f32[2]", "%z: f32[3]"))).toEqual([
    "HIGHER_ORDER_SIGNATURE at c: higher_order.cond: t returns float32[2] as result 0, and f returns float32[3]",
  ]);
});

describe("what PyTorch refuses", () => {
  test.each<[string, string, string, string, string]>([
    [
      "an operand too many",
      COND,
      "(%x))",
      "(%x, %x))",
      "HIGHER_ORDER_SIGNATURE at c: higher_order.cond: t has 1 placeholders, and the call gives it 2 operands",
    ],
    [
      "operands that are not a list",
      COND,
      "(%x))",
      "%x)",
      "HIGHER_ORDER_ARGUMENTS at c: higher_order.cond: operands is",
    ],
    [
      "an operand of another dtype",
      COND,
      "graph t(%a: f32[2])",
      "graph t(%a: f64[2])",
      "operand 0 is float32[2], and placeholder a of t records float64[2]",
    ],
    [
      "an operand of another size",
      COND,
      "graph t(%a: f32[2])",
      "graph t(%a: f32[3])",
      "operand 0 is float32[2], and placeholder a of t records float32[3]",
    ],
    [
      "a predicate of two elements",
      COND,
      "%p: b8[]",
      "%p: b8[2]",
      "the predicate is bool[2]; Expected pred to be bool or single-element tensor",
    ],
    [
      "a predicate that is an integer",
      COND,
      "cond(%p,",
      "cond(%n,",
      "the predicate is an integer; Expected pred to be bool or single-element tensor",
    ],
    [
      "a branch that is a tensor",
      COND,
      "cond(%p, %t,",
      "cond(%p, %x,",
      "true_fn is node x, not a nested graph",
    ],
    [
      "branches of different dtype",
      COND,
      "%z: f32[2]",
      "%z: f64[2]",
      "t returns float32[2] as result 0, and f returns float64[2]",
    ],
    [
      "branches of different rank",
      COND,
      "%z: f32[2]",
      "%z: f32[2, 1]",
      "t returns float32[2] as result 0, and f returns float32[2, 1]",
    ],
    [
      "branches of different arity",
      COND,
      "return (%z)",
      "return (%z, %z)",
      "t returns 1 value, and f returns 2",
    ],
    [
      "a result that is recorded otherwise",
      COND,
      "%c: (f32[2])",
      "%c: (f64[2])",
      "HIGHER_ORDER_RESULT at c: higher_order.cond: the call records result 0 as float64[2], and t gives float32[2]",
    ],
    [
      "results that are recorded in another number",
      COND,
      "%c: (f32[2])",
      "%c: (f32[2], f32[2])",
      "the call records 2 results, and t gives 1",
    ],
    ["too few arguments", COND, "cond(%p, %t, %f, (%x))", "cond(%p, %t)", "2 arguments, and it takes 3 to 4"],
    [
      "an operator of another name",
      COND,
      "higher_order.cond(",
      "higher_order.conf(",
      "UNKNOWN_HIGHER_ORDER at c: higher-order operator 'higher_order.conf' is not known",
    ],
    ["a nested graph that is not there", COND, "graph t(", "graph q(", "NO_SUBGRAPH at t"],
    [
      "a nested graph that nothing reads",
      COND,
      "graph t(",
      "graph q(",
      "UNUSED_SUBGRAPH at undefined: No get_attr reads the nested graph q",
    ],
    [
      "a nested graph as a value",
      COND,
      "%r: f32[2] = operator.getitem(%c, 0)",
      "%r: f32[2] = aten.add.Tensor(%x, %t)",
      "GRAPH_AS_VALUE at r: Argument 't' of Node 'r' is the nested graph t",
    ],
    [
      "a carried value of another dtype",
      LOOP,
      "%k: i64[]",
      "%k: i32[]",
      "carried input 0 is int64[], and b returns int32[] for it",
    ],
    [
      "a carried value of another size",
      LOOP,
      "%s: f32[2]",
      "%s: f32[3]",
      "carried input 1 is float32[2], and b returns float32[3] for it",
    ],
    [
      "a body that returns less",
      LOOP,
      "return (%k, %s)",
      "return (%k)",
      "b returns 1 value, and 2 are carried",
    ],
    [
      "a body that returns more",
      LOOP,
      "return (%k, %s)",
      "return (%k, %s, %s)",
      "b returns 3 values, and 2 are carried",
    ],
    [
      "a loop condition that is not a bool",
      LOOP,
      "%lt: b8[]",
      "%lt: i64[]",
      "c returns int64[], and cond_fn must return a boolean scalar tensor or a bool",
    ],
    [
      "a loop condition of two elements",
      LOOP,
      "%lt: b8[]",
      "%lt: b8[2]",
      "c returns bool[2], and cond_fn must return a boolean scalar tensor",
    ],
    ["a loop condition of two values", LOOP, "return %lt", "return (%lt, %lt)", "c returns 2 values"],
    [
      "a condition with other inputs",
      LOOP,
      "graph c(%j: i64[], %y: f32[2])",
      "graph c(%j: i64[])",
      "c has 1 placeholders, and the call gives it 2 operands",
    ],
    [
      "a carry of another dtype",
      SCAN,
      "%n: f32[3]",
      "%n: f64[3]",
      "carried input 0 is float32[3], and g returns float64[3] for it",
    ],
    [
      "a scanned value of another size",
      SCAN,
      "%x: f32[3])",
      "%x: f32[4])",
      "operand 1 is float32[3], and placeholder x of g records float32[4]",
    ],
    [
      "stacked results of another size",
      SCAN,
      "%w: (f32[3], f32[5, 3])",
      "%w: (f32[3], f32[4, 3])",
      "the call records result 1 as float32[4, 3], and g gives float32[5, 3]",
    ],
    [
      "a scan over a number",
      SCAN,
      "[%xs]",
      "[3]",
      "xs 0 is an integer, not a tensor of at least one dimension",
    ],
    [
      "a combination of other inputs",
      ASSOCIATIVE,
      "graph g(%a: f32[3], %b: f32[3])",
      "graph g(%a: f32[3], %b: f32[2])",
      "operand 1 is float32[3], and placeholder b of g records float32[2]",
    ],
    [
      "a combination of another dtype",
      ASSOCIATIVE,
      "%n: f32[3]",
      "%n: f64[3]",
      "carried input 0 is float32[3], and g returns float64[3] for it",
    ],
    [
      "mapped results of another size",
      MAP,
      "%w: (f32[4, 3])",
      "%w: (f32[3, 3])",
      "the call records result 0 as float32[3, 3], and g gives float32[4, 3]",
    ],
    [
      "a mapped operand that is missing",
      MAP,
      "[%k]",
      "[]",
      "g has 2 placeholders, and the call gives it 1 operands",
    ],
    [
      "a region with an operand too many",
      WRAP,
      "%g, %x)",
      "%g, %x, %x)",
      "g has 1 placeholders, and the call gives it 2 operands",
    ],
    [
      "a region whose result is recorded otherwise",
      WRAP,
      "%w: (f32[2])",
      "%w: (i64[2])",
      "the call records result 0 as int64[2], and g gives float32[2]",
    ],
  ])("%s", (_, text, from, to, message) => {
    const broken = text.replace(from, to);
    expect(broken).not.toBe(text);
    expect(problems(broken)).toContainEqual(expect.stringContaining(message));
  });

  test("scans of different lengths", () => {
    const text = SCAN.replace("%xs: f32[5, 3]", "%xs: f32[5, 3], %ys: f32[4, 3]")
      .replace("[%xs]", "[%xs, %ys]")
      .replace("%x: f32[3])", "%x: f32[3], %y: f32[3])");
    expect(problems(text)).toContainEqual(expect.stringContaining("xs 0 and 1 have first sizes 5 and 4"));
  });

  test("effects and operators that write", () => {
    const call = (text: string): string[] =>
      problems(`graph(%t: f32[0], %x: f32[2]) {\n${text}\nreturn (%x)\n}`);
    expect(
      call(
        "%a: (none, f32[2]) = higher_order.auto_functionalized_v2(op(my.f.default), _x_base_index=1, _all_bases=[%x])",
      ),
    ).toContainEqual(expect.stringContaining("_x_base_index is not an index of the 1 tensors in _all_bases"));
    expect(
      call("%a: (none, f32[2]) = higher_order.auto_functionalized_v2(op(my.f.default), x=%x)"),
    ).toContainEqual(expect.stringContaining("_all_bases is missing"));
    expect(call("%a: (f32[0], none) = higher_order.with_effects(%t, %x)")).toContainEqual(
      expect.stringContaining("argument 1 is not an operator"),
    );
  });
});
