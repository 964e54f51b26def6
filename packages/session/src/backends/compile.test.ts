import { cpuBackend } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import type { Backend, ExportedProgram, Value } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createSconce } from "../create-sconce.js";

const floats = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "float32");
const parse = (lines: string, graph: string, tensors?: ReadonlyMap<string, Tensor>): ExportedProgram =>
  parseIr(
    `sconce-ir 1\nsymbol s0 integer positive\nsymbol u0 integer\nprogram "ATEN" {\n${lines}\n}\n${graph}`,
    { tensors },
  );

/**
 * Outputs of every kind: `2 * rows` tensor, its size, a float, a bool, a constant, None; and a
 * buffer that counts.
 */
const program = parse(
  `buffer "count": f32[1]
input %b_count: BUFFER "count" persistent
input %x: USER_INPUT
output %next: BUFFER_MUTATION "count"
output %cat: USER_OUTPUT
output symint %size: USER_OUTPUT
output constant %"" = 1.5: USER_OUTPUT
output constant %"" = true: USER_OUTPUT
output constant %"" = none: USER_OUTPUT
range "s0" [2, 100]`,
  `graph(%b_count: f32[1], %x: f32[s0, 2]) {
  %next: f32[1] = aten.add.Tensor(%b_count, 1)
  %cat: f32[2*s0, 2] = aten.cat.default([%x, %x])
  %size: int(s0) = aten.sym_size.int(%x, 0)
  return (%next, %cat, %size, 1.5, true, none)
}`,
  new Map([["count", floats([0])]]),
);
const x = (): Tensor => floats([1, 2, 3, 4, 5, 6], [3, 2]);

type Run = (inputs: readonly Value[]) => unknown;
/** A backend whose executable is what is given here, in place of the interpreter's parts. */
function backend(parts: {
  readonly run?: (real: Run) => Run;
  readonly state?: unknown;
  readonly supports?: Backend["supports"];
  readonly compile?: unknown;
}): Backend {
  const real = cpuBackend();
  return {
    name: "mine",
    supports: parts.supports ?? (() => true),
    async compile(compiled: ExportedProgram) {
      if ("compile" in parts) return parts.compile;
      const inner = await real.compile(compiled);
      return {
        run: parts.run?.((inputs) => inner.run(inputs)) ?? ((inputs: readonly Value[]) => inner.run(inputs)),
        state: "state" in parts ? parts.state : inner.state,
        dispose: () => inner.dispose(),
      };
    },
  } as Backend;
}

async function failure(mine: Backend, runs = 1): Promise<{ code: string; message: string; where: string }> {
  const session = createSconce({ backends: [mine] });
  try {
    const executable = await session.compile(program, "mine");
    for (let i = 0; i < runs; i++) await executable.run([x()]);
  } catch (error) {
    if (!isSconceError(error)) throw error;
    expect(error.message).toContain('the backend "mine"');
    return { code: error.code, message: error.message, where: error.where ?? "" };
  }
  throw new Error("nothing was refused");
}

const changed =
  (i: number, value: unknown) =>
  (real: Run): Run =>
  async (inputs) =>
    ((await real(inputs)) as Value[]).with(i, value as Value);

test("a backend that keeps to the contract passes, run after run", async () => {
  const session = createSconce({ backends: [backend({})] });
  const executable = await session.compile(program, "mine");
  await executable.run([x()]);
  const outputs = await executable.run([floats([1, 2, 3, 4], [2, 2])]);
  expect((outputs[0] as Tensor).shape).toEqual([4, 2]);
  expect(outputs.slice(1)).toEqual([2, 1.5, true, null]);
  expect(executable.state.get("count")?.data[0]).toBe(2);
});

