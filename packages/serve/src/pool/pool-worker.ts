/** @file One worker thread, as the server sees it. */
import { Worker } from "node:worker_threads";
import { thrownText } from "@sconce/errors";
import type { Value } from "@sconce/ir";
import { errorFrom, receivedValue, transferOf } from "@sconce/session/worker-node";
import { workerLost } from "../protocol/errors.js";
import { movedValue, type WorkerReply, type WorkerRequest, type WorkerSettings } from "./messages.js";

/** The results of a run, and how long it took without the way there and back. */
export interface WorkerRun {
  readonly outputs: readonly Value[];
  readonly milliseconds: number;
}

/** A worker thread with all programs compiled. It runs one call at a time. */
export class PoolWorker {
  readonly #worker: Worker;
  #waiting: { resolve(reply: WorkerReply): void; reject(error: unknown): void } | undefined;
  #ended: string | undefined;
  readonly #onEnd: (reason: string) => void;

  /** @param onEnd called once when the thread ends, with the reason */
  constructor(settings: WorkerSettings, onEnd: (reason: string) => void) {
    this.#onEnd = onEnd;
    const script = new URL("./worker-entry.js", import.meta.url);
    this.#worker = new Worker(script, { name: "sconce serve", workerData: settings });
    this.#worker.on("message", (reply: WorkerReply) => this.#take(reply));
    this.#worker.on("error", (error) => this.#end(thrownText(error)));
    this.#worker.on("exit", (code) => this.#end(`it ended with code ${code}`));
  }

  /** Compiles a program, given as a `.pt2` file. */
  async load(file: Uint8Array): Promise<void> {
    await this.#ask({ kind: "load", file }, []);
  }

  /** Runs a program by its number. The memory of the inputs goes to the worker. */
  async run(model: number, inputs: readonly Value[]): Promise<WorkerRun> {
    const sent = inputs.map(movedValue);
    const reply = await this.#ask({ kind: "run", model, inputs: sent }, transferOf(sent));
    if (reply.kind !== "ran") throw workerLost("it answered another request");
    return { outputs: reply.outputs.map(receivedValue), milliseconds: reply.milliseconds };
  }

  /** Ends the thread; what it runs is lost. */
  async terminate(reason: string): Promise<void> {
    this.#end(reason);
    await this.#worker.terminate();
  }

  #ask(request: WorkerRequest, transfer: readonly ArrayBuffer[]): Promise<WorkerReply> {
    if (this.#ended !== undefined) return Promise.reject(workerLost(this.#ended));
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#worker.postMessage(request, [...transfer]);
    });
  }

  #take(reply: WorkerReply): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (reply.kind !== "failed") waiting?.resolve(reply);
    else waiting?.reject(errorFrom(reply.error));
  }

  #end(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#waiting?.reject(workerLost(reason));
    this.#waiting = undefined;
    this.#onEnd(reason);
  }
}
