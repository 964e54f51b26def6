import { FakeTensor, type MetaValue } from "@sconce/ir";
import { defaultOperators, defineOp, emitFrom, type OperatorTable } from "@sconce/ops";
import { STATIC_ENV } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { programOf, textOf } from "../programs.fixture.js";
import { type CustomDecompTable, DecompositionTable, defaultDecompositions } from "./table.js";

const program = programOf(
  `graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
  %l: f32[2, 2] = aten.linear.default(%x, %p_w)
  %r: f32[2, 2] = aten.relu_.default(%l)
  return (%r)
}`,
  "TRAINING",
);
const calls = (table?: DecompositionTable): string[] =>
  [...runDecompositions(program, table).graph.nodes()]
    .filter((node) => node.op === "call_function")
    .map((node) => node.target);

describe("the decomposition table", () => {
  test("is PyTorch's default one when none is given [S-111]", () => {
    expect(calls()).toEqual(["aten.permute.default", "aten.mm.default", "aten.relu.default"]);
  });

  test("empty, it only functionalizes [S-111]", () => {
    expect(calls(new DecompositionTable())).toEqual(["aten.linear.default", "aten.relu.default"]);
  });

  test("keeps an operator whose entry is deleted [S-112]", () => {
    const table = defaultDecompositions();
    table.delete("aten.linear.default");
    expect(calls(table)).toEqual(["aten.linear.default", "aten.relu.default"]);
  });

  test("runs custom entries, and decomposes what they call [S-113]", () => {
    const table = defaultDecompositions();
    table.set("aten.relu.default", (emit, args) =>
      emit("aten.clamp_min.default", [args["self"] as FakeTensor, 0]),
    );
    expect(calls(table)).toEqual(["aten.permute.default", "aten.mm.default", "aten.clamp.default"]);
  });

  test("gives entries out once", () => {
    const table = defaultDecompositions();
    expect(table.pop("aten.linear.default")).toBeTypeOf("function");
    expect(() => table.pop("aten.linear.default")).toThrow(/not in the decomposition table/);
  });

  test("deleting what has no entry is refused, as `del table[op]` is", () => {
    const tables = [defaultDecompositions(), new DecompositionTable(), defaultDecompositions().copy()];
    for (const table of tables)
      expect(() => table.delete("aten.add.Tensor")).toThrow(
        expect.objectContaining({ code: "NOT_IN_TABLE" }),
      );
    const fallback = (): never => expect.fail();
    expect(tables[0]!.pop("aten.add.Tensor", fallback)).toBe(fallback);
  });

  test.each<[string, unknown, string]>([
    ["aten.relu", (): never => expect.fail(), 'did you mean "aten.relu.default"?'],
    ["aten.relu.default", "text", "give a function"],
    ["aten.relu.default", undefined, "give a function"],
    ["aten::relu", (): never => expect.fail(), 'did you mean "aten.relu.default"?'],
  ])("setting %s to %s is refused at the call", (target, entry, fix) => {
    for (const table of [defaultDecompositions(), new DecompositionTable()])
      expect(() => table.set(target, entry as never)).toThrow(
        expect.objectContaining({ code: "DECOMPOSITION_TABLE", fix: expect.stringContaining(fix) }),
      );
  });

  test("the hint for a misspelled operator names no other one", () => {
    expect(() => defaultDecompositions().delete("aten.linaer.default")).toThrow(
      expect.objectContaining({
        code: "DECOMPOSITION_TABLE",
        fix: expect.stringMatching(/^did you mean "aten\.linear\.default"[^;]*\?$/),
      }),
    );
  });

  test("gives each caller a separate table", () => {
    defaultDecompositions().clear();
    expect(defaultDecompositions().size).toBeGreaterThan(100);
  });

  test("an entry that throws is named with its operator and node", () => {
    const table = defaultDecompositions();
    table.set("aten.relu.default", () => {
      throw new Error("not today");
    });
    expect(() => runDecompositions(program, table)).toThrow(
      /decomposition of aten.relu.default threw: not today/,
    );
  });

  test("an entry that brings a tensor from elsewhere is refused", () => {
    const table = defaultDecompositions();
    table.set("aten.relu.default", (emit) => {
      const stranger = new FakeTensor({ dtype: "float32", shape: [2, 2], strides: [2, 1] });
      return emit("aten.neg.default", [stranger]);
    });
    expect(() => runDecompositions(program, table)).toThrow(/no node in the graph being traced/);
  });
});