describe("outputs are compared with the program", () => {
  const where = 'output 0, node "cat" (aten.cat.default)';
  test.each<[string, number, unknown, string, string]>([
    [
      "dtype",
      0,
      Tensor.empty([6, 2], "float64"),
      "float64[6, 2] where the program has float32[2*s0, 2]",
      where,
    ],
    ["rank", 0, floats(new Array(12).fill(0)), "float32[12] where the program has float32[2*s0, 2]", where],
    ["static size", 0, floats(new Array(18).fill(0), [6, 3]), "float32[6, 3] where the program has", where],
    ["symbolic size", 0, floats([1, 2, 3, 4], [2, 2]), "whose size 0 is 6 in this run", where],
    ["kind", 0, 3, "a number where the program has float32[2*s0, 2]", where],
    ["nothing", 0, undefined, "undefined where the program has float32[2*s0, 2]", where],
    [
      "memory",
      0,
      new Tensor({ dtype: "float32", shape: [6, 2], strides: [20, 1], storage: floats([1]).storage }),
      "that needs 408 bytes and has 4",
      where,
    ],
    [
      "int",
      1,
      4,
      "4 where the program has s0, which is 3 in this run",
      'output 1, node "size" (aten.sym_size.int)',
    ],
    ["int kind", 1, 3.5, "3.5 where the program has an int", 'output 1, node "size" (aten.sym_size.int)'],
    ["float constant", 2, 2.5, "2.5 where the program has the constant 1.5", "output 2"],
    ["bool constant", 3, 1, "1 where the program has the constant true", "output 3"],
    ["None", 4, 0, "0 where the program has the constant null", "output 4"],
  ])("%s", async (_, i, value, message, place) => {
    const error = await failure(backend({ run: changed(i, value) }));
    expect(error).toMatchObject({ code: "BACKEND_OUTPUT", where: place });
    expect(error.message).toContain(message);
    expect(error.message).toContain(`as output ${i}`);
  });

  test("count", async () => {
    const run =
      (real: Run): Run =>
      async (inputs) =>
        ((await real(inputs)) as Value[]).slice(1);
    expect(await failure(backend({ run }))).toMatchObject({
      code: "BACKEND_OUTPUT",
      message: 'the backend "mine" returned 4 outputs where the program has 5',
    });
  });

  test("sizes that depend on data are bound by the first output that shows them", async () => {
    const nonzero = parse(
      "input %x: USER_INPUT\noutput %nonzero: USER_OUTPUT\noutput %neg: USER_OUTPUT",
      `graph(%x: f32[4]) {
  %nonzero: i64[u0, 1] = aten.nonzero.default(%x)
  %neg: i64[u0, 1] = aten.neg.default(%nonzero)
  return (%nonzero, %neg)
}`,
    );
    const wrong = backend({
      run: (real) => async (inputs) =>
        ((await real(inputs)) as Value[]).with(1, Tensor.empty([1, 1], "int64")),
    });
    const executable = await createSconce({ backends: [wrong] }).compile(nonzero, "mine");
    await expect(executable.run([floats([1, 0, 2, 3])])).rejects.toMatchObject({
      code: "BACKEND_OUTPUT",
      message: expect.stringContaining("whose size 0 is 3 in this run"),
    });
  });

  test.each([
    ["another shape", floats([1, 2]), "float32[2] as the new value of a buffer that is float32[1]"],
    ["another dtype", Tensor.empty([1], "int64"), "int64[1] as the new value"],
  ])("a buffer of %s after the run", async (_, tensor, message) => {
    const error = await failure(backend({ state: new Map([["count", tensor]]) }));
    expect(error).toMatchObject({ code: "BACKEND_OUTPUT", where: 'state "count"' });
    expect(error.message).toContain(message);
  });

  test("a buffer that is missing after the run", async () => {
    expect(await failure(backend({ state: new Map() }))).toMatchObject({ code: "BACKEND_OUTPUT" });
  });
});

