/** @file A worker of a module: it computes parts of kernels. */
import { type PoolMessage, servePool, type WorkerMessage } from "@sconce/backend-wasm/threads";
import { nodePart } from "./node-parts.js";

interface Port {
  postMessage(message: WorkerMessage): void;
  on(event: "message", listener: (message: PoolMessage) => void): void;
}
type Functions = Readonly<Record<string, (...args: never[]) => number | bigint>>;

/** Serves the model that started the worker. */
export function serve({ functions }: { readonly functions: Functions }): void {
  const scope = globalThis as unknown as {
    postMessage?(message: WorkerMessage): void;
    onmessage: unknown;
  };
  const load = async (): Promise<Functions> => functions;
  if (scope.postMessage !== undefined) {
    const receive = servePool((message) => scope.postMessage!(message), load);
    scope.onmessage = ({ data }: { readonly data: PoolMessage }) => receive(data);
    return;
  }
  const { parentPort } = nodePart("node:worker_threads") as { readonly parentPort: Port };
  parentPort.on(
    "message",
    servePool((message) => parentPort.postMessage(message), load),
  );
}
