import {
  type Argument,
  type ArgumentSpec,
  dictSpec,
  ExportedProgram,
  FakeTensor,
  GraphBuilder,
  type InputSpec,
  LEAF,
  type MetaValue,
  type RangeConstraint,
  type SymScalar,
  tuple,
  tupleSpec,
  type Value,
} from "@sconce/ir";
import { add, type IntLike, mul, symbol } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { inputCheck } from "./check.js";

const s = symbol("s0", { integer: true, positive: true }) as IntLike;
const tensor = (...shape: readonly number[]): Tensor => Tensor.empty(shape, "float32");

interface Declared {
  readonly x: readonly IntLike[];
  readonly y?: readonly IntLike[];
  readonly constant?: Argument;
  /** Also takes a number `n`, which the program records as this. */
  readonly scalar?: SymScalar;
  /** Also takes a dynamic int `n`. */
  readonly integer?: boolean;
  readonly ranges?: Readonly<Record<string, RangeConstraint>>;
  readonly guards?: readonly string[];
  readonly examples?: boolean;
  /** Names of the parameters of `forward`, when they are others than those of the inputs. */
  readonly parameters?: readonly string[];
}

/** A program that takes `x`, and `y` or a constant `n` when declared. */
function program({
  x,
  y,
  constant,
  scalar,
  integer = false,
  ranges = {},
  guards = [],
  examples = true,
  parameters,
}: Declared): ExportedProgram {
  const b = new GraphBuilder();
  const inputSpecs: InputSpec[] = [];
  const names: string[] = [];
  const declare = (name: string, val: MetaValue, arg: ArgumentSpec): void => {
    b.placeholder(name, { val });
    names.push(name);
    inputSpecs.push({ kind: "USER_INPUT", arg, target: null, persistent: null });
  };
  const fake = (shape: readonly IntLike[]): FakeTensor =>
    new FakeTensor({ dtype: "float32", shape, strides: shape.map(() => 1) });
  declare("x", fake(x), { kind: "tensor", name: "x" });
  if (y !== undefined) declare("y", fake(y), { kind: "tensor", name: "y" });
  if (constant !== undefined)
    declare("n", { kind: "constant", value: constant }, { kind: "constant", name: "n", value: constant });
  if (scalar !== undefined)
    declare("n", scalar, { kind: scalar.kind.toLowerCase() as "symint" | "symfloat" | "symbool", name: "n" });
  if (integer) declare("n", { kind: "SymInt", expr: s }, { kind: "symint", name: "n" });
  b.output(tuple([]));
  const signature = {
    inputs: [],
    outputs: [],
    inSpec: tupleSpec([tupleSpec(names.map(() => LEAF)), dictSpec([])]),
    outSpec: tupleSpec([]),
    forwardArgNames: parameters ?? names,
  };
  return new ExportedProgram({
    graph: b.build(),
    graphSignature: { inputSpecs, outputSpecs: [] },
    stateDict: new Map(),
    parameterNames: new Set(),
    constants: new Map(),
    rangeConstraints: new Map(Object.entries(ranges)),
    moduleCallGraph: [{ fqn: "", signature }],
    guardsCode: guards,
    dialect: "TRAINING",
    exampleInputs: examples ? { leaves: [] } : null,
  });
}

function problem(declared: Declared, ...inputs: Value[]): string {
  try {
    inputCheck(program(declared))(inputs);
  } catch (error) {
    return (error as Error).message;
  }
  return "accepted";
}

