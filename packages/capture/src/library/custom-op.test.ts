import { createRunner, defineKernels, kernel, readNumbers } from "@sconce/backend-cpu";
import { codeText } from "@sconce/ir";
import { defineOp } from "@sconce/ops";
import { runDecompositions } from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { describe, expect, expectTypeOf, test } from "vitest";
import { exportProgram, library, type Size, torch } from "../index.js";

const { customOp } = library;
const x = Tensor.from([1.5, 2, 3]);
const numbers = (tensor: Tensor): number[] => Array.from(readNumbers(tensor), Number);
const refusal = (code: string, text: string | RegExp) =>
  expect.objectContaining({
    code,
    message: typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
    fix: expect.stringMatching(/\w/),
  });

const ONE = { schema: "(Tensor x) -> Tensor", mutatesArgs: [] } as const;
const sin = customOp("t::sin", ONE, (given) => given.sin()).registerFake((given) => torch.emptyLike(given));

describe("a definition", () => {
  test("makes a schema of types, as PyTorch makes it of annotations", () => {
    const types = {
      args: {
        x: "Tensor",
        xs: "Tensor[]",
        n: "int=3",
        s: 'str="a"',
        f: "float?=None",
        b: "bool=False",
        y: "Tensor?=None",
        sizes: "int[]?=None",
        dt: "dtype=float32",
        d: "device?=None",
        sc: "Scalar=2",
      },
      kwargs: { k: "int=5" },
      returns: ["Tensor", "Tensor"],
      mutatesArgs: [],
    } as const;
    const { definition } = customOp("t::multi", types, (one: Tensor): Tensor[] => [one.clone(), one.clone()]);
    expect(definition.schemaText).toBe(
      't::multi(Tensor x, Tensor[] xs, SymInt n=3, str s="a", float? f=None, bool b=False, Tensor? y=None, SymInt[]? sizes=None, ScalarType dt=float32, Device? d=None, Scalar sc=2, *, SymInt k=5) -> (Tensor, Tensor)',
    );
    const unknown = { args: { x: "Tensor", xs: "Tensor[]", n: "int" }, returns: null } as const;
    const written = customOp("t::unk", { ...unknown, mutatesArgs: "unknown" }, () => undefined);
    expect(written.definition.schemaText).toBe("t::unk(Tensor(a0!) x, Tensor(a1!)[] xs, SymInt n) -> ()");
  });

  const types = { args: { x: "Tensor" }, returns: "Tensor", mutatesArgs: [] };
  test.each<[string, string, object, string]>([
    ["a name without a namespace", "sin", ONE, "is not the name of an operator"],
    ["a name of PyTorch's", "aten::sin", ONE, 'the namespace "aten" is reserved'],
    ["no mutatesArgs", "t::e", { schema: ONE.schema }, "mutates_args must either be a sequence of the names"],
    ["a text as mutatesArgs", "t::e", { ...ONE, mutatesArgs: "x" }, "or the string 'unknown'"],
    ["a schema that writes to less", "t::e", { ...ONE, mutatesArgs: ["x"] }, "Please make these consistent"],
    [
      "a schema that writes to more",
      "t::e",
      { schema: "(Tensor(a!) x) -> Tensor", mutatesArgs: [] },
      "Attempted to create a custom op with `mutates_args=()`",
    ],
    [
      "a tensor by keyword",
      "t::e",
      { schema: "(Tensor x, *, Tensor y) -> Tensor", mutatesArgs: [] },
      "custom_op with kwarg-only Tensor args",
    ],
    ["half a schema", "t::e", { schema: "(Tensor x", mutatesArgs: [] }, "the schema cannot be read"],
    ["an unknown type", "t::e", { schema: "(Foo x) -> Tensor", mutatesArgs: [] }, 'unknown type "Foo"'],
    ["neither schema nor types", "t::e", { mutatesArgs: [] }, "has neither a schema nor types"],
    ["both", "t::e", { ...ONE, ...types }, "has a schema and types"],
    [
      "an unsupported type",
      "t::e",
      { ...types, args: { x: "dict" } },
      "Parameter x has unsupported type dict",
    ],
    [
      "a missing type",
      "t::e",
      { ...types, args: { x: undefined } },
      "Parameter x must have a type annotation",
    ],
    ["an unsupported result", "t::e", { ...types, returns: "str" }, "Return has unsupported type str"],
    ["no result", "t::e", { args: types.args, mutatesArgs: [] }, "No return type annotation was provided"],
    [
      "an unknown mutated argument",
      "t::e",
      { ...types, mutatesArgs: ["z"] },
      "{'z'} in mutates_args were not",
    ],
    [
      "a mutated integer",
      "t::e",
      { args: { n: "int" }, returns: null, mutatesArgs: ["n"] },
      "Parameter n is in mutable_args but only Tensors",
    ],
  ])("with %s is refused", (_, name, options, message) => {
    expect(() => customOp(name, options as never, (() => x) as never)).toThrow(refusal("CUSTOM_OP", message));
  });

  test("takes the place of an earlier one, whose registrations are refused from then on", () => {
    const first = customOp("t::again", ONE, (given) => given.mul(2));
    customOp("t::again", ONE, (given) => given.mul(5));
    expect(numbers(first(x))).toEqual([7.5, 10, 15]);
    expect(() => first.registerFake((given) => given)).toThrow(refusal("CUSTOM_OP", "was defined again"));
  });

  test("needs functions", () => {
    expect(() => customOp("t::e", ONE, 3 as never)).toThrow(refusal("CUSTOM_OP", "the kernel is"));
    expect(() => sin.registerFake(3 as never)).toThrow(refusal("CUSTOM_OP", "the fake is"));
    expect(() => library.plugin("t", [torch.sin as never])).toThrow(
      refusal("CUSTOM_OP", "library.plugin expects operators of library.customOp"),
    );
  });
});

