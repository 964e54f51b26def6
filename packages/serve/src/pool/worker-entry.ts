/** @file The script of a worker: it compiles the programs of the server and runs them. */
import { parentPort, workerData } from "node:worker_threads";
import { isSconceError } from "@sconce/errors";
import type { Executable, ExportedProgram } from "@sconce/ir";
import { createSconce, exampleInputs } from "@sconce/session";
import { isKnownBackend, loadBackend } from "@sconce/session/backends";
import { loadPlugin, receivedValue, sentValue, transferOf } from "@sconce/session/worker-node";
import { internal } from "../protocol/errors.js";
import type { WorkerReply, WorkerRequest, WorkerSettings } from "./messages.js";

const port = parentPort!;
const { backend, threads, maxBytes, plugins } = workerData as WorkerSettings;

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
  // These are copies: results may share memory with each other and with weights.
  const outputs = results.map(sentValue);
  const milliseconds = performance.now() - start;
  return { reply: { kind: "ran", outputs, milliseconds }, transfer: transferOf(outputs) };
}

/** Runs a program on the inputs of its export, so that the first request finds kernels ready. */
async function warmUp(program: ExportedProgram, executable: Executable): Promise<void> {
  try {
    const inputs = exampleInputs(program);
    if (inputs !== undefined) await executable.run(inputs);
  } catch (error) {
    // The program may refuse the inputs of its export: requests bring their own.
    if (!isSconceError(error)) throw error;
  }
}

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
