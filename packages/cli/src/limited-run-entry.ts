/** @file The script of the worker that runs a command with limits on passes. */
import { workerData } from "node:worker_threads";
import { ownPort } from "@sconce/session/worker-node";
import type { CommandData, CommandInput, FromCommand } from "./limited-run.js";
import { run } from "./main.js";

const port = ownPort();
const { args, ...streams } = workerData as CommandData;

const send = (message: FromCommand): void => port.postMessage(message);

function input(): Promise<Uint8Array> {
  const read = new Promise<Uint8Array>((resolve, reject) => {
    port.once("message", (given: CommandInput) =>
      "bytes" in given ? resolve(given.bytes) : reject(given.error as Error),
    );
  });
  send({ kind: "input" });
  return read;
}

const code = await run(args, {
  ...streams,
  // A progress bar would have to be drawn from here.
  interactive: false,
  out: (text) => send({ kind: "out", text }),
  err: (text) => send({ kind: "err", text }),
  onOpen: () => send({ kind: "ready" }),
  onPass: (place) => send({ kind: "pass", place }),
  input,
});
send({ kind: "done", code });
