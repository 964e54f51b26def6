/**
 * @file One limit of memory for all backends: values that exceed it are refused before they are
 * made.
 */

import { gpujsBackend } from "@sconce/backend-gpujs";
import type { Progress } from "@sconce/errors";
import type { Backend, ExportedProgram, Value } from "@sconce/ir";
import { createSconce, type Sconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { sampleProgram } from "@sconce/testing";
import { describe, expect, test } from "vitest";

const BACKENDS = ["cpu", "gpujs:cpu", "gpujs:webasm", "own"];

/** A backend of an application, which the session knows nothing about. */
const own: Backend = {
  name: "own",
  supports: () => true,
  compile: async () => {
    throw new Error("is replaced");
  },
};

function session(maxBytes?: number): Sconce {
  const interpreter = createSconce().backend("cpu");
  return createSconce({
    ...(maxBytes !== undefined && { maxBytes }),
    backends: [
      gpujsBackend({ name: "gpujs:cpu", mode: "cpu" }),
      gpujsBackend({ name: "gpujs:webasm", mode: "webasm" }),
      { ...own, compile: (program) => interpreter.compile(program) },
    ],
  });
}

const N = 4_000_000_000;
/** Each class of operators that makes much of little, with the dtype of its input. */
const CLASSES: Readonly<Record<string, readonly [call: string, type: string, input?: string]>> = {
  repeat: [`aten.repeat.default(%x, [${N}])`, `f32[${4 * N}]`],
  pad: [`aten.constant_pad_nd.default(%x, [0, ${N}])`, `f32[${N + 4}]`],
  eye: ["aten.eye.default(60000)", "f32[60000, 60000]"],
  full: [`aten.full.default([${N}], 1.5)`, `f32[${N}]`],
  zeros: [`aten.full.default([${N}, 2], 0.0)`, `f32[${N}, 2]`],
  arange: [`aten.arange.start_step(0, ${N}, 1)`, `i64[${N}]`],
  one_hot: ["aten.one_hot.default(%x, 1000000000)", "i64[4, 1000000000]", "i64[4]"],
  expand: [`aten.clone.default(%e)`, `f32[${N}, 4]`],
  cat: [`aten.cat.default([%e, %e])`, `f32[${2 * N}, 4]`],
  outer: [`aten.mul.Tensor(%e, %e)`, `f32[${N}, 4]`],
};

const programOf = (call: string, type: string, input = "f32[4]"): ExportedProgram => {
  const expanded = call.includes("%e") ? `%e: f32[${N}, 4]{0, 1} = aten.expand.default(%x, [${N}, 4])\n` : "";
  return createSconce().parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: ${input}) { ${expanded}%y: ${type} = ${call} return (%y) }`);
};

const inputOf = (input = "f32[4]"): Tensor =>
  Tensor.from([0, 1, 2, 3], [4], input.startsWith("i64") ? "int64" : "float32");

async function run(sconce: Sconce, program: ExportedProgram, backend: string, x: Value): Promise<unknown> {
  using executable = await sconce.compile(program, backend);
  return (await executable.run([x]))[0];
}

describe.each(BACKENDS)("on %s", (backend) => {
  test.each(Object.entries(CLASSES))(
    "%s of a huge size is refused before it is allocated",
    async (_, [call, type, input]) => {
      const before = process.memoryUsage().rss;
      await expect(
        run(session(), programOf(call, type, input), backend, inputOf(input)),
      ).rejects.toMatchObject({
        code: "OUT_OF_MEMORY",
        message: expect.stringMatching(/^cannot allocate \d{10,} bytes .* left of maxBytes$/),
        where: expect.stringContaining('node "y"'),
        fix: expect.stringContaining("maxBytes"),
      });
      expect(process.memoryUsage().rss - before).toBeLessThan(5e8);
    },
  );

  test("the session sets the limit", async () => {
    const program = programOf("aten.repeat.default(%x, [100])", "f32[400]");
    const y = await run(session(1600), program, backend, inputOf());
    expect((y as Tensor).shape).toEqual([400]);
    await expect(run(session(1599), program, backend, inputOf())).rejects.toMatchObject({
      code: "OUT_OF_MEMORY",
      message: expect.stringMatching(/1600 bytes are more than the 1599 bytes/),
    });
  });

  test("sizes that a run gives count", async () => {
    const program = createSconce().parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[s0]) { %y: f32[10*s0] = aten.repeat.default(%x, [10]) return (%y) }`);
    const sconce = session(4000);
    expect(await run(sconce, program, backend, Tensor.empty([100], "float32"))).toBeInstanceOf(Tensor);
    await expect(run(sconce, program, backend, Tensor.empty([101], "float32"))).rejects.toMatchObject({
      code: "OUT_OF_MEMORY",
    });
  });
});

