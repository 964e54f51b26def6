import { isSconceError } from "@sconce/errors";
import { symbol } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GraphBuilder } from "../graph/builder.js";
import {
  type Argument,
  complex,
  device,
  dict,
  dtypeLiteral,
  float,
  int,
  layout,
  memoryFormat,
  operator,
  ref,
  tuple,
} from "../values/argument.js";
import { FakeTensor, type MetaValue } from "../values/meta.js";
import { parseGraph, parseIr } from "./parse-program.js";
import { printIr, tensorsOf } from "./print-program.js";

test("a graph as one writes it in a test", () => {
  const graph = parseGraph(`
    // comments and line breaks are free
    graph(%x: f32[4], %n: int(s77)) {
      %a: f32[4] = aten.neg.default(%x)
      %b = aten.add.Tensor(%a, 1.0, alpha=2)  // a value is optional
      return (%b, none,)
    }`);
  expect(printIr(graph)).toBe(`graph(%x: f32[4], %n: int(s77)) {
  %a: f32[4] = aten.neg.default(%x)
  %b = aten.add.Tensor(%a, 1.0, alpha=2)
  return (%b, none)
}
`);
  expect(graph.node("b").args[1]).toEqual(float(1));
  expect((graph.node("a").meta.val as FakeTensor).strides).toEqual([1]);
});

test("comments of several lines, with blanks around, are skipped", () => {
  const graph = "graph(%x: f32[4]) { return (%x) }";
  for (const comment of ["// a\n\t // b\n//\n", "// a\r\n// b\r\n", "//\n\n  // c\n \n", "// a\n //"])
    expect(printIr(parseGraph(comment.endsWith("\n") ? comment + graph : graph + comment))).toContain(
      "return (%x)",
    );
  expect(() => parseGraph("// a\n  // b\n / c\n")).toThrow(
    expect.objectContaining({ where: expect.stringContaining("line 3, column 2") }),
  );
});

test("strings with escapes end at a quote that is not escaped, in their line", () => {
  const read = (text: string): unknown =>
    parseGraph(`graph() { %a = aten.relu.default(${text}) return (%a) }`, ANY).node("a").args[0];
  for (const value of ['"', "\\", '\\"', '\\\\"\\', "\n", '","'])
    expect(read(JSON.stringify(value))).toBe(value);
  for (const text of ['"\\"', '"a\n\\n"', '"\\\n"']) expect(() => read(text)).toThrow("double quotes");
});

/** Texts keep targets of any name. */
const ANY = { unknownTargets: "allow" } as const;

const PROGRAM = `sconce-ir 1
symbol k nonnegative integer

program "TRAINING" {
  torch "2.14.1"
  opset "aten" 10
  range "s77" [2, 64]
  range "zuf0" [-inf, inf] float
  hint "s77" 4
  guard "L['x'].size()[0] % 2 == 0"
  unused "u2"
  parameter "l.weight": f32[3, 2] grad
  buffer "cnt": i64[]
  constant "k": bf16[2, 3]{1, 2}
  input %p_l_weight: PARAMETER "l.weight"
  input %b_cnt: BUFFER "cnt" persistent
  input %c_k: CONSTANT_TENSOR "k"
  input %x: USER_INPUT
  input symint %n: USER_INPUT
  input constant %flag = true: USER_INPUT
  input custom_obj %obj = "my.Class": CUSTOM_OBJ "obj"
  output %add: BUFFER_MUTATION "cnt"
  output %getitem: USER_OUTPUT
  output constant %"" = 3: USER_OUTPUT
  call "" ((*, [*, *]), {"k": *, "p": "collections.namedtuple" "\\"my.P\\"" (*)}) -> "my.DC" "[[\\"a\\"], []]" as "[[\\"a\\"],[]]" (*) names ["x", "n"]
  call "l"
  call "l@1" (*) -> * inputs [%x, constant %"" = none] outputs [%getitem]
  examples
    example tensor f32[4, 2]
    example 3
}

graph(%p_l_weight: f32[3, 2] grad, %b_cnt: i64[], %c_k: bf16[2, 3]{1, 2}, %x @ "*x": f32[s77, 2]{1, 2}@(s77 + 1) device(cuda:0), %n: int(k), %flag = true: const true, %obj: object("obj", "my.Class")) {
  %add: i64[] = aten.add.Tensor(%b_cnt, 1) #0
  %body = get_attr body
  %cond: (f32[s77, 3]) = higher_order.cond(%flag, %body, (%x), op(aten.add_.Tensor)) #1
  %getitem: f32[(s77//2), 3] = operator.getitem(%cond, 0) #0
  %ge: bool(s77 >= 2) = operator.ge(%n, 2)
  %z: float(2.0) = torch.sym_float(2)
  %q: none = aten._assert_scalar.default(%ge, "it's \\"so\\"")
  %s: f32[4] layout(sparse_coo) = my.op.default({"a": [none, %x]}, dtype=float32, device=device(cpu), "odd name"=nan)
  return (%add, %getitem, 3) -> (i64[], f32[2])

  graph body(%x: f32[s77, 2]) {
    %"odd é": f32[s77, 2] = "odd target"(%x, complex(0.0, -2.5), -inf, 9223372036854775807)
    return %"odd é"
  }
}

metadata {
  #0 {"stackTrace":"File \\"a.py\\", line 1, in f\\n  x","nnModuleStack":[["L__self__","","m.M"]],"torchFn":["add_1","f.add"]}
  #1 {"custom":{"k":[1,2.5]},"origin":{"pass":"p","from":["a"]},"unbackedBindings":{"u0":"()"},"extra":{"seq_nr":"1"},"sourceFnStack":[["a","b"]]}
}
`;