/** Recorded by PyTorch, with `node.meta["val"]` of an input `n` set to the number. */
describe.each<[SymScalar, Value, string | undefined, string | undefined]>([
  [{ kind: "SymInt", expr: 7 }, 7, undefined, undefined],
  [{ kind: "SymInt", expr: 7 }, 7n, undefined, undefined],
  [{ kind: "SymInt", expr: 7 }, 3, "n == 7", "equal to 7, but got 3"],
  [{ kind: "SymInt", expr: 7 }, true, "n == 7", "equal to 7, but got True"],
  [{ kind: "SymInt", expr: -1 }, -1, undefined, undefined],
  [{ kind: "SymInt", expr: -1 }, 7, "n == -1", "equal to -1, but got 7"],
  [{ kind: "SymInt", expr: 1 }, true, undefined, "equal to 1, but got True"],
  [{ kind: "SymInt", expr: 0 }, 1, "n == 0", "equal to 0, but got 1"],
  [{ kind: "SymBool", expr: true }, true, undefined, undefined],
  [{ kind: "SymBool", expr: true }, false, "n == True", "equal to True, but got False"],
  [{ kind: "SymBool", expr: true }, 1, undefined, "equal to True, but got 1"],
  [{ kind: "SymBool", expr: false }, true, "n == False", "equal to False, but got True"],
  [{ kind: "SymFloat", expr: 1.5 }, 1.5, undefined, undefined],
  [{ kind: "SymFloat", expr: 1.5 }, 2.5, "n == 1.5", "equal to 1.5, but got 2.5"],
  [{ kind: "SymFloat", expr: 2 }, 2, undefined, undefined],
  [{ kind: "SymFloat", expr: 2 }, 3, "n == 2.0", "equal to 2, but got 3"],
  [{ kind: "SymFloat", expr: Number.NaN }, Number.NaN, undefined, undefined],
  [{ kind: "SymFloat", expr: Number.NaN }, 2.5, "math.isnan(n)", "nan, but got 2.5"],
])("a number that is recorded as %j, given %s", (scalar, given, guard, mismatch) => {
  test("is held to it by a guard where there are examples", () => {
    const found = problem({ x: [2], scalar }, tensor(2), given);
    if (guard === undefined) expect(found).toBe("accepted");
    else expect(found).toContain(`Guard failed: ${guard}`);
  });

  test("is held to it without examples", () => {
    const found = problem({ x: [2], scalar, examples: false }, tensor(2), given);
    if (mismatch === undefined) expect(found).toBe("accepted");
    else expect(found).toBe(`Expected input at *args[1] to be ${mismatch}`);
  });
});

describe("a program with example inputs fails like PyTorch's guards", () => {
  test("static sizes", () => {
    expect(problem({ x: [2, 3] }, tensor(2, 3))).toBe("accepted");
    expect(problem({ x: [2, 3] }, tensor(2, 4))).toBe("Guard failed: x.size()[1] == 3");
  });

  test("ranges and equal sizes", () => {
    const declared: Declared = { x: [s], y: [s], ranges: { s0: { min: 3, max: 6 } } };
    expect(problem(declared, tensor(4), tensor(4))).toBe("accepted");
    expect(problem(declared, tensor(2), tensor(2))).toBe("Guard failed: x.size()[0] >= 3");
    expect(problem(declared, tensor(7), tensor(7))).toBe("Guard failed: x.size()[0] <= 6");
    expect(problem(declared, tensor(4), tensor(5))).toBe("Guard failed: y.size()[0] == x.size()[0]");
  });

  test("sizes that share a symbol which no input has alone", () => {
    const free = { min: 0, max: Number.POSITIVE_INFINITY };
    const declared: Declared = { x: [add(s, 1)], y: [add(s, 3)], ranges: { "s0 + 1": free, "s0 + 3": free } };
    expect(problem(declared, tensor(4), tensor(6))).toBe("accepted");
    expect(problem(declared, tensor(4), tensor(7))).toBe("Guard failed: 2 + x.size()[0] == y.size()[0]");
  });

  test("the program's own guards", () => {
    const declared: Declared = { x: [s], guards: ["(L['x'].size()[0] % 2) == 0"] };
    expect(problem(declared, tensor(4))).toBe("accepted");
    expect(problem(declared, tensor(5))).toBe("Guard failed: x.size()[0] % 2 == 0");
  });

  test.each([
    ["L['nope'].size()[0] == 1", "SYM_OPERAND", "nope.size()[0] == 1"],
    ["1//0 == 1", "SYM_DIVISION_BY_ZERO", "1 // 0 == 1"],
  ])("a guard that has no value, %s, is named", (text, code, shown) => {
    const check = inputCheck(program({ x: [s], guards: [text] }));
    expect(() => check([tensor(4)])).toThrow(
      expect.objectContaining({
        code,
        message: expect.stringContaining(`the guard "${shown}" has no value: `),
        where: `guard "${shown}"`,
        fix: expect.stringContaining("correct or remove the guard"),
      }),
    );
  });

  test("guards on what `*a` and `**k` gathered", () => {
    const free = { s0: { min: 0, max: Number.POSITIVE_INFINITY } };
    const guards = ["L['a'][0].size()[0] == L['k']['w'].size()[0]"];
    const declared: Declared = { x: [s], y: [add(s, 0)], ranges: free, guards, parameters: ["a_0", "w"] };
    expect(problem(declared, tensor(4), tensor(4))).toBe("accepted");
    expect(problem(declared, tensor(4), tensor(5))).toBe("Guard failed: w.size()[0] == a_0.size()[0]");
  });

  test("constants", () => {
    expect(problem({ x: [1], constant: 3 }, tensor(1), 4)).toBe("Guard failed: n == 3");
    expect(problem({ x: [1], constant: "sin" }, tensor(1), "cos")).toBe("Guard failed: n == 'sin'");
    expect(problem({ x: [1], constant: true }, tensor(1), true)).toBe("accepted");
    expect(problem({ x: [1], constant: 2.5 }, tensor(1), 2.25)).toBe("Guard failed: n == 2.5");
    const large = 2n ** 53n;
    expect(problem({ x: [1], constant: large }, tensor(1), large)).toBe("accepted");
    expect(problem({ x: [1], constant: large }, tensor(1), large + 1n)).toBe(`Guard failed: n == ${large}`);
  });
});

