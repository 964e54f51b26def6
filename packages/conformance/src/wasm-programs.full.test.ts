/** @file Every program that PyTorch exported, as it is, lowered and optimized, in WebAssembly. */
import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { wasmBackend } from "@sconce/backend-wasm";
import type { Executable, Value } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { copyInto, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { checkProgramFolder } from "./conformance/programs.js";
import { PROGRAMS } from "./fixtures.js";

const names = readdirSync(PROGRAMS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

// Node 20 and 22 have 64-bit addresses behind a flag; later ones do not know the flag.
if (Number(process.versions.node.split(".")[0]) < 24) setFlagsFromString("--experimental-wasm-memory64");

type WasmBackend = ReturnType<typeof wasmBackend>;

/** A backend whose runs read inputs in the memory of the device, and leave results there. */
const resident = (backend: WasmBackend): WasmBackend => ({
  ...backend,
  inSession: (session, host) => resident(backend.inSession(session, host) as WasmBackend),
  compile: async (program, options) => {
    const executable = await backend.compile(program, options);
    const run: Executable["run"] = async (inputs, runOptions) => {
      // A tensor that is given twice is one tensor there, too.
      const there = new Map<Value, Value>();
      for (const input of inputs)
        if (input instanceof Tensor) there.set(input, (await executable.toDevice?.(input)) ?? input);
      const given = inputs.map((input) => there.get(input) ?? input);
      const results = await executable.run(given, { ...runOptions, results: "device" });
      for (const [input, tensor] of there) if (input !== tensor) copyInto(input as Tensor, tensor as Tensor);
      return results;
    };
    return new Proxy(executable, {
      get: (target, name) => {
        if (name === "run") return run;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  },
});

/** The first runs all, and the lowered programs too: all lower to the same. */
describe.each([
  ["one thread", wasmBackend({ threads: 1, relaxed: false })],
  ["addresses of 64 bits", wasmBackend({ threads: 1, relaxed: false, memory64: true })],
  ["two threads", wasmBackend({ threads: 2 })],
  ["values that stay on the device", resident(wasmBackend({ threads: 1 }))],
] as const)("programs that PyTorch exported, with %s", (variant, backend) => {
  const options = { backend: "wasm", runsOnly: true, withoutLowered: variant !== "one thread" };
  const sconce = createSconce({ plugins: [corpusPlugin], backends: [backend] });
  const isFirst = variant === "one thread";
  test.each(names.filter((_, at) => isFirst || at % 2 === 1))("%s", async (name) => {
    const checks = await checkProgramFolder(`${PROGRAMS}${name}`, sconce, options);
    expect(checks.filter((check) => check.problem !== undefined)).toEqual([]);
  });
});
