/**
 * @file Commands with limits on passes: the command runs in a worker, which is ended when it takes
 * too long or too much memory.
 */
import type { SconceError } from "@sconce/errors";
import { limitedWorker, passTimeout, passWorkerEnded, passWorkerFailed } from "@sconce/session/worker-node";
import type { Io } from "./io.js";
import type { PassLimits } from "./pass-limits.js";
import { codeOf } from "./plugin-failure.js";

/** What the worker sends. */
export type FromCommand =
  | { readonly kind: "ready" }
  | { readonly kind: "out" | "err"; readonly text: string }
  | { readonly kind: "input" }
  | { readonly kind: "pass"; readonly place: string }
  | { readonly kind: "done"; readonly code: number };

/** What the worker is given. */
export interface CommandData extends Pick<Io, "terminal" | "errorTerminal" | "env"> {
  readonly args: readonly string[];
}

/** What the worker gets after it asked for standard input: its bytes, or why there are none. */
export type CommandInput = { readonly bytes: Uint8Array } | { readonly error: unknown };

/**
 * Runs a command in a worker, and returns its exit code.
 * @throws SconceError `PASS_TIMEOUT`, `PASS_MEMORY`, `PASS_WORKER`
 */
export function runInWorker(args: readonly string[], io: Io, limits: PassLimits): Promise<number> {
  const { terminal, interactive, errorTerminal = interactive, env } = io;
  const data: CommandData = { args, terminal, errorTerminal, ...(env && { env: { ...env } }) };
  const script = new URL("./limited-run-entry.js", import.meta.url);
  const worker = limitedWorker(script, { name: "sconce command", workerData: data }, limits.maxBytes);
  let place: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ended = (option: string): Parameters<typeof passTimeout>[1] => ({
    place,
    before: "the load of the plugins or of the program",
    fix: `correct the pass, leave it out, or raise ${option}`,
  });
  const failure = (error: unknown): SconceError => {
    const reason = error instanceof Error ? error.message : String(error);
    return passWorkerFailed(reason, codeOf(error), ended("--pass-memory"));
  };
  const done = new Promise<number>((resolve, reject) => {
    const take = (message: FromCommand): void => {
      if (message.kind === "done") resolve(message.code);
      else if (message.kind === "pass") place = message.place;
      else if (message.kind === "input") void sendInput(io).then((input) => worker.postMessage(input));
      else if (message.kind !== "ready") io[message.kind](message.text);
      else if (limits.milliseconds !== undefined) timer ??= setTimeout(late, limits.milliseconds);
    };
    const late = (): void => reject(passTimeout(limits.milliseconds!, ended("--pass-timeout")));
    worker.on("message", take);
    worker.on("error", (error) => reject(failure(error)));
    worker.on("exit", (code) => reject(passWorkerEnded(`it ended with code ${code}`, place)));
  });
  return done.finally(() => {
    clearTimeout(timer);
    void worker.terminate();
  });
}

async function sendInput(io: Io): Promise<CommandInput> {
  try {
    return { bytes: (await io.input?.()) ?? new Uint8Array() };
  } catch (error) {
    return { error };
  }
}