describe("a tensor in the place of a static number", () => {
  const int64 = (...values: number[]): Tensor => Tensor.from(values, [values.length], "int64");

  test("its only element is compared, as Python does", () => {
    expect(problem({ x: [1], constant: 3 }, tensor(1), int64(3))).toBe("accepted");
    expect(problem({ x: [1], constant: 3 }, tensor(1), int64(4))).toBe("Guard failed: n == 3");
    expect(problem({ x: [1], constant: "a" }, tensor(1), int64(4))).toBe("Guard failed: n == 'a'");
  });

  test("another number of elements is ambiguous", () => {
    expect(problem({ x: [1], constant: 3 }, tensor(1), int64(3, 3))).toBe(
      "Boolean value of Tensor with more than one value is ambiguous",
    );
    expect(problem({ x: [1], constant: 3 }, tensor(1), int64())).toBe(
      "Boolean value of Tensor with no values is ambiguous",
    );
  });

  test("without example inputs it is refused", () => {
    const declared: Declared = { x: [1], constant: 3, examples: false };
    expect(problem(declared, tensor(1), int64(3, 3))).toBe(
      "Expected input at *args[1] to be equal to 3, but got a tensor of shape [2]",
    );
    expect(problem(declared, tensor(1), null)).toBe(
      "Expected input at *args[1] to be equal to 3, but got None",
    );
  });
});

test.each<[Value, string]>([
  [4, "accepted"],
  [2n ** 70n, "accepted"],
  [true, "accepted"],
  [4.5, "Expected input at *args[1] to be an int, but got 4.5"],
  [Number.NaN, "Expected input at *args[1] to be an int, but got NaN"],
  [null, "Expected input at *args[1] to be an int, but got None"],
  ["4", 'Expected input at *args[1] to be an int, but got "4"'],
  [tensor(), "Expected input at *args[1] to be an int, but got a tensor"],
])("a dynamic int takes whole numbers: %s", (input, wanted) => {
  expect(problem({ x: [1], integer: true }, tensor(1), input)).toBe(wanted);
});

describe("a program without example inputs fails like PyTorch's pre-hook", () => {
  test("static sizes and forms", () => {
    expect(problem({ x: [2], examples: false }, tensor(3))).toMatch(
      /^Expected input at \*args\[0\].shape\[0\] to be equal to 2, but got 3\. If/,
    );
    const doubled: Declared = { x: [mul(2, s)], ranges: {}, examples: false };
    expect(problem(doubled, tensor(7))).toBe(
      "Expected input *args[0].shape[0] = 7 to be of the form 2*s0, where s0 is an integer",
    );
    expect(problem(doubled, tensor(8))).toBe("accepted");
  });

  test("ranges and equal sizes", () => {
    const declared: Declared = { x: [s], y: [s], ranges: { s0: { min: 3, max: 6 } }, examples: false };
    expect(problem(declared, tensor(2), tensor(2))).toBe(
      "Expected input at *args[0].shape[0] to be >= 3, but got 2",
    );
    expect(problem(declared, tensor(4), tensor(5))).toBe(
      "Expected input at *args[1].shape[0] to be equal to 4, but got 5",
    );
  });
});

describe("what PyTorch leaves to chance is refused", () => {
  test("count, kind, rank and dtype", () => {
    expect(problem({ x: [2] })).toBe("Unexpected number of inputs (expected 1, got 0)");
    expect(problem({ x: [2] }, 5)).toMatch(/to be a tensor, but got a number/);
    expect(problem({ x: [2] }, tensor(2, 2))).toBe(
      "Unexpected number of dimensions in input at *args[0].shape (expected [2], got [2, 2])",
    );
    expect(problem({ x: [2] }, Tensor.empty([2], "int64"))).toMatch(/to have dtype float32, but got int64/);
  });
});