describe("functionalization", () => {
  test("makes mutations of buffers leading outputs, in input order [S-084, S-102]", () => {
    const mutating = programOf(
      `graph(%b_n: f32[2, 2], %b_m: f32[2, 2], %x: f32[2, 2]) {
      %second: f32[2, 2] = aten.add_.Tensor(%b_m, %x)
      %first: f32[2, 2] = aten.mul_.Tensor(%b_n, 2)
      %y: f32[2, 2] = aten.add.Tensor(%b_n, %b_m)
      return (%y)
    }`,
      "TRAINING",
    );
    const lowered = runDecompositions(mutating);
    expect(textOf(lowered)).toMatchInlineSnapshot(`
      "graph(%b_n: f32[2, 2], %b_m: f32[2, 2], %x: f32[2, 2]) {
        %add: f32[2, 2] = aten.add.Tensor(%b_m, %x)
        %mul: f32[2, 2] = aten.mul.Tensor(%b_n, 2)
        %add_1: f32[2, 2] = aten.add.Tensor(%mul, %add)
        return (%mul, %add, %add_1)
      }"
    `);
    expect(lowered.graphSignature.outputSpecs.map((spec) => `${spec.kind} ${spec.target}`)).toEqual([
      "BUFFER_MUTATION n",
      "BUFFER_MUTATION m",
      "USER_OUTPUT null",
    ]);
  });

  test("writes through views into their base, and makes other views anew [S-101]", () => {
    const viewed = programOf(
      `graph(%x: f32[2, 2]) {
      %a: f32[2, 2] = aten.clone.default(%x)
      %row: f32[2] = aten.select.int(%a, 0, 1)
      %t: f32[2, 2]{1, 2} = aten.t.default(%a)
      %w: f32[2] = aten.add_.Tensor(%row, 1)
      return (%t)
    }`,
      "TRAINING",
    );
    expect(textOf(runDecompositions(viewed, new DecompositionTable()))).toMatchInlineSnapshot(`
      "graph(%x: f32[2, 2]) {
        %clone: f32[2, 2] = aten.clone.default(%x)
        %select: f32[2]@2 = aten.select.int(%clone, 0, 1)
        %add: f32[2] = aten.add.Tensor(%select, 1)
        %select_scatter: f32[2, 2] = aten.select_scatter.default(%clone, %add, 0, 1)
        %t_1: f32[2, 2]{1, 2} = aten.t.default(%select_scatter)
        return (%t_1)
      }"
    `);
  });

  test("refuses to write to a lifted constant, as PyTorch does", () => {
    const constant = programOf(
      `graph(%c_k: f32[2, 2], %x: f32[2, 2]) {
      %w: f32[2, 2] = aten.add_.Tensor(%c_k, %x)
      return (%w)
    }`,
      "TRAINING",
    );
    expect(() => runDecompositions(constant)).toThrow(
      "Constant k is mutated in the forward method. Pls register it as buffer",
    );
  });

  test("is idempotent: lowering what was lowered changes no text", () => {
    const once = runDecompositions(program);
    expect(String(runDecompositions(once))).toBe(String(once));
  });
});

