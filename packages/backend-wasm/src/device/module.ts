/** @file Modules of kernels. */
import { ModuleBuilder } from "@sconce/wasm";
import type { KernelCode } from "../kernel-code.js";
import type { Entry } from "../threads/modules.js";
import { formsOf, type Prepare } from "./constants.js";
import { MOST_PAGES, type WasmMemory } from "./memory.js";

/** A module: each kernel is exported as `k` with its position, each prepared form as `p`. */
function moduleOf(codes: readonly KernelCode[], isShared: boolean): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  const limits = isShared ? { initial: 1, maximum: MOST_PAGES, shared: true } : { initial: 1 };
  module.importMemory("env", "memory", limits);
  const imported = new Map<string, number>();
  for (const { name, parameters, result } of codes.flatMap(({ imports }) => imports))
    if (!imported.has(name))
      imported.set(name, module.importFunction("js", name, { params: parameters, results: [result] }));
  codes.forEach((code, at) => {
    module.exportFunction(`k${at}`, code.emit(module, imported));
  });
  [...formsOf(codes).values()].forEach((form, at) => {
    module.exportFunction(`p${at}`, form.emit(module));
  });
  return module.build();
}

/** Compiles kernels into one module on a memory. */
export function instantiate(
  codes: readonly KernelCode[],
  { memory, pool }: WasmMemory,
): {
  readonly module: WebAssembly.Module;
  readonly entries: readonly Entry[];
  readonly prepare: (form: string) => Prepare;
} {
  const js: Record<string, WebAssembly.ImportValue> = {};
  for (const { name, call } of codes.flatMap(({ imports }) => imports))
    js[name] = call as WebAssembly.ImportValue;
  const module = new WebAssembly.Module(moduleOf(codes, pool !== undefined));
  const { exports } = new WebAssembly.Instance(module, { env: { memory }, js });
  const forms = [...formsOf(codes).keys()];
  return {
    module,
    entries: codes.map((_, at) => exports[`k${at}`] as Entry),
    prepare: (form) => exports[`p${forms.indexOf(form)}`] as Prepare,
  };
}