test("Python's words for true, false and none are read", () => {
  const graph = parseGraph(
    `graph(%x: f32[2]) {
      %y: f32[2] = my.op.default(%x, True, [False, None])
      return (%y, None)
    }`,
    ANY,
  );
  expect(graph.node("y").args).toEqual([ref("x"), true, [false, null]]);
  expect(printIr(graph)).toContain("my.op.default(%x, true, [false, none])");
});

describe("programs", () => {
  test("everything a program has survives reading and printing [S-136, T-15]", () => {
    const values = tensorsOf(parseIr(PROGRAM, ANY));
    for (const [name, { dtype, shape }] of values) values.set(name, Tensor.empty(shape, dtype));
    const program = parseIr(PROGRAM, { tensors: values, ...ANY });
    expect(printIr(program)).toBe(PROGRAM);
    expect(program.moduleCallGraph[0]!.signature!.forwardArgNames).toEqual(["x", "n"]);
    expect(program.parameterNames.has("l.weight")).toBe(true);
    expect([...program.buffersToMutate]).toEqual([["add", "cnt"]]);
  });

  test("tensors beside the text are taken by name and must fit", () => {
    const program = parseIr(PROGRAM, ANY);
    const tensors = tensorsOf(program);
    expect([...tensors.keys()]).toEqual(["l.weight", "cnt", "k", "example.0"]);
    const again = parseIr(printIr(program), { tensors, ...ANY });
    expect(again.stateDict.get("cnt")).toBe(program.stateDict.get("cnt"));
    expect(codeOf(() => parseIr(PROGRAM, { tensors: new Map(), ...ANY }))).toBe("IR_TENSOR");
    expect(
      codeOf(() =>
        parseIr(PROGRAM, {
          tensors: new Map(tensors).set("cnt", Tensor.empty([2], "int64")),
          ...ANY,
        }),
      ),
    ).toBe("IR_TENSOR");
  });

  test("sample inputs have keys that no weight has", () => {
    const named = (name: string) => parseIr(PROGRAM.replaceAll('"l.weight"', JSON.stringify(name)), ANY);
    const keys = (name: string): string[] => [...tensorsOf(named(name)).keys()];
    expect(keys("example.0")).toEqual(["example.0", "cnt", "k", "example_.0"]);
    expect(keys("example.7")).toEqual(["example.7", "cnt", "k", "example_.0"]);
    expect(keys("example.weight")).toEqual(["example.weight", "cnt", "k", "example.0"]);
    expect(keys("example_.0")).toEqual(["example_.0", "cnt", "k", "example.0"]);
    const program = named("example.0");
    const weight = program.stateDict.get("example.0")!;
    const values = new Map(
      [...tensorsOf(program)].map(([key, { dtype, shape }]) => [key, Tensor.empty(shape, dtype)]),
    );
    values.get("example.0")!.data.fill(3 as never);
    const again = parseIr(printIr(program), { tensors: values, ...ANY });
    expect(again.stateDict.get("example.0")!.data).toEqual(values.get("example.0")!.data);
    expect(again.stateDict.get("example.0")!.shape).toEqual(weight.shape);
    expect(again.exampleInputs!.leaves[0]).toMatchObject({ shape: values.get("example_.0")!.shape });
  });

  test("sample inputs that cannot be read stay so, with the reason", () => {
    const line = 'examples unreadable "PICKLE_FORBIDDEN" "only its author\\nknows"';
    const text = PROGRAM.replace(/ {2}examples\n(?: {4}example .*\n)+/, `  ${line}\n`);
    const program = parseIr(text, ANY);
    expect(printIr(program).replaceAll(" no_values", "")).toBe(text);
    expect(codeOf(() => program.exampleInputs?.leaves)).toBe("PICKLE_FORBIDDEN");
    expect(tensorsOf(program).has("example.0")).toBe(false);
  });

  test("tensors that come without values take no memory", () => {
    const text = 'program "ATEN" { parameter "w": f32[1000000, 1000000] } graph() { return () }';
    expect(parseIr(text).tensor("w")).toMatchObject({ shape: [1_000_000, 1_000_000], hasValues: false });
  });

  test("metadata can be left out", () => {
    expect(printIr(parseIr(PROGRAM, ANY), { metadata: false })).not.toContain("#");
  });

  test("a graph of a program text", () => {
    expect(parseGraph(PROGRAM, ANY).subgraphs.get("body")!.size).toBe(3);
  });
});

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (isSconceError(error)) return error.code;
    throw error;
  }
  return "";
};

