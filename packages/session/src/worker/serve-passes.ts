/** @file The worker's side of passes in a worker. */
import type { LongWorkOptions } from "@sconce/errors";
import { LazyStorage } from "@sconce/formats";
import { type ExportedProgram, recordPass } from "@sconce/ir";
import { historyTensors, historyToJson } from "@sconce/ir/history";
import { tensorsOf } from "@sconce/ir/text";
import {
  builtinPasses,
  type PassEvent,
  type PassManagerOptions,
  type PipelineItem,
  parsePipeline,
} from "@sconce/passes";
import type { Storage } from "@sconce/tensor";
import {
  copiedBytes,
  KnownTensors,
  type PassReply,
  type PassRequest,
  type SentBytes,
  type SentChange,
  type SentStep,
} from "./pass-messages.js";
import { sentError } from "./sent-error.js";
import type { ServedSession } from "./served-session.js";

/** What a worker uses of a session to run passes. */
type PassSession = Required<Omit<ServedSession, "load" | "compile">>;

type TransformRequest = Extract<PassRequest, { readonly kind: "transform" }>;
type SendReply = (reply: PassReply, transfer?: readonly ArrayBuffer[]) => void;

/** Runs a pipeline, and sends each step as it ends. */
export class ServedPasses {
  readonly #known = new KnownTensors();
  readonly #send: SendReply;
  /** Resolves with the bytes of all storages. */
  #values: Promise<readonly SentBytes[]> | undefined;
  #take: (storages: readonly SentBytes[]) => void = () => {};

  constructor(send: SendReply) {
    this.#send = send;
  }

  /** Takes the values that were asked for. */
  take(storages: readonly SentBytes[]): void {
    this.#take(storages);
  }

  async run(request: TransformRequest, session: Partial<PassSession>): Promise<void> {
    try {
      await this.#run(request, session as PassSession);
      this.#send({ kind: "transformed" });
    } catch (error) {
      this.#send({ kind: "refused", error: sentError(error) });
    }
  }

  async #run({ text, passes, options, ...sent }: TransformRequest, session: PassSession): Promise<void> {
    const items = parsePipeline(passes, session.passes, session);
    const storages = sent.storages.map((byteLength, i) => this.#storage(byteLength, i));
    this.#known.take(storages, sent.tensors);
    const tensors = this.#known.named(sent.names);
    // What the host opened may call operators that no session knows.
    const program = session.parseIr(text, { tensors, unknownTargets: "allow" });
    if (options.check === true || items.some(mayReadValues))
      for (const storage of storages) await storage.load();
    const watched: PassManagerOptions & LongWorkOptions = {
      ...options,
      onStart: (place) => this.#send({ kind: "started", place }),
      onProgress: (progress) => this.#send({ kind: "passed", progress }),
      observers: [(event) => this.#step(event, options)],
    };
    await session.transformAsync(program, items, watched);
  }

  #storage(byteLength: number, number: number): Storage {
    const read = async (): Promise<Uint8Array> => (await this.#wanted())[number]!;
    return new LazyStorage({
      name: "the program outside of the worker, for a pass that declares `readsValues: false`",
      byteLength,
      read,
      async *pieces() {
        yield await read();
      },
      range: async (offset, length) => (await read()).slice(offset, offset + length),
    });
  }

  #wanted(): Promise<readonly SentBytes[]> {
    this.#values ??= new Promise((resolve) => {
      this.#take = resolve;
      this.#send({ kind: "wanted" });
    });
    return this.#values;
  }

  #step(event: PassEvent, { record }: Pick<PassManagerOptions, "record">): void {
    const { pass, step, before, after, milliseconds, fired, ruleMilliseconds, refused, notes, check } = event;
    const { name, doc, drops } = pass;
    const change = before === after ? undefined : this.#change(event, record);
    const sent: SentStep = {
      pass: { name, doc, drops },
      step,
      milliseconds,
      fired,
      ruleMilliseconds,
      refused,
      notes,
      check,
      change,
    };
    this.#send({ kind: "step", step: sent }, change?.storages.map(({ buffer }) => buffer) ?? []);
  }

  #change({ pass, before, after }: PassEvent, record: boolean | undefined): SentChange {
    const call = record === false ? undefined : after.history.at(-1)?.call;
    const one = recordPass(pass.name, alone(before), alone(after), call);
    const [storageCount, tensorCount] = [this.#known.storages.length, this.#known.tensors.length];
    const names = [...tensorsOf(one), ...historyTensors(one)]
      .filter(([, tensor]) => tensor.hasValues)
      .map(([name, tensor]) => [name, this.#known.numberOf(tensor)] as const);
    return {
      history: historyToJson(one),
      storages: this.#known.storages.slice(storageCount).map(copiedBytes),
      tensors: this.#known.views(tensorCount),
      names,
    };
  }
}

/** Returns the program without its history. */
const alone = (program: ExportedProgram): ExportedProgram =>
  program.history.length === 0 ? program : program.with({ history: [], undone: [] });

/** Passes of plugins may read values unless they declare that they do not. */
const mayReadValues = (item: PipelineItem): boolean =>
  "repeat" in item
    ? item.repeat.some(mayReadValues)
    : (item.pass.readsValues ?? !builtinPasses.includes(item.pass));
