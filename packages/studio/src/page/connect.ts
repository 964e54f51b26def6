import { EngineClient } from "../engine/client.js";
import type { FromEngine } from "../engine/messages.js";

/** Starts the worker of the page, and connects the page with it. */
export function connectWorker(): EngineClient {
  const worker = new Worker(new URL("../worker/worker.ts", import.meta.url), { type: "module" });
  const client = new EngineClient((message) => worker.postMessage(message));
  worker.addEventListener("message", ({ data }: MessageEvent<FromEngine>) => client.receive(data));
  worker.addEventListener("error", ({ message }) => client.lose(message));
  return client;
}
