/** @file A backend whose programs compile and run in a worker. */

import { checkOptions, type LongWorkOptions, throwIfAborted } from "@sconce/errors";
import {
  type Backend,
  COMPILE_OPTIONS,
  type CompileOptions,
  type Executable,
  type ExportedProgram,
  RUN_OPTIONS,
  type RunOptions,
  type Value,
} from "@sconce/ir";
import { disposed, type OperatorTable, programState } from "@sconce/ops";
import { copyInto, type Tensor } from "@sconce/tensor";
import { errorFrom, workerEnded, workerFailed } from "./errors.js";
import {
  type ExecutableReport,
  receivedTensor,
  receivedValue,
  sentValue,
  transferOf,
  type WorkerReply,
  type WorkerRequest,
} from "./messages.js";
import { listen, type WorkerLike } from "./port.js";

/** A backend in a worker. `dispose` ends the worker, and with it all its executables. */
export interface WorkerBackend extends Backend {
  dispose(): void;
  [Symbol.dispose](): void;
}

type Unnumbered<R> = R extends { readonly id: number } ? Omit<R, "id"> : never;
type Answer = Extract<WorkerReply, { readonly kind: "compiled" | "ran" }>;
interface Waiting extends LongWorkOptions {
  resolve(reply: Answer): void;
  reject(error: unknown): void;
}

/** What the session gives. */
export interface WorkerBackendParts {
  readonly operators: OperatorTable;
  readonly save: (program: ExportedProgram, signal: AbortSignal | undefined) => Promise<Uint8Array>;
}

/** Returns a backend of the session that a worker serves. */
export function workerBackend(
  worker: WorkerLike,
  backend: string | undefined,
  { operators, save }: WorkerBackendParts,
): WorkerBackend {
  const link = new WorkerLink(worker);
  return {
    name: backend === undefined ? "worker" : `worker:${backend}`,
    leavesTensors: true,
    // The session of the worker asks its backend, and refuses what that does not support.
    supports: () => true,
    compile: async (program: ExportedProgram, options: CompileOptions = {}): Promise<Executable> => {
      checkOptions("compile", options, COMPILE_OPTIONS);
      const { exclude, signal } = options;
      const file = new Uint8Array(await save(program, signal));
      const request = { kind: "compile", backend, file, exclude } as const;
      const { id, report } = await link.ask(request, [file.buffer], options);
      return new WorkerExecutable(link, id, report, programState(program, operators));
    },
    dispose: () => link.dispose(),
    [Symbol.dispose]: () => link.dispose(),
  };
}

/** The requests that wait for the worker. */
class WorkerLink {
  readonly #worker: WorkerLike;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  #ended: string | undefined;

  constructor(worker: WorkerLike) {
    this.#worker = worker;
    listen(worker, "message", (reply) => this.#take(reply as WorkerReply));
    listen(worker, "error", (reason) => this.#end(String(reason)));
    listen(worker, "exit", (code) => this.#end(`it ended with code ${code}`));
    worker.unref?.();
  }

  /** Sends a request, and resolves with the answer. */
  async ask(
    request: Unnumbered<WorkerRequest>,
    transfer: readonly ArrayBuffer[],
    { signal, onProgress }: LongWorkOptions,
  ): Promise<Answer> {
    throwIfAborted(signal, request.kind === "run" ? "run" : "compilation");
    if (this.#ended !== undefined) throw workerEnded(this.#ended);
    const id = this.#next++;
    const stop = (): void => this.#send({ kind: "abort", id: this.#next++, of: id }, []);
    signal?.addEventListener("abort", stop);
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, onProgress, signal });
        this.#send({ ...request, id } as WorkerRequest, transfer);
        // The process waits for answers, and not for an idle worker.
        this.#worker.ref?.();
      });
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#worker.unref?.();
    }
  }
  #send(request: WorkerRequest, transfer: readonly ArrayBuffer[]): void {
    this.#worker.postMessage(request, [...transfer]);
  }

  #take(reply: WorkerReply): void {
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    if (reply.kind === "progress") waiting.onProgress?.(reply.progress);
    else if (reply.kind === "failed") {
      const { signal } = waiting;
      // The error of a signal has the signal's reason.
      const isAborted = reply.error.code === "ABORTED" && signal?.aborted;
      waiting.reject(errorFrom(reply.error, isAborted ? signal.reason : undefined));
    } else if (reply.kind === "compiled" || reply.kind === "ran") waiting.resolve(reply);
  }
  #end(reason: string): void {
    this.#ended ??= reason;
    for (const { reject } of this.#waiting.values()) reject(workerEnded(this.#ended));
  }

  /** Frees an executable. */
  free(executable: number): void {
    if (this.#ended === undefined) this.#send({ kind: "dispose", id: this.#next++, executable }, []);
  }
  dispose(): void {
    this.#end("it was disposed of");
    this.#worker.terminate();
  }
}

/** Frees executables of workers that nothing can reach any more. */
const forgotten = /* @__PURE__ */ new FinalizationRegistry<{
  readonly link: WorkerLink;
  readonly id: number;
}>(({ link, id }) => link.free(id));

class WorkerExecutable implements Executable {
  readonly state: ReadonlyMap<string, Tensor>;
  readonly #link: WorkerLink;
  readonly #id: number;
  #report: ExecutableReport;
  #isDisposed = false;

  constructor(link: WorkerLink, id: number, report: ExecutableReport, state: ReadonlyMap<string, Tensor>) {
    this.#link = link;
    this.#id = id;
    this.#report = report;
    this.state = state;
    // Only what the backend reports is there to be asked for.
    if (report.profile !== undefined) this.profile = () => this.#report.profile ?? [];
    if (report.placement !== undefined) this.placement = () => this.#report.placement!;
    if (report.memory !== undefined) this.memory = () => this.#report.memory!;
    forgotten.register(this, { link, id }, this);
  }
  profile?: NonNullable<Executable["profile"]>;
  placement?: NonNullable<Executable["placement"]>;
  memory?: NonNullable<Executable["memory"]>;

  async run(inputs: readonly Value[], options: RunOptions = {}): Promise<readonly Value[]> {
    if (this.#isDisposed) throw disposed("the executable");
    checkOptions("run", options, RUN_OPTIONS);
    const sent = inputs.map(sentValue);
    const { profile } = options;
    const request = { kind: "run", executable: this.#id, inputs: sent, profile } as const;
    const reply = await this.#link.ask(request, transferOf(sent), options);
    if (reply.kind !== "ran") throw workerFailed("it answered another request");
    this.#report = reply.report;
    for (const [at, value] of reply.written) copyInto(inputs[at] as Tensor, receivedTensor(value));
    for (const [name, value] of reply.state) copyInto(this.state.get(name)!, receivedTensor(value));
    return reply.outputs.map(receivedValue);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    forgotten.unregister(this);
    this.#link.free(this.#id);
  }
  [Symbol.dispose](): void {
    this.dispose();
  }
}