describe("other faults are reported as the backend's", () => {
  test.each<[string, Backend, string]>([
    [
      "compiles to nothing",
      backend({ compile: undefined }),
      "compiled to what cannot be run: undefined with no run",
    ],
    [
      "compiles to an executable without state",
      backend({ state: undefined }),
      "no state (a Map of tensors by name)",
    ],
    [
      "returns a single tensor",
      backend({ run: () => async () => floats([1]) }),
      "returned a Tensor from run, not an array",
    ],
    [
      "returns synchronously",
      backend({ run: () => () => [] }),
      "returned an array of 0 from run, not a promise",
    ],
    [
      "returns nothing",
      backend({ run: () => () => undefined }),
      "returned undefined from run, not a promise",
    ],
    ["rejects", backend({ run: () => () => Promise.reject(new TypeError("no buffer")) }), "threw: no buffer"],
    [
      "throws in run",
      backend({
        run: () => () => {
          throw new TypeError("no buffer");
        },
      }),
      "threw: no buffer",
    ],
    ["gives no answer", backend({ supports: () => undefined as never }), "when it was asked for %next"],
  ])("it %s", async (_, mine, message) => {
    const error = await failure(mine);
    expect(error.code).toBe("PLUGIN_FAILED");
    expect(error.message).toContain(message);
  });

  test("it writes to its inputs, or to the weights in a later run", async () => {
    const toInput =
      (real: Run): Run =>
      async (inputs) => {
        const outputs = await real(inputs);
        (inputs[0] as Tensor).data[3] = 9;
        return outputs;
      };
    expect(await failure(backend({ run: toInput }))).toMatchObject({
      code: "PLUGIN_FAILED",
      message: 'the backend "mine" wrote to the input 0, which it may only read',
    });
    let runs = 0;
    const toWeights =
      (real: Run): Run =>
      async (inputs) => {
        if (runs++ > 0) program.tensor("count")!.data[0] = 7;
        return real(inputs);
      };
    expect(await failure(backend({ run: toWeights }), 2)).toMatchObject({
      message: 'the backend "mine" wrote to the weight "count", which it may only read',
    });
    program.tensor("count")!.data[0] = 0;
  });

  test("inputs are checked even if the backend does not, and nothing runs after dispose", async () => {
    let runs = 0;
    const run =
      (real: Run): Run =>
      (inputs) => {
        runs++;
        return real(inputs);
      };
    const executable = await createSconce({ backends: [backend({ run })] }).compile(program, "mine");
    await expect(executable.run([])).rejects.toMatchObject({ code: "INPUT_COUNT" });
    await expect(executable.run([floats([1])])).rejects.toMatchObject({ code: "INPUT_RANK" });
    executable.dispose();
    executable.dispose();
    await expect(executable.run([x()])).rejects.toMatchObject({
      code: "DISPOSED",
      message: 'the executable of the backend "mine" was disposed',
    });
    expect(runs).toBe(0);
  });
});

describe("nodes that the backend does not run", () => {
  const compiled: string[] = [];
  const refusing = (...targets: string[]): Backend => ({
    ...cpuBackend(),
    name: "mine",
    supports: ({ target }) => !targets.includes(target) || { reason: `no kernel for ${target}` },
    compile: (one, options) => {
      compiled.push("compiled");
      return cpuBackend().compile(one, options);
    },
  });
  const branches = parse(
    "input %p: USER_INPUT\ninput %x: USER_INPUT\noutput %getitem: USER_OUTPUT",
    `graph(%p: b8[], %x: f32[2]) {
  %true_graph_0 = get_attr true_graph_0
  %false_graph_0 = get_attr false_graph_0
  %cond: (f32[2]) = higher_order.cond(%p, %true_graph_0, %false_graph_0, (%x,))
  %getitem: f32[2] = operator.getitem(%cond, 0)
  return (%getitem)

  graph true_graph_0(%x: f32[2]) {
    %silu: f32[2] = aten.silu.default(%x)
    return (%silu)
  }
  graph false_graph_0(%x: f32[2]) {
    %neg: f32[2] = aten.neg.default(%x)
    return (%neg)
  }
}`,
  );

  test("are all reported before anything is compiled, those of nested graphs too", async () => {
    const session = createSconce({ backends: [refusing("aten.silu.default", "aten.neg.default")] });
    await expect(session.compile(branches, "mine")).rejects.toMatchObject({
      code: "UNSUPPORTED_NODES",
      message:
        'the backend "mine" does not run 2 nodes of the program: ' +
        "true_graph_0/%silu (aten.silu.default): no kernel for aten.silu.default; " +
        "false_graph_0/%neg (aten.neg.default): no kernel for aten.neg.default",
      where: "true_graph_0/%silu",
      fix: expect.stringContaining("lower the program first"),
    });
    expect(compiled).toEqual([]);
  });

  test("are grouped when they are many; the error's cause has them all", async () => {
    const calls = Array.from({ length: 20 }, (_, i) => `  %n${i}: f32[2] = aten.neg.default(%x)`).join("\n");
    const many = parse(
      "input %x: USER_INPUT\noutput %n19: USER_OUTPUT",
      `graph(%x: f32[2]) {\n${calls}\n  return (%n19)\n}`,
    );
    const session = createSconce({ backends: [refusing("aten.neg.default")] });
    const error = await session.compile(many, "mine").catch((thrown: unknown) => thrown);
    expect(isSconceError(error) && error.message).toBe(
      'the backend "mine" does not run 20 nodes of the program: aten.neg.default in ' +
        "%n0, %n1, %n2, %n3, %n4, %n5, %n6, %n7, and 12 more: no kernel for aten.neg.default",
    );
    expect(isSconceError(error) && error.cause).toHaveLength(20);
    expect(isSconceError(error) && error.fix).not.toContain("lower");
  });
});

