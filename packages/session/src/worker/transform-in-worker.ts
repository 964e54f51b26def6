/** @file Passes in a worker that is ended when they take too long. */
import {
  checkOptions,
  isSconceError,
  LONG_WORK,
  type LongWorkOptions,
  type OptionNames,
  optionValue,
  type Progress,
  throwIfAborted,
  thrownText,
  userCallback,
} from "@sconce/errors";
import type { ExportedProgram, Problem } from "@sconce/ir";
import { historyFromJson, replay } from "@sconce/ir/history";
import { printIr, tensorsOf } from "@sconce/ir/text";
import { MANAGER_OPTIONS, type Pass, type PassEvent, type PassManagerOptions } from "@sconce/passes";
import { Storage } from "@sconce/tensor";
import {
  invalidResult,
  observerFailed,
  passTimeout,
  passWorkerEnded,
  passWorkerFailed,
  receivedError,
} from "./errors.js";
import type { WorkerRequest } from "./messages.js";
import { copiedBytes, KnownTensors, type PassReply, type SentStep } from "./pass-messages.js";
import { listen, type WorkerLike } from "./port.js";

/** Options of `transformInWorker`. */
export interface TransformInWorkerOptions extends Omit<PassManagerOptions, "check">, LongWorkOptions {
  /**
   * Starts the worker, whose script calls `serveSession` with a session that has the plugins. The
   * call ends the worker. `passWorker` of `sconce/node` starts one in Node.
   */
  readonly worker: () => WorkerLike;
  /**
   * Most milliseconds from the load of the plugins to the end of the last pass. The worker is ended
   * then (`PASS_TIMEOUT`). @defaultValue no limit
   */
  readonly milliseconds?: number | undefined;
  /** Runs the programs before and after each pass on the same inputs, in the worker. */
  readonly check?: boolean;
}

const OPTIONS: OptionNames<TransformInWorkerOptions> = {
  ...MANAGER_OPTIONS,
  ...LONG_WORK,
  worker: true,
  milliseconds: true,
};

/** The longest time that timers take. */
const MOST_MILLISECONDS = 2 ** 31 - 1;

/** Sconce itself loads in less time, also on a machine with other work. */
const START_MILLISECONDS = 60_000;

/** What the session gives. */
export interface WorkerPassesParts {
  readonly passes: ReadonlyMap<string, Pass>;
  readonly verify: (program: ExportedProgram) => readonly Problem[];
  readonly warn: (message: string) => void;
  /** Refuses other values than workers. */
  readonly requireWorker: (worker: unknown) => void;
}

const CALL = "transformInWorker";

/** @throws SconceError `OPTION_VALUE`, `UNKNOWN_OPTION`, `INVALID_ARGUMENT` */
export function checkWorkerOptions(options: TransformInWorkerOptions): void {
  checkOptions(CALL, options, OPTIONS);
  const { worker, milliseconds, check = false } = options;
  if (typeof worker !== "function")
    throw optionValue(CALL, "worker", worker, "a function that starts a worker");
  if (typeof check !== "boolean") throw optionValue(CALL, "check", check, "true or false");
  const isLimit = milliseconds === undefined || (milliseconds > 0 && milliseconds <= MOST_MILLISECONDS);
  if (!isLimit)
    throw optionValue(CALL, "milliseconds", milliseconds, `a number from 1 to ${MOST_MILLISECONDS}`);
}

/** Runs a pipeline in a worker, and applies what it changes to the program. */
export async function transformInWorker(
  program: ExportedProgram,
  passes: string,
  options: TransformInWorkerOptions,
  parts: WorkerPassesParts,
): Promise<ExportedProgram> {
  throwIfAborted(options.signal, "transformation");
  const worker = options.worker();
  parts.requireWorker(worker);
  try {
    const run = new WorkerRun(worker, program, options, parts);
    const result = await run.result(passes);
    const { verify } = options;
    const problems = result === program || verify === false ? [] : parts.verify(result);
    if (problems.length > 0) throw invalidResult(problems);
    return result;
  } finally {
    worker.terminate();
  }
}

class WorkerRun {
  readonly #worker: WorkerLike;
  readonly #options: TransformInWorkerOptions;
  readonly #parts: WorkerPassesParts;
  readonly #known = new KnownTensors();
  readonly #onStart: ((place: string) => void) | undefined;
  readonly #onProgress: ((progress: Progress) => void) | undefined;
  #program: ExportedProgram;
  /** The pass that runs. */
  #place: string | undefined;
  #isReady = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #resolve!: (program: ExportedProgram) => void;
  #reject!: (error: unknown) => void;

  constructor(
    worker: WorkerLike,
    program: ExportedProgram,
    options: TransformInWorkerOptions,
    parts: WorkerPassesParts,
  ) {
    this.#worker = worker;
    this.#program = program;
    this.#options = options;
    this.#parts = parts;
    this.#onStart = userCallback(CALL, options.onStart, "onStart");
    this.#onProgress = userCallback(CALL, options.onProgress);
  }