describe("hostile text", () => {
  test.each([
    ["", "line 1, column 1"],
    ["graph(%x", "line 1, column 9"],
    ["graph() {\n  %a = aten.neg.default(%b\n}", "line 3, column 1"],
    ["graph() {\n  %a = nothing\n}", "line 3, column 1"],
    ["graph(%x: f99[2]) { return () }", "line 1, column 11"],
    ["graph(%x: f32[s77 +]) { return () }", "line 1, column 15"],
    ['graph() { return ("a\\q") }', "line 1, column 19"],
    ["graph(%x, %x) { return () }", "line 1, column 11"],
    ["graph() { return () #1 }", "line 1, column 11"],
    ["graph() { return () } trailing", "line 1, column 23"],
    ["sconce-ir x\ngraph() { return () }", "line 1, column 11"],
    ["graph() { return (f(a=1, 2)) }", "line 1, column 19"],
    ['graph() { return () #0 } metadata { #0 {"stackTrace": 1}\n}', "line 1, column 40"],
  ])("%j is refused with its place", (text, where) => {
    try {
      parseGraph(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: "IR_SYNTAX", where });
    }
  });

  test("text cut anywhere is refused by a typed error", () => {
    for (let end = 0; end < PROGRAM.trimEnd().length; end += 3) {
      const cut = PROGRAM.slice(0, end);
      if (/\}\s*$/.test(cut) && codeOf(() => parseIr(cut, ANY)) === "") continue; // only the metadata table may be missing
      expect(codeOf(() => parseIr(cut, ANY))).toMatch(/^IR_/);
    }
  });

  test.each([
    ["values", `graph() { return ${"[".repeat(100_000)}`],
    ["types", `graph(%x: ${"(".repeat(100_000)}`],
    ["graphs", "graph() { ".concat("graph a() { ".repeat(100_000))],
    ["trees", `program "A" { call "" ${"(".repeat(100_000)}`],
    ["expressions", `graph(%x: int(${"(".repeat(100_000)})) {}`],
    ["digits", `graph() { return ${"9".repeat(1_000_000)} }`],
  ])("deep or long %s are refused", (_, text) => expect(codeOf(() => parseIr(text))).toBe("IR_SYNTAX"));

  test.each(["f32[9007199254740993]", "f32[2, 99999999999999999999]", "f32[4]{-9007199254740993}"])(
    "sizes and strides past 2^53 are refused: %s",
    (type) =>
      expect(() => parseGraph(`graph(%x: ${type}) { return (%x) }`)).toThrow(
        expect.objectContaining({ code: "IR_SYNTAX", message: "expected a size below 2^53" }),
      ),
  );
});

