/** @file Gives programs `module()` and `call()`, which need modules. */
import { ExportedProgram } from "@sconce/ir";
import { GraphModule, type GraphModuleOptions } from "./graph-module.js";

const modules = new WeakMap<ExportedProgram, GraphModule>();

function callProgram(this: ExportedProgram, ...args: readonly unknown[]): unknown {
  let module = modules.get(this);
  if (module === undefined) {
    module = new GraphModule(this);
    modules.set(this, module);
  }
  return module(...args);
}

/** Adds the methods to `ExportedProgram.prototype`; again is harmless. */
export function installProgramMethods(): void {
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(ExportedProgram.prototype, name, { value, configurable: true, writable: true });
  };
  define("module", function (this: ExportedProgram, options?: GraphModuleOptions) {
    return new GraphModule(this, options);
  });
  define("call", callProgram);
}
