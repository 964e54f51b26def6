import { afterEach, expect, test, vi } from "vitest";
import { wasmMachine } from "./tile-kernel.js";

afterEach(() => vi.unstubAllGlobals());

test("WebAssembly is used where it may be compiled", () => {
  expect(wasmMachine()).toBeDefined();
});

test("a content policy without wasm-unsafe-eval leaves the matrix product to JavaScript", () => {
  const { CompileError, Instance, validate } = WebAssembly;
  const Module = class {
    constructor() {
      throw new CompileError("Refused to compile or instantiate WebAssembly module");
    }
  };
  vi.stubGlobal("WebAssembly", { CompileError, Instance, Module, validate });
  expect(wasmMachine()).toBeUndefined();
});