describe("a call", () => {
  test("runs the kernel on tensors with values, with defaults and arguments by name", () => {
    const schema = "(Tensor x, SymInt n=2, *, float scale=1.0) -> Tensor";
    const given: unknown[] = [];
    const op = customOp("t::args", { schema, mutatesArgs: [] }, (one, n, { scale }) => {
      given.push([n, scale]);
      return one.mul(n);
    });
    expect(numbers(op(x))).toEqual([3, 4, 6]);
    expect(numbers(op(x, 3, { scale: 2 }))).toEqual([4.5, 6, 9]);
    expect(given).toEqual([
      [2, 1],
      [3, 2],
    ]);
    expectTypeOf(op).parameters.toEqualTypeOf<
      [value: Tensor, value?: Size, options?: { readonly scale?: number }]
    >();
    expectTypeOf(op).returns.toEqualTypeOf<Tensor>();
    expect(() => op(x, 1.5)).toThrow(refusal("NO_SIGNATURE", "t::args does not take the arguments"));
    expect(() => (op as (...all: unknown[]) => unknown)()).toThrow(refusal("NO_SIGNATURE", "t::args"));
  });

  test("with a type in place of a schema has the types of the function", () => {
    const op = customOp(
      "t::typed",
      { args: { x: "Tensor", n: "int" }, returns: "Tensor", mutatesArgs: [] },
      (one: Tensor, n: number): Tensor => one.mul(n),
    );
    expectTypeOf(op).parameters.toEqualTypeOf<[one: Tensor, n: number]>();
    expect(numbers(op(x, 2))).toEqual([3, 4, 6]);
  });

  test.each<[string, (given: Tensor) => unknown, string, string | RegExp]>([
    [
      "an argument",
      (given) => given,
      "KERNEL_ALIASING",
      /^t::bad: The output of this custom operator \(1\) must/,
    ],
    ["a view of one", (given) => given.view([-1]), "KERNEL_ALIASING", "may not alias any inputs"],
    [
      "a number",
      () => 3,
      "KERNEL_RESULT",
      "the kernel of t::bad returned a number where its schema says Tensor",
    ],
    ["nothing", () => undefined, "KERNEL_RESULT", "returned null"],
    ["a promise", async () => x, "KERNEL_RESULT", "returned a promise"],
  ])("is refused when the kernel returns %s", (_, kernel, code, message) => {
    const bad = customOp("t::bad", ONE, kernel as never);
    expect(() => bad(x)).toThrow(refusal(code, message));
  });

  test("is refused when two results share memory", () => {
    const options = { schema: "(Tensor x) -> (Tensor, Tensor)", mutatesArgs: [] } as const;
    const twin = customOp("t::twin", options, (given) => {
      const one = given.clone();
      return [one, one];
    });
    expect(() => twin(x)).toThrow(refusal("KERNEL_ALIASING", "or other returns"));
  });

  test("lets the kernel's own errors through", () => {
    const throws = customOp("t::throws", ONE, () => {
      throw new TypeError("no such table");
    });
    expect(() => throws(x)).toThrow(new TypeError("no such table"));
  });
});

