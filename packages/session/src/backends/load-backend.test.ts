import { expect, test } from "vitest";
import { builtinBackends, loadBackend } from "../backends.js";
import { createSconce } from "../index.js";

test.each([...builtinBackends, "auto", "gpujs:webasm"])("%s is loaded by its name", async (name) => {
  expect((await loadBackend(name)).name).toBe(name);
});

test("a session takes a loaded backend, and finds it by its name", async () => {
  const session = createSconce({ backends: [await loadBackend("gpujs:cpu")] });
  expect(session.backend("gpujs:cpu").name).toBe("gpujs:cpu");
  expect(session.backend().name).toBe("auto");
});

test.each([
  ["webgpu", 'unknown backend "webgpu"; the backend for GPUs is "gpujs"', 'use the name "gpujs"'],
  ["cup", 'unknown backend "cup"', 'did you mean "cpu"? the backends are: cpu, wasm, gpujs'],
  ["gpujs:cpu:1", 'unknown backend "gpujs:cpu:1"', "the names are: auto, cpu, wasm, gpujs, gpujs:MODE"],
])("%s is not a name of a backend", async (name, message, fix) => {
  await expect(loadBackend(name)).rejects.toMatchObject({
    code: "UNKNOWN_BACKEND",
    message,
    fix: expect.stringContaining(fix),
  });
});

test("a cache of kernels is for the backends that keep them", async () => {
  const cache = { get: () => undefined, set: () => undefined };
  expect((await loadBackend("wasm", { cache })).name).toBe("wasm");
  for (const name of ["cpu", "gpujs:cpu"])
    await expect(loadBackend(name, { cache })).rejects.toMatchObject({ code: "OPTION_VALUE" });
});