  async result(passes: string): Promise<ExportedProgram> {
    const { signal } = this.#options;
    const done = new Promise<ExportedProgram>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const stop = (): void => {
      try {
        throwIfAborted(signal, "transformation");
      } catch (error) {
        this.#reject(error);
      }
    };
    listen(this.#worker, "message", (reply) => this.#take(reply as PassReply));
    listen(this.#worker, "error", (reason, code) => this.#failed(String(reason), code));
    listen(this.#worker, "exit", (code) => this.#failed(`it ended with code ${String(code)}`));
    signal?.addEventListener("abort", stop);
    try {
      this.#limit(START_MILLISECONDS);
      this.#start(passes);
      return await done;
    } finally {
      clearTimeout(this.#timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  #limit(milliseconds: number | undefined): void {
    clearTimeout(this.#timer);
    if (milliseconds === undefined) return;
    this.#timer = setTimeout(() => {
      const ended = this.#isReady
        ? this.#endedFor("time")
        : {
            place: undefined,
            before: "the start of the worker",
            fix: "the script of the worker has to call serveSession(...), and to load modules that end",
          };
      this.#reject(passTimeout(milliseconds, ended));
    }, milliseconds);
  }

  #start(passes: string): void {
    const { verify, record, timeRules, check } = this.#options;
    const own = [...tensorsOf(this.#program)].filter(([, tensor]) => tensor.hasValues);
    const names = own.map(([name, tensor]) => [name, this.#known.numberOf(tensor)] as const);
    const request: WorkerRequest = {
      kind: "transform",
      id: 0,
      text: printIr(this.#program),
      tensors: this.#known.views(),
      names,
      storages: this.#known.storages.map(({ byteLength }) => byteLength),
      passes,
      options: {
        ...(verify !== undefined && { verify }),
        ...(record !== undefined && { record }),
        ...(timeRules !== undefined && { timeRules }),
        ...(check !== undefined && { check }),
      },
    };
    this.#worker.postMessage(request, []);
  }

  /** Whatever a worker sends, only the promise of the call fails. */
  #take(reply: PassReply): void {
    try {
      this.#answer(reply);
    } catch (error) {
      this.#reject(
        isSconceError(error) ? error : this.#ended(`its message cannot be read: ${thrownText(error)}`),
      );
    }
  }

  #answer(reply: PassReply): void {
    switch (reply.kind) {
      case "ready":
        if (!this.#isReady) this.#limit(this.#options.milliseconds);
        this.#isReady = true;
        break;
      case "warning":
        this.#parts.warn(String(reply.message));
        break;
      case "wanted":
        void this.#values().catch((error: unknown) => this.#reject(error));
        break;
      case "started":
        this.#place = String(reply.place);
        this.#onStart?.(this.#place);
        break;
      case "passed":
        this.#onProgress?.(reply.progress);
        break;
      case "step":
        this.#step(reply.step);
        break;
      case "transformed":
        this.#resolve(this.#program);
        break;
      default:
        this.#reject(receivedError(reply.error));
    }
  }

  async #values(): Promise<void> {
    const { storages } = this.#known;
    for (const storage of storages) await storage.load(this.#options.signal);
    const copies = storages.map(copiedBytes);
    const answer: WorkerRequest = { kind: "values", id: 1, of: 0, storages: copies };
    this.#worker.postMessage(
      answer,
      copies.map(({ buffer }) => buffer),
    );
  }

  #step({ pass: sent, change, ...facts }: SentStep): void {
    const before = this.#program;
    const pass = this.#parts.passes.get(sent.name) ?? namedOnly(sent);
    if (change !== undefined) {
      this.#known.take(
        change.storages.map((bytes) => new Storage(bytes)),
        change.tensors,
      );
      const history = historyFromJson(change.history, this.#known.named(change.names));
      const after = replay(history, before, { sameWeights: true });
      const isRecorded = this.#options.record !== false && sent.drops === undefined;
      this.#program = isRecorded || after === before ? after : after.with({ history: [], undone: [] });
    }
    const event: PassEvent = { ...facts, pass, before, after: this.#program };
    for (const [i, observe] of (this.#options.observers ?? []).entries()) {
      try {
        observe(event);
      } catch (error) {
        throw observerFailed(i, this.#place, error);
      }
    }
  }

  #ended(reason: string): Error {
    return passWorkerEnded(reason, this.#place);
  }

  #endedFor(what: string): Parameters<typeof passTimeout>[1] {
    const fix = `correct the pass, leave it out, or allow more ${what}`;
    return { place: this.#place, before: "the load of the plugins", fix };
  }

  #failed(reason: string, code?: unknown): void {
    this.#reject(passWorkerFailed(reason, code, this.#endedFor("memory")));
  }
}

/** Returns a pass that only the session of the worker has. */
const namedOnly = ({ name, doc, drops }: SentStep["pass"]): Pass =>
  Object.freeze({
    name: String(name),
    doc: String(doc),
    options: {},
    drops,
    run: () => {
      throw passWorkerEnded("the pass is not in this session", `pass "${name}"`);
    },
  });