describe("a fake", () => {
  const traced = (fake: unknown): unknown => {
    const op = customOp("t::faked", ONE, (given) => given.clone()).registerFake(fake as never);
    return exportProgram((given: Tensor) => op(given), [x]);
  };

  test.each<[string, unknown, string, string | RegExp]>([
    [
      "a number",
      () => 3,
      "FAKE_FAILED",
      "the fake of t::faked returned a number where its schema says Tensor",
    ],
    ["nothing", () => null, "FAKE_FAILED", "returned null"],
    ["two tensors", (one: Tensor) => [one, one], "FAKE_FAILED", "returned a list of 2"],
    ["a promise", async (one: Tensor) => one, "FAKE_FAILED", "returned a promise"],
    ["a size", () => library.getCtx().newDynamicSize(), "FAKE_FAILED", "where its schema says Tensor"],
  ])("that returns %s is refused, with the line of the call", (_, fake, code, message) => {
    expect(() => traced(fake)).toThrow(refusal(code, message));
    expect(() => traced(fake)).toThrow(
      expect.objectContaining({ where: expect.stringContaining(".test.ts:") }),
    );
  });

  test("that throws is named, with the cause", () => {
    const cause = new TypeError("boom");
    const fake = (): never => {
      throw cause;
    };
    expect(() => traced(fake)).toThrow(
      expect.objectContaining({
        code: "FAKE_FAILED",
        message: expect.stringContaining("threw: boom"),
        cause,
      }),
    );
  });

  test("in which JavaScript decides on a tensor is refused", () => {
    const fake = (one: Tensor): Tensor => (one.sum().gt(0) ? one.newEmpty([3]) : one);
    expect(() => traced(fake)).toThrow(refusal("SOURCE_CHECK", "JavaScript takes every tensor for true"));
  });

  test("adds nothing to the program, and may read tensors with values", () => {
    const table = torch.ones(3);
    const program = traced((one: Tensor) => one.add(table).mul(2).sum(0, true)) as ReturnType<
      typeof exportProgram
    >;
    expect([...program.opHistogram()]).toEqual([["t.faked.default", 1]]);
    expect(program.constants.size).toBe(0);
  });

  test("alone has a context", () => {
    expect(() => library.getCtx()).toThrow(refusal("NO_FAKE_CONTEXT", "outside of the fake"));
  });

  test.each([
    [{ min: 5, max: 4 }, "Maximum value to constrain_as_size can't be less than the specified min value"],
    [{ min: 0.5 }, "expected min and max to be integers"],
    [{ min: -1 }, "expected min to be greater than or equal to 0"],
  ])("takes no bounds %j", (bounds, message) => {
    const fake = (one: Tensor): Tensor => one.newEmpty([library.getCtx().newDynamicSize(bounds)]);
    expect(() => traced(fake)).toThrow(refusal("NEW_DYNAMIC_SIZE", message));
  });

  test("is not needed by an operator that writes and returns nothing", () => {
    const options = { schema: "(Tensor(a0!) x) -> ()", mutatesArgs: ["x"] } as const;
    const bump = customOp("t::bump", options, (given) => {
      given.add_(1);
    });
    const program = exportProgram(
      (given: Tensor) => {
        bump(given);
        return given.mul(2);
      },
      [x],
    );
    const operators = library.operators([bump]);
    expect(codeText(runDecompositions(program, undefined, { operators }).graph)).toContain(
      "torch.ops.higher_order.auto_functionalized_v2(torch.ops.t.bump.default, _x_base_index = 0, _all_bases = [given])",
    );
    const input = torch.ones(3);
    expect(numbers(program.call(input) as Tensor)).toEqual([4, 4, 4]);
    expect(numbers(input)).toEqual([2, 2, 2]);
  });
});

