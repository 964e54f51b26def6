import { readFileSync } from "node:fs";
import type { Backend } from "@sconce/ir";
import { defineOp, type Emit, type EmitArg } from "@sconce/ops";
import { definePass } from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createSconce } from "./index.js";

const fixture = (name: string): Uint8Array =>
  new Uint8Array(
    readFileSync(new URL(`../../testing/fixtures/programs/${name}/program.pt2`, import.meta.url)),
  );
const ones = (shape: readonly number[]): Tensor => {
  const tensor = Tensor.empty(shape, "float32");
  (tensor.data as Float32Array).fill(1);
  return tensor;
};
const doubled = defineOp({
  schema: "mylib::sin(Tensor x) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: (emit, { x }) => emit("aten.sin.default", [x]),
});

describe("createSconce", () => {
  test("loads, prints, lowers and runs a program", async () => {
    const sconce = createSconce();
    const program = await sconce.load(fixture("api_sin_cos"));
    expect(String(program)).toMatch(/torch\.ops\.aten\.sin\.default\(x\)/);
    expect(sconce.verify(program)).toEqual([]);
    const lowered = sconce.transform(program, "decompose,fold-constants,cse,dce", { verify: true });
    const module = await sconce.module(lowered);
    const result = (await module.call([ones([10, 10]), ones([10, 10])])) as Tensor;
    expect((result.data as Float32Array)[0]).toBeCloseTo(Math.sin(1) + Math.cos(1), 6);
  });

  test("takes operators from plugins, and runs no program whose operators nothing defines", async () => {
    const bytes = fixture("pm_custom_op");
    const opaque = createSconce();
    await expect(opaque.load(bytes, { unknownOperators: "refuse" })).rejects.toMatchObject({
      code: "UNKNOWN_OPERATOR",
    });
    const kept = await opaque.load(bytes);
    expect(() => opaque.compile(kept)).toThrow(
      expect.objectContaining({
        code: "OPAQUE_OPERATORS",
        message: expect.stringContaining("mylib.sin.default"),
      }),
    );
    const program = await createSconce({ plugins: [{ name: "mylib", ops: [doubled] }] }).load(bytes);
    expect(program.opHistogram().get("mylib.sin.default")).toBe(2);
  });

  test("takes kernels from plugins, and refuses those of no operator", async () => {
    const kernels = { "mylib.sin.default": ({ x }: { x?: unknown }) => x };
    const sconce = createSconce({ plugins: [{ name: "mylib", ops: [doubled], kernels }] });
    expect(sconce.describeSupport("mylib.sin.default")).toEqual(new Map([["cpu", "kernel"]]));
    const x = ones([2]);
    expect(sconce.services.evaluator.evaluate("mylib.sin.default", [x], {})).toBe(x);
    expect(() => createSconce({ plugins: [{ name: "mylib", kernels }] })).toThrow(
      'plugin "mylib" has a kernel for mylib.sin.default, which is not an operator',
    );
  });

  test("refuses clashes and names both owners", () => {
    const pass = definePass({ name: "mine", doc: "Does nothing.", run: (program) => program });
    expect(() =>
      createSconce({
        plugins: [
          { name: "a", passes: [pass] },
          { name: "b", passes: [pass] },
        ],
      }),
    ).toThrow('pass "mine" is defined by plugins "a" and "b"');
    expect(() =>
      createSconce({
        plugins: [
          { name: "a", ops: [doubled] },
          { name: "b", ops: [doubled] },
        ],
      }),
    ).toThrow('operator "mylib.sin.default" is defined by plugins "a" and "b"');
    const dce = definePass({ name: "dce", doc: "Clashes.", run: (program) => program });
    expect(() => createSconce({ plugins: [{ name: "a", passes: [dce] }] })).toThrow(
      'defined by Sconce and by plugin "a"',
    );
  });

  test("runs a plugin's pass by name in a pipeline, and its decomposition in the default table", async () => {
    const seen: string[] = [];
    const spy = definePass({
      name: "spy",
      doc: "Looks.",
      run: (program) => {
        seen.push(program.dialect);
        return program;
      },
    });
    const sconce = createSconce({
      plugins: [
        {
          name: "p",
          passes: [spy],
          decompositions: {
            "aten.sin.default": (emit, args) => emit("aten.cos.default", [args["self"] as never]),
          },
        },
      ],
    });
    const program = await sconce.load(fixture("api_sin_cos"));
    const lowered = sconce.transform(program, "spy,decompose,spy");
    expect(seen).toEqual(["TRAINING", "ATEN"]);
    expect([...sconce.runDecompositions(lowered).opHistogram().keys()]).not.toContain("aten.sin.default");
  });

  test("takes a service that wraps its own", async () => {
    const calls: string[] = [];
    const sconce = createSconce({
      services: {
        evaluator: (own) => ({
          evaluate: (target, args, kwargs) => {
            calls.push(target);
            return own.evaluate(target, args, kwargs);
          },
        }),
      },
    });
    const program = await sconce.load(fixture("pass_fusable"));
    sconce.transform(program, "decompose,fold-constants{weights=true}");
    expect(calls).toContain("aten.permute.default");
  });

  test("one option swaps the backend, and an unknown name is refused", async () => {
    const cpu = createSconce().backends.get("cpu")!;
    const other: Backend = {
      name: "other",
      supports: cpu.supports,
      compile: (program, options) => cpu.compile(program, options),
    };
    const sconce = createSconce({ backends: [other] });
    const program = await sconce.load(fixture("api_sin_cos"));
    const executable = await sconce.compile(program, "other");
    expect((await executable.run([ones([10, 10]), ones([10, 10])])).length).toBe(1);
    expect(() => sconce.compile(program, "nope")).toThrow(/^unknown backend "nope"$/);
  });

  test("reaches the decompose pass with a plugin's entries, and refuses entries that clash or name nothing", async () => {
    const entry = {
      "aten.sin.default": (emit: Emit, args: Readonly<Record<string, EmitArg>>) =>
        emit("aten.cos.default", [args["self"]]),
    };
    const sconce = createSconce({ plugins: [{ name: "a", decompositions: entry }] });
    const lowered = sconce.transform(await sconce.load(fixture("api_sin_cos")), "decompose");
    expect([...lowered.opHistogram().keys()]).not.toContain("aten.sin.default");
    expect(() =>
      createSconce({
        plugins: [
          { name: "a", decompositions: entry },
          { name: "b", decompositions: entry },
        ],
      }),
    ).toThrow('decomposition "aten.sin.default" is defined by plugins "a" and "b"');
    const nothing = { "aten.sine.default": entry["aten.sin.default"] };
    expect(() =>
      createSconce({ plugins: [{ name: "a", decompositions: nothing }] }).defaultDecompositions(),
    ).toThrow(/plugin "a" has a decomposition of aten.sine.default, which is not an operator overload/);
    expect(() => createSconce({ plugins: [{ name: "a", opz: [] } as never] })).toThrow(/has a field "opz"/);
  });

  test("refuses options that name nothing", async () => {
    const sconce = createSconce();
    const program = await sconce.load(fixture("api_sin_cos"));
    expect(() => sconce.transform(program, "decompose{table=foo}")).toThrow(/table cannot be "foo"/);
    expect(() => sconce.transform(program, "decompose{keep=[aten.nope.default]}")).toThrow(
      /is not an operator/,
    );
  });

  test("the partition pass asks the session's backends", async () => {
    const relu: Backend = {
      name: "relu-only",
      supports: ({ target }) => target === "aten.relu.default" || { reason: "only relu" },
      compile: () => Promise.reject(new Error("not needed")),
    };
    const own = createSconce({ backends: [relu] });
    const program = await own.load(fixture("net_mlp"));
    const result = own.transform(program, "decompose,partition{backend=relu-only}", { verify: true });
    expect([...result.graph.subgraphs.keys()][0]).toBe("relu_only_0");
    expect(() => own.transform(program, "decompose,partition{backend=gpu}")).toThrow(
      /cannot be "gpu", which is not a backend/,
    );
  });

  test.each([
    ["a path", "program.pt2"],
    ["null", null],
    ["a number", 3],
    ["an object", {}],
  ])("load refuses %s with a typed error", async (_, source) => {
    await expect(createSconce().load(source as never)).rejects.toMatchObject({ code: "SOURCE_TYPE" });
  });

  test("a signal that was raised before stops a run at once", async () => {
    const sconce = createSconce();
    const module = await sconce.module(await sconce.load(fixture("api_sin_cos")));
    const run = module.call([ones([10, 10]), ones([10, 10])], {}, { signal: AbortSignal.abort() });
    await expect(run).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("keeps sessions separate", () => {
    createSconce({ plugins: [{ name: "a", ops: [doubled] }] });
    expect(createSconce().operators.get("mylib.sin.default")).toBeUndefined();
  });

  test("calls with keywords in any order, and refuses others in PyTorch's words [S-129]", async () => {
    const sconce = createSconce();
    const module = await sconce.module(await sconce.load(fixture("tree_keyword_order")));
    await expect(module.call([], { nope: ones([2]) })).rejects.toThrow(
      /Ran into a kwarg keyword mismatch: Got the following keywords \['nope'\]/,
    );
    await expect(module.call([], null as never)).rejects.toMatchObject({
      code: "KEYWORD_MISMATCH",
      message: "the keyword arguments are null, not an object",
    });
  });
});

test("names of operators from a file: any namespace, and not all of thousands", async () => {
  const sconce = createSconce();
  const compiled = async (targets: readonly string[]): Promise<unknown> => {
    const program = sconce.parseIr(
      `sconce-ir 1
program "ATEN" {
  input %x: USER_INPUT
  output %x: USER_OUTPUT
}
graph(%x: f32[2]) {
${targets.map((target, i) => `  %y${i}: f32[2] = ${target}(%x)`).join("\n")}
  return (%x)
}`,
    );
    return sconce.compile(program);
  };
  for (const namespace of ["__proto__", "constructor", "toString"])
    await expect(compiled([`${namespace}.foo.default`])).rejects.toMatchObject({
      code: "OPAQUE_OPERATORS",
      fix: expect.stringContaining(`register ${namespace}.foo.default with a plugin`),
    });
  const many = Array.from({ length: 3000 }, (_, i) => `mylib.op${i}.default`);
  await expect(compiled(many)).rejects.toMatchObject({
    message: expect.stringMatching(
      /calls 3000 operators .*mylib\.op19\.default \(node "y19"\) and 2980 more$/,
    ),
    fix: expect.stringMatching(/and 2980 more with a plugin/),
  });
});