describe("the table of a session, as operators are registered late", () => {
  const twice = defineOp({
    schema: "late::twice(Tensor x) -> Tensor",
    tags: ["composite"],
    decompose: (emit, { x }) => emit("aten.add.Tensor", [x, x]),
  });
  const thrice = defineOp({
    schema: "late::thrice(Tensor x) -> Tensor",
    decompose: (emit, { x }) => emit("aten.mul.Scalar", [x, 3]),
  });
  const doubled = programOf(
    `graph(%x: f32[2, 2]) {
  %a: f32[2, 2] = late.twice.default(%x)
  return (%a)
}`,
    "TRAINING",
  );
  const session = (): { operators: OperatorTable; table: CustomDecompTable } => {
    const operators = defaultOperators().extend([]);
    return { operators, table: defaultDecompositions(operators) };
  };
  const lowered = (operators: OperatorTable, table: DecompositionTable): string[] =>
    [...runDecompositions(doubled, table, { operators }).graph.nodes()]
      .filter((node) => node.op === "call_function")
      .map((node) => node.target);

  test("ATen's entries are there from the start, whatever is registered [S-114]", () => {
    const { operators, table } = session();
    expect(operators.version).toBe(0);
    for (const target of ["aten.linear.default", "aten.addcmul_.default", "aten.rsub.Scalar_out"])
      expect(table.has(target)).toBe(true);
    for (const target of ["aten.relu.default", "aten.reshape.default", "aten.upsample_bilinear2d.vec"])
      expect(table.has(target)).toBe(false);
  });

  test("a read takes in what is registered by then, and later reads what came after [S-114]", () => {
    const { operators, table } = session();
    expect(table.has("late.twice.default")).toBe(false);
    operators.register([twice]);
    const before = table.size;
    expect([...table.keys()]).toContain("late.twice.default");
    operators.register([thrice]);
    expect(table.size).toBe(before + 1);
    expect(table.get("late.thrice.default")).toBeTypeOf("function");
  });

  test("lowering counts operators that came after the last read [S-114]", () => {
    const { operators, table } = session();
    expect(table.size).toBeGreaterThan(600);
    operators.register([twice]);
    expect(lowered(operators, table)).toEqual(["aten.add.Tensor"]);
  });

  test("a deleted entry keeps its operator, deleted before or after it was registered [S-112, S-114]", () => {
    for (const early of [true, false]) {
      const { operators, table } = session();
      if (early) expect(table.delete("late.twice.default")).toBe(true);
      operators.register([twice]);
      if (!early) expect(table.delete("late.twice.default")).toBe(true);
      expect(() => table.delete("late.twice.default")).toThrow(/not in the decomposition table/);
      expect(table.has("late.twice.default")).toBe(false);
      expect(lowered(operators, table)).toEqual(["late.twice.default"]);
      expect(lowered(operators, table.copy())).toEqual(["late.twice.default"]);
    }
  });

  test("a custom entry, given before the operator is registered, stays", () => {
    const { operators, table } = session();
    table.set("late.twice.default", (emit, args) => emit("aten.mul.Scalar", [args["x"] as FakeTensor, 2]));
    operators.register([twice]);
    expect(lowered(operators, table)).toEqual(["aten.mul.Scalar"]);
  });

  test("a copy and a cleared table are on their own", () => {
    const { operators, table } = session();
    const [copy, cleared] = [table.copy(), table.copy()];
    cleared.clear();
    operators.register([twice]);
    copy.delete("late.twice.default");
    expect([table, copy, cleared].map((one) => one.has("late.twice.default"))).toEqual([true, false, false]);
    expect(cleared.size).toBe(0);
    expect(copy.materialize()).toEqual(new DecompositionTable(copy));
  });

  test("the operators that all sessions share take no more", () => {
    expect(() => defaultOperators().register([twice])).toThrow(/shared by all sessions/);
    const { operators } = session();
    operators.register([twice]);
    expect(() => operators.register([twice])).toThrow(/defined twice/);
    expect(operators.get("late.twice.default")).toBe(twice);
  });

  test("entries of writing overloads compute and copy, and lowering does without them", () => {
    const calls: string[] = [];
    const emit = emitFrom(STATIC_ENV, (target, args): MetaValue => {
      calls.push(target);
      return args[0] as FakeTensor;
    });
    const x = new FakeTensor({ dtype: "float32", shape: [2], strides: [1] });
    const entry = defaultDecompositions().get("aten.addcmul_.default")!;
    expect(entry(emit, { self: x, tensor1: x, tensor2: x, value: 1 })).toBe(x);
    expect(calls).toEqual(["aten.addcmul.default", "aten.copy_.default"]);
  });
});
