/** @file The script of a worker: it compiles the programs of the server and runs them. */
import { parentPort, workerData } from "node:worker_threads";
import { isSconceError } from "@sconce/errors";
import type { Executable, ExportedProgram } from "@sconce/ir";
import { createSconce, exampleInputs, type Plugin } from "@sconce/session";
import { isKnownBackend, loadBackend } from "@sconce/session/backends";
import { copiedBytes, Storage, Tensor } from "@sconce/tensor";
import { internal } from "../protocol/errors.js";
import {
  receivedValue,
  sentValue,
  transferOf,
  type WorkerReply,
  type WorkerRequest,
  type WorkerSettings,
} from "./messages.js";

const port = parentPort!;
const { backend, threads, maxBytes, plugins } = workerData as WorkerSettings;

/** Loads what a module exports: its default, `plugin`, or the name after `#`. */
async function loadPlugin(address: string): Promise<Plugin> {
  const { href, hash } = new URL(address);
  const module = (await import(href.slice(0, href.length - hash.length))) as Readonly<Record<string, Plugin>>;
  return (hash === "" ? (module["default"] ?? module["plugin"]) : module[hash.slice(1)])!;
}

// The session of the server loads the same plugins, and its logger has their warnings.
const session = createSconce({
  services: { logger: { warn: () => {} } },
  ...(maxBytes !== undefined && { maxBytes }),
  plugins: await Promise.all(plugins.map(loadPlugin)),
  backends:
    backend === "cpu" || !isKnownBackend(backend)
      ? []
      : [await loadBackend(backend, threads === undefined ? {} : { threads })],
});
const executables: Executable[] = [];

async function answer(request: WorkerRequest): Promise<{ reply: WorkerReply; transfer: ArrayBuffer[] }> {
  if (request.kind === "load") {
    const program = await session.load(request.file);
    const executable = await session.compile(program, backend);
    await warmUp(program, executable);
    executables.push(executable);
    return { reply: { kind: "loaded" }, transfer: [] };
  }
  const start = performance.now();
  const results = await executables[request.model]!.run(request.inputs.map(receivedValue));
  // Results may share memory with each other and with weights.
  const outputs = results.map((value) => sentValue(value instanceof Tensor ? owned(value) : value));
  const milliseconds = performance.now() - start;
  return { reply: { kind: "ran", outputs, milliseconds }, transfer: transferOf(outputs) };
}

/** Runs a program on the inputs of its export, so that the first request finds kernels ready. */
async function warmUp(program: ExportedProgram, executable: Executable): Promise<void> {
  try {
    const inputs = exampleInputs(program);
    if (inputs !== undefined) await executable.run(inputs);
  } catch {
    // The inputs may have no values, or be what the program refuses: requests bring their own.
  }
}

/** Returns a tensor with row-major elements in memory that it shares with no other. */
const owned = (tensor: Tensor): Tensor =>
  new Tensor({ dtype: tensor.dtype, shape: tensor.shape, storage: new Storage(copiedBytes(tensor)) });

let last: Promise<void> = Promise.resolve();
port.on("message", (request: WorkerRequest) => {
  last = last.then(async () => {
    try {
      const { reply, transfer } = await answer(request);
      port.postMessage(reply, transfer);
    } catch (error) {
      const known = isSconceError(error) ? error : internal(error);
      port.postMessage({ kind: "failed", error: known.toJSON() } satisfies WorkerReply);
    }
  });
});