describe("any value", () => {
  const leaf: fc.Arbitrary<Argument> = fc.oneof(
    fc.constantFrom<Argument>(
      null,
      true,
      false,
      dtypeLiteral("bfloat16"),
      device("cuda", 3),
      device("meta"),
      layout("_mkldnn"),
      memoryFormat("channels_last"),
      operator("aten.add_.Tensor"),
      complex(-0, NaN),
      complex(Infinity, 1),
    ),
    fc.string({ unit: "binary" }),
    fc.double().map(float),
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(int),
    fc.string().map(ref),
  );
  const { value } = fc.letrec<{ value: Argument }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.array(tie("value"), { maxLength: 3 }).map(tuple),
      fc
        .dictionary(fc.string(), tie("value"), { maxKeys: 3 })
        .map((entries) => dict(Object.entries(entries))),
    ),
  }));

  test("survives as an argument", () => {
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 4 }),
        // The name `__proto__` is refused.
        fc.dictionary(
          fc.string().filter((name) => name !== "__proto__"),
          value,
          { maxKeys: 3, noNullPrototype: true },
        ),
        (args, kwargs) => {
          const b = new GraphBuilder();
          b.call("a", "my.op.default", args, kwargs);
          b.output(tuple([]));
          const node = parseGraph(printIr(b.build())).node("a");
          expect(node.args).toEqual(args);
          expect(node.kwargs).toEqual(kwargs);
        },
      ),
    );
  });

  const s77 = symbol("s77", { positive: true });
  const odd = symbol("s77"); // the same name without the assumption
  const dim = fc.oneof(fc.nat({ max: 9 }), fc.constantFrom(s77, odd, symbol("u0")));
  const meta: fc.Arbitrary<MetaValue> = fc.oneof(
    fc.tuple(fc.array(dim, { maxLength: 3 }), fc.boolean(), fc.nat()).map(
      ([shape, requiresGrad, storageOffset]) =>
        new FakeTensor({
          dtype: "float16",
          shape,
          strides: shape.map((_, i) => shape[i]!),
          storageOffset,
          requiresGrad,
        }),
    ),
    fc.constant(null),
    fc.double().map((expr): MetaValue => ({ kind: "SymFloat", expr })),
    dim.map((expr): MetaValue => ({ kind: "SymInt", expr })),
    fc.boolean().map((expr): MetaValue => ({ kind: "SymBool", expr })),
    leaf.map((constant): MetaValue => ({ kind: "constant", value: constant })),
  );

  test("survives as a type", () => {
    fc.assert(
      fc.property(fc.oneof(meta, fc.array(meta, { maxLength: 3 })), (val) => {
        const b = new GraphBuilder();
        b.placeholder("a", { val });
        b.output(tuple([]));
        const text = printIr(b.build());
        const again = parseGraph(text);
        expect(printIr(again)).toBe(text);
        expect(JSON.stringify(again.node("a").meta.val, plain)).toEqual(JSON.stringify(val, plain));
      }),
    );
  });
});

const plain = (_key: string, value: unknown): unknown =>
  typeof value === "bigint"
    ? `${value}n`
    : Object.is(value, -0)
      ? "-0"
      : typeof value === "number"
        ? String(value)
        : value;

test("a type whose size is too large is refused with its line", () => {
  const sizes = Array.from({ length: 20_000 }, () => "2").join();
  const text = `graph(%x: f32[${sizes}]) { return (%x) }`;
  expect(() => parseGraph(text)).toThrow(
    expect.objectContaining({ code: "SYM_TOO_LARGE", where: expect.stringContaining("line 1, column") }),
  );
});

test("sizes of many symbols count as work, and are integers", () => {
  const sizes = Array.from({ length: 3_000 }, (_, i) => `s${i} + s${i + 1}`);
  expect(() => parseGraph(`graph(%x: f32[${sizes.join(", ")}]) { return (%x) }`)).toThrow(
    expect.objectContaining({ code: "BUDGET_EXCEEDED", where: expect.stringContaining("line 1") }),
  );
  for (const size of ["s0 < 3", "1.5", "ToFloat(s0)", "oo", "zuf0"])
    expect(() => parseGraph(`graph(%x: f32[${size}]) { return (%x) }`)).toThrow(
      expect.objectContaining({ code: "IR_SYNTAX" }),
    );
});
