/** @file The worker's side: it compiles programs and runs them, one request after another. */
import { isSconceError, type SconceErrorJson, thrownText } from "@sconce/errors";
import type { Executable, ExportedProgram } from "@sconce/ir";
import { MUTATIONS, mutatedPlaceholders, type OperatorTable } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { workerFailed } from "./errors.js";
import {
  type ExecutableReport,
  receivedValue,
  sentTensor,
  sentValue,
  transferOf,
  type WorkerReply,
  type WorkerRequest,
} from "./messages.js";
import { NO_REQUEST } from "./pass-messages.js";
import { listen, type WorkerPort } from "./port.js";
import { ServedPasses } from "./serve-passes.js";
import type { ServedSession } from "./served-session.js";

/** Sends a reply, and gives away the memory that it names. */
type SendReply = (reply: WorkerReply, transfer: readonly ArrayBuffer[]) => void;

type RequestOf<K extends WorkerRequest["kind"]> = Extract<WorkerRequest, { readonly kind: K }>;

/** A compiled program, and what it writes to. */
interface Served {
  readonly executable: Executable;
  /** Positions of inputs. */
  readonly inputs: readonly number[];
  /** Names of state. */
  readonly state: readonly string[];
}

/**
 * Serves a session to the thread that started this worker, which compiles and runs programs on its
 * backends by `sconce.worker()`, and runs its passes by `sconce.transformInWorker()`. Called once,
 * in the script of a worker.
 *
 * @param port in Node the worker's `parentPort`; by default the worker itself, as in pages
 */
export function serveSession(session: ServedSession, port: WorkerPort = globalThis as never): void {
  const server = new Server(session, (reply, transfer) => port.postMessage(reply, [...transfer]));
  listen(port, "message", (request) => void server.take(request as WorkerRequest));
  const ready: WorkerReply = { kind: "ready", id: NO_REQUEST };
  port.postMessage(ready, []);
}

class Server {
  readonly #send: SendReply;
  readonly #executables = new Map<number, Served>();
  readonly #running = new Map<number, AbortController>();
  readonly #passes = new Map<number, ServedPasses>();
  readonly #session: ServedSession;

  constructor(session: ServedSession, send: SendReply) {
    this.#session = session;
    this.#send = send;
  }

  async take(request: WorkerRequest): Promise<void> {
    const { id } = request;
    if (request.kind === "abort") {
      this.#running.get(request.of)?.abort();
      return;
    }
    if (request.kind === "dispose") {
      this.#executables.get(request.executable)?.executable.dispose();
      this.#executables.delete(request.executable);
      return;
    }
    if (request.kind === "values") {
      this.#passes.get(request.of)?.take(request.storages);
      return;
    }
    if (request.kind === "transform") {
      const passes = new ServedPasses((reply, transfer = []) => this.#send({ ...reply, id }, transfer));
      this.#passes.set(id, passes);
      await passes.run(request, this.#session);
      this.#passes.delete(id);
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      if (request.kind === "compile") await this.#compile(request, controller.signal);
      else await this.#run(request, controller.signal);
    } catch (error) {
      this.#send({ kind: "failed", id, error: errorOf(error) }, []);
    } finally {
      this.#running.delete(id);
    }
  }

  async #compile({ id, backend, file, exclude }: RequestOf<"compile">, signal: AbortSignal): Promise<void> {
    const program = await this.#session.load(file, { signal });
    const executable = await this.#session.compile(program, backend, {
      signal,
      ...(exclude && { exclude }),
      onProgress: (progress) => this.#send({ kind: "progress", id, progress }, []),
    });
    this.#executables.set(id, { executable, ...writtenBy(program, this.#session.operators) });
    this.#send({ kind: "compiled", id, report: reportOf(executable) }, []);
  }

  async #run({ id, executable, inputs, profile }: RequestOf<"run">, signal: AbortSignal): Promise<void> {
    const served = this.#executables.get(executable)!;
    const values = inputs.map(receivedValue);
    const results = await served.executable.run(values, {
      signal,
      ...(profile !== undefined && { profile }),
      onProgress: (progress) => this.#send({ kind: "progress", id, progress }, []),
    });
    const outputs = results.map(sentValue);
    const written = served.inputs.map((at) => [at, sentTensor(values[at] as Tensor)] as const);
    const state = served.state.map((name) => [name, sentTensor(served.executable.state.get(name)!)] as const);
    const sent = [...outputs, ...written.map(([, value]) => value), ...state.map(([, value]) => value)];
    const report = reportOf(served.executable);
    this.#send({ kind: "ran", id, outputs, written, state, report }, transferOf(sent));
  }
}

/** Returns what runs of a program write to. */
function writtenBy(program: ExportedProgram, operators: OperatorTable): Omit<Served, "executable"> {
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const mutated = mutatedPlaceholders(program.graph, operators);
  const targets = new Set(outputSpecs.flatMap(({ kind, target }) => (MUTATIONS.has(kind) ? [target] : [])));
  const state: string[] = [];
  const inputs: number[] = [];
  let next = 0;
  for (const { kind, arg, target } of inputSpecs) {
    const at = kind === "USER_INPUT" ? next++ : undefined;
    const isTensor = arg.kind === "tensor";
    if (at !== undefined && isTensor && (mutated.has(arg.name) || targets.has(arg.name))) inputs.push(at);
    if (at === undefined && target !== null && (mutated.has(arg.name) || targets.has(target)))
      state.push(target);
  }
  return { inputs, state };
}

const reportOf = (executable: Executable): ExecutableReport => ({
  profile: executable.profile?.(),
  placement: executable.placement?.(),
  memory: executable.memory?.(),
});

const errorOf = (error: unknown): SconceErrorJson =>
  (isSconceError(error) ? error : workerFailed(thrownText(error))).toJSON();