describe("an unknown backend", () => {
  const session = createSconce({ backends: [backend({})] });
  test.each([
    ["gpujs", "createSconce({ backends: [gpujsBackend()] })`; registered are: auto, cpu, wasm, mine"],
    ["gpujs:webasm", 'gpujsBackend({ mode: "webasm" })'],
  ])("%s is in a package: how to register it", async (name, fix) => {
    await expect(Promise.resolve().then(() => session.compile(program, name))).rejects.toMatchObject({
      code: "UNKNOWN_BACKEND",
      message: `the backend "${name}" is not registered`,
      fix: expect.stringMatching(/`gpujsBackend` of sconce\/gpujs/),
    });
    await expect(Promise.resolve().then(() => session.compile(program, name))).rejects.toMatchObject({
      fix: expect.stringContaining(fix),
    });
  });

  test.each(["gpu", "webgpu", "wgsl"])("%s is a name for GPUs, which a package uses", async (name) => {
    await expect(Promise.resolve().then(() => session.compile(program, name))).rejects.toMatchObject({
      message: `unknown backend "${name}"; the backend for GPUs is "gpujs"`,
      fix: expect.stringMatching(/`gpujsBackend` of sconce\/gpujs/),
    });
  });

  test("of another name gets a suggestion and the list", async () => {
    await expect(Promise.resolve().then(() => session.compile(program, "mien"))).rejects.toMatchObject({
      code: "UNKNOWN_BACKEND",
      fix: 'did you mean "mine"? the backends are: auto, cpu, wasm, mine',
    });
  });
});

test("an autocast region may give another float dtype than a strict export records", async () => {
  const recorded = (enabled: boolean): ExportedProgram =>
    parse(
      `input %x: USER_INPUT
output %sum: USER_OUTPUT`,
      `graph(%x: f32[2, 2]) {
  %submod_1 = get_attr submod_1
  %region: (f32[2, 2]) = higher_order.wrap_with_autocast("cpu", bfloat16, ${String(enabled)}, none, %submod_1, %x)
  %product: f32[2, 2] = operator.getitem(%region, 0)
  %sum: f32[2, 2] = aten.add.Tensor(%product, 1)
  return (%sum)

  graph submod_1(%y: f32[2, 2]) {
    %mm: f32[2, 2] = aten.mm.default(%y, %y)
    return (%mm)
  }
}`,
    );
  const run = async (enabled: boolean): Promise<readonly Value[]> =>
    (await createSconce().compile(recorded(enabled))).run([floats([1, 0, 0, 1], [2, 2])]);
  expect((await run(true))[0]).toMatchObject({ dtype: "bfloat16", shape: [2, 2] });
  expect((await run(false))[0]).toMatchObject({ dtype: "float32", shape: [2, 2] });
});
