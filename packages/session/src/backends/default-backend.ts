/** @file The backends that every session has beside the interpreter: `auto` and `wasm`. */
import { isSconceError } from "@sconce/errors";
import type { Backend, CompileOptions, Executable, ExportedProgram, Placement } from "@sconce/ir";
import type { PassContext, SessionBackend } from "@sconce/passes";
import { AUTO, WASM } from "./backend-names.js";
import { backendNotInstalled } from "./errors.js";

/** What the default backend is made of. */
export interface DefaultBackendParts {
  /** The interpreter, which runs what WebAssembly does not. */
  readonly host: Backend;
  readonly context: () => PassContext;
  /** Why the interpreter has to run a whole program, or undefined. */
  readonly whyHost: (program: ExportedProgram) => string | undefined;
}

/** Loads when it is first asked, and again after a failure: a page may get it the next time. */
function loadedOnce(load: () => Promise<Backend>): () => Promise<Backend> {
  let loading: Promise<Backend> | undefined;
  return async () => {
    try {
      loading ??= load();
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
}

/**
 * Returns the backend `auto`: `wasm` where it runs, else the interpreter, as its placement then
 * says. The package of `wasm` is loaded when the first program is compiled.
 */
export function defaultBackend({ host, context, whyHost }: DefaultBackendParts): Backend {
  const load = loadedOnce(async () => {
    const { autoBackend } = await import("@sconce/backend-wasm");
    return (autoBackend() as SessionBackend).inSession(context(), host);
  });
  const compile = async (program: ExportedProgram, options?: CompileOptions): Promise<Executable> => {
    const onHost = async (reason: string): Promise<Executable> =>
      placedOnHost(await host.compile(program, options), program, reason);
    const reason = whyHost(program);
    if (reason !== undefined) return onHost(reason);
    let backend: Backend;
    try {
      backend = await load();
    } catch (error) {
      if (isSconceError(error)) throw error;
      return onHost(`the package of the backend "wasm" cannot be loaded`);
    }
    try {
      return await backend.compile(program, options);
    } catch (error) {
      if (!isSconceError(error, "OUT_OF_MEMORY")) throw error;
      return onHost(`the memory of the backend "wasm" is too small: ${error.message}`);
    }
  };
  return {
    name: AUTO,
    leavesTensors: true,
    supports: (node, graph) => host.supports(node, graph),
    describeSupport: (target) => host.describeSupport?.(target),
    compile,
  };
}

/**
 * Returns the backend `wasm`, with its defaults. Its package is loaded when the first program is
 * compiled.
 *
 * @param parts without the reasons for which the interpreter runs a whole program
 */
export function ownWasm({ host, context }: Omit<DefaultBackendParts, "whyHost">): Backend {
  const load = loadedOnce(async () => {
    const { wasmBackend } = await import("@sconce/backend-wasm");
    return (wasmBackend() as SessionBackend).inSession(context(), host);
  });
  const compile = async (program: ExportedProgram, options?: CompileOptions): Promise<Executable> => {
    let backend: Backend;
    try {
      backend = await load();
    } catch (error) {
      throw isSconceError(error) ? error : backendNotInstalled(WASM, "npm install sconce", error);
    }
    return backend.compile(program, options);
  };
  return {
    name: WASM,
    leavesTensors: true,
    supports: (node, graph) => host.supports(node, graph),
    compile,
  };
}

/** Reports that the interpreter runs a program, and why. */
function placedOnHost(executable: Executable, { graph }: ExportedProgram, reason: string): Executable {
  const calls = graph.calls();
  const placement: Placement = {
    device: "none",
    nodes: calls.map(({ name, target }) => ({ node: name, target, source: name, place: "host", reason })),
    regions: 0,
    kernels: 0,
    copies: { toDevice: 0, toHost: 0 },
    fallbacks: [],
  };
  return Object.assign(executable, { placement: () => placement });
}
