import { isSconceError, type LongWorkOptions, thrownText } from "@sconce/errors";
import { Engine } from "./engine.js";
import type { Failure, FromEngine, ToEngine } from "./messages.js";
import type { RequestName } from "./protocol.js";

/** The requests that take long, and so take a signal and report progress. */
const LONG: ReadonlySet<RequestName> = new Set([
  "open",
  "openAddress",
  "openPair",
  "save",
  "runPasses",
  "pack",
  "placement",
  "compare",
  "difference",
  "profile",
  "cost",
  "values",
  "slice",
]);

/** Answers the messages of a page. */
export function serveEngine(send: (message: FromEngine) => void): (message: ToEngine) => void {
  const engine = new Engine();
  const running = new Map<number, AbortController>();
  const answer = async (id: number, name: RequestName, args: readonly unknown[]): Promise<void> => {
    const controller = new AbortController();
    running.set(id, controller);
    const work: LongWorkOptions = {
      signal: controller.signal,
      onProgress: (progress) => send({ id, progress }),
    };
    try {
      const method = engine[name] as (...args: unknown[]) => unknown;
      const result = await method.apply(engine, LONG.has(name) ? [...args, work] : [...args]);
      send({ id, result });
    } catch (error) {
      send({ id, error: failureOf(error) });
    } finally {
      running.delete(id);
    }
  };
  return (message) => {
    if ("cancel" in message) running.get(message.id)?.abort();
    else void answer(message.id, message.name, message.args);
  };
}

const failureOf = (error: unknown): Failure =>
  isSconceError(error) ? error.toJSON() : { message: thrownText(error) };