describe("a decomposition", () => {
  const op = customOp("t::wave", ONE, (given) => given.sin().add(1)).registerFake((given) =>
    torch.emptyLike(given),
  );
  const program = exportProgram((given: Tensor) => op(given).mul(2), [x]);
  const lowered = (): string => {
    const operators = library.operators([op]);
    return codeText(runDecompositions(program, undefined, { operators }).graph);
  };

  test("expands calls in lowered programs, in the default table or only by one that names it", () => {
    expect(lowered()).toContain("torch.ops.t.wave.default(given)");
    op.registerDecomposition((given) => given.sin().add(1));
    expect(lowered()).toMatch(/aten\.sin\.default.*\n.*aten\.add\.Tensor\(sin, 1\)/);
    op.registerDecomposition((given) => given.sin().add(1), { inDefaultTable: false });
    expect(lowered()).toContain("torch.ops.t.wave.default(given)");
    const table = { "t.wave.default": op.definition.decompose! };
    const operators = library.operators([op]);
    expect(codeText(runDecompositions(program, table, { operators }).graph)).toContain("aten.sin.default");
  });

  test.each<[string, (given: Tensor) => unknown, RegExp]>([
    ["uses a tensor with values", (given) => given.mul(x), /uses a tensor with values, of sizes \[3\]/],
    ["throws", () => Reflect.get(undefined as never, "x"), /threw: /],
  ])("that %s is refused", (_, decompose, message) => {
    op.registerDecomposition(decompose as never);
    expect(lowered).toThrow(refusal("CUSTOM_OP_DECOMPOSITION", message));
  });

  test("that returns something else is refused", () => {
    op.registerDecomposition((() => 3) as never);
    expect(lowered).toThrow(/the decomposition of t\.wave\.default returned a number/);
  });

  test("represents a fake, and runs an operator that has no kernel", () => {
    const made = customOp("t::made", ONE, (given) => given.cos()).registerDecomposition((given) =>
      given.cos(),
    );
    const { graph } = exportProgram((given: Tensor) => made(given), [x]);
    expect(codeText(graph)).toContain("torch.ops.t.made.default(given)");
    const runner = createRunner({ operators: library.operators([made]) });
    const again = exportProgram((given: Tensor) => made(given), [x]);
    expect(numbers(runner(again, [x]).outputs[0] as Tensor)).toEqual(numbers(x.cos()));
  });
});

describe("operators of a plugin", () => {
  const twice = defineOp({
    schema: "t::twice(Tensor x, *, int times=2) -> Tensor",
    meta: ({ x: given }) => given,
  });
  const kernels = defineKernels([
    kernel("t::twice(Tensor x, *, int times=2) -> Tensor", ({ x: given, times }) => given.mul(times)),
  ]);

  test("are callable in models, and run with the plugin's kernels", () => {
    const { "t::twice": call } = library.fromPlugin({ name: "t", ops: [twice], kernels });
    const program = exportProgram((given: Tensor) => call!(given, { times: 3 }), [x]);
    expect(codeText(program.graph)).toContain("torch.ops.t.twice.default(given, times = 3)");
    expect(numbers(call!(x) as Tensor)).toEqual([3, 4, 6]);
    expect(numbers(program.call(x) as Tensor)).toEqual([4.5, 6, 9]);
    expect(() => call!(3)).toThrow(refusal("NO_SIGNATURE", "t::twice does not take the arguments (3)"));
  });

  test("are not those of PyTorch", () => {
    const sine = defineOp({ schema: "aten::sin(Tensor self) -> Tensor", meta: ({ self }) => self });
    expect(() => library.fromPlugin({ name: "t", ops: [sine] })).toThrow(
      expect.objectContaining({ code: "DUPLICATE_OPERATOR" }),
    );
  });
});