describe.each(BACKENDS.filter((name) => name !== "own"))("on %s, values of a run", (backend) => {
  const program = createSconce().parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %d: USER_OUTPUT }
graph(%x: f32[100]) {
  %a: f32[100] = aten.cumsum.default(%x, 0)
  %b: f32[100] = aten.cumsum.default(%a, 0)
  %c: f32[100] = aten.cumsum.default(%b, 0)
  %d: f32[100] = aten.add.Tensor(%c, %a)
  return (%d)
}`);
  test("count while they are needed, together", async () => {
    const x = Tensor.from(new Array(100).fill(1), [100], "float32");
    expect(await run(session(1600), program, backend, x)).toBeInstanceOf(Tensor);
    await expect(run(session(1100), program, backend, x)).rejects.toMatchObject({ code: "OUT_OF_MEMORY" });
  });
});

test("the search of the first non-finite value has the limit of the session", async () => {
  const program = programOf("aten.repeat.default(%x, [100])", "f32[400]");
  const sconce = session(1599);
  await expect(sconce.firstNonfinite(program, [inputOf()])).rejects.toMatchObject({ code: "OUT_OF_MEMORY" });
  expect(await sconce.firstNonfinite(program, [inputOf()], { maxBytes: 1600 })).toMatchObject({ calls: 1 });
});

test.each([0, -1, Number.NaN, "4GB", null])("a limit of %j is refused", (maxBytes) => {
  expect(() => createSconce({ maxBytes: maxBytes as never })).toThrow(
    expect.objectContaining({ code: "OPTION_VALUE", fix: expect.stringContaining("a number of bytes") }),
  );
  expect(() => gpujsBackend({ maxBytes: maxBytes as never })).toThrow(
    expect.objectContaining({ code: "OPTION_VALUE" }),
  );
});

test.each(["cpu", "gpujs:cpu"])("the memory of programs on %s is counted", async (backend) => {
  const sconce = session();
  const found = () => sconce.memory().get(backend)!;
  expect(found()).toEqual({
    executables: 0,
    hostBytes: 0,
    tensors: 0,
    deviceBytes: 0,
    deviceBuffers: 0,
    keptBytes: 0,
  });
  const program = programOf("aten.neg.default(%x)", "f32[4]");
  const first = await sconce.compile(program, backend);
  const second = await sconce.compile(program, backend);
  await first.run([inputOf()]);
  expect(found().executables).toBe(2);
  expect(first.memory?.()).toMatchObject({ hostBytes: 0, deviceBytes: 0 });
  first.dispose();
  first.dispose();
  expect(found().executables).toBe(1);
  second.dispose();
  expect(found().executables).toBe(0);
});

test("weights and values of a run in progress count", async () => {
  const sconce = session();
  const lowered = sampleProgram(7, { dialect: "ATEN", dynamic: false });
  using executable = await sconce.compile(lowered, "cpu");
  const weights = [...executable.state.values()].reduce(
    (bytes, { storage }) => bytes + storage.byteLength,
    0,
  );
  expect(executable.memory?.().hostBytes).toBe(weights);
  const program = programOf("aten.cat.default([%x, %x])", "f32[8]");
  using running = await sconce.compile(program, "cpu");
  const seen: number[] = [];
  await running.run([inputOf()], { onProgress: () => seen.push(running.memory!().hostBytes) });
  expect(seen).toEqual([0, 32]);
  expect(running.memory?.().hostBytes).toBe(0);
});

describe("the values of a run count no longer", () => {
  const program = createSconce().parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %c: USER_OUTPUT }
graph(%x: f32[100]) {
  %a: f32[100] = aten.cumsum.default(%x, 0)
  %b: f32[1000] = aten.repeat.default(%a, [10])
  %c: f32[1000] = aten.neg.default(%b)
  return (%c)
}`);
  const x = Tensor.empty([100], "float32");

  test("after one that failed", async () => {
    const executable = await session(1000).compile(program, "cpu");
    await expect(executable.run([x])).rejects.toMatchObject({ code: "OUT_OF_MEMORY" });
    expect(executable.memory?.()).toMatchObject({ hostBytes: 0, tensors: 0 });
  });

  test("after one that was canceled", async () => {
    const executable = await session().compile(program, "cpu");
    const abort = new AbortController();
    const seen: number[] = [];
    const onProgress = ({ done }: Progress): void => {
      if (done === 0) return;
      seen.push(executable.memory!().hostBytes);
      abort.abort();
      // Longer than a run goes on without a pause.
      for (const start = performance.now(); performance.now() - start < 50; );
    };
    await expect(executable.run([x], { signal: abort.signal, onProgress })).rejects.toMatchObject({
      code: "ABORTED",
    });
    expect(seen[0]).toBe(400);
    expect(executable.memory?.()).toMatchObject({ hostBytes: 0, tensors: 0 });
  });
});
