/** @file Offers programs over HTTP until the process is asked to stop. */
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { countText, isSconceError, shellWord, thrownText } from "@sconce/errors";
import type { Plugin } from "@sconce/passes";
import {
  type ModelServer,
  type ServedProgram,
  type ServeEvent,
  type ServeOptions,
  serve,
} from "@sconce/serve";
import type { Sconce } from "@sconce/session";
import { usage } from "../errors.js";
import { fileStem } from "../file-stem.js";
import { jsonLine, type SafeIo } from "../io.js";
import { commandLimits, commandModel } from "../limits.js";
import { openProgram, openPrograms } from "../open.js";
import { pluginPath } from "../plugin-module.js";
import { openSessionWithLibraries } from "../session.js";
import { stopSignal } from "../stop-signal.js";

type Numbers =
  | "port"
  | "workers"
  | "threads"
  | "maxBatch"
  | "batchDelay"
  | "queue"
  | "timeout"
  | "requestTimeout"
  | "maxBody"
  | "maxPending"
  | "maxDepth"
  | "drain"
  | "stopTimeout";

export interface ServeCommandOptions extends Readonly<Partial<Record<Numbers, string>>> {
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly backend: string;
  readonly logRequests?: boolean;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

const NUMBERS: readonly Numbers[] = [
  ...([
    "port",
    "workers",
    "threads",
    "maxBatch",
    "batchDelay",
    "queue",
    "timeout",
    "requestTimeout",
  ] as const),
  ...(["maxBody", "maxPending", "maxDepth", "drain", "stopTimeout"] as const),
];

/** Serves until SIGTERM or SIGINT; requests that were sent are answered then. */
export async function serveFiles(
  texts: readonly string[],
  options: ServeCommandOptions,
  io: SafeIo,
): Promise<void> {
  let server: ModelServer | undefined;
  // Nothing is lost before the server is ready.
  const stop = stopSignal(() => server !== undefined);
  try {
    server = await startServer(texts, options, io);
    if (!stop.signal.aborted) await once(stop.signal, "abort");
    await server.close();
  } finally {
    stop.end();
  }
}

async function startServer(
  texts: readonly string[],
  options: ServeCommandOptions,
  io: SafeIo,
): Promise<ModelServer> {
  const { host, allowHost, backend, plugin = [], logRequests = false } = options;
  const given = texts.map(parseGiven);
  const files = given.map(({ file }) => file);
  const { session, libraries } = await openSessionWithLibraries(io, plugin, undefined, files);
  const programs: ServedProgram[] = [];
  for (const one of given) programs.push(...(await programsOf(one, session)));
  return serve(programs, {
    ...numbersOf(options),
    ...(host !== undefined && { host }),
    ...(allowHost !== undefined && { allowHosts: allowHost }),
    backend,
    ...commandLimitsOf(),
    session,
    plugins: pluginsFor(plugin, libraries),
    reportRequests: logRequests,
    onEvent: (event) => log(event, io),
  });
}

/** A program as it was named. */
interface Given {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly file: string;
}

/**
 * Parses NAME@VERSION=FILE, NAME=FILE or FILE. A path that begins with a folder may contain `=`.
 */
function parseGiven(text: string): Given {
  const end = /^\.{0,2}\//.test(text) ? -1 : text.indexOf("=");
  const file = text.slice(end + 1);
  if (end < 0) return { name: undefined, version: undefined, file };
  const [, name, , version] = /^([^@]+)(@(.+))?$/.exec(text.slice(0, end)) ?? [];
  if (name !== undefined && file !== "") return { name, version, file };
  throw usage(`${shellWord(text)} has no name or no file`, "write NAME@VERSION=FILE, NAME=FILE or FILE");
}

/** Returns the programs of a file by the name that is given, or by their own. */
async function programsOf({ name, version, file }: Given, session: Sconce): Promise<ServedProgram[]> {
  const named = version === undefined ? {} : { version };
  const model = commandModel();
  if (model !== undefined)
    return [{ name: name ?? model, ...named, program: await openProgram(file, session) }];
  const programs = await openPrograms(file, session);
  if (programs.size === 1) {
    const [[own, program]] = [...programs] as [[string, ServedProgram["program"]]];
    return [{ name: name ?? (own === "model" ? fileStem(file) : own), ...named, program }];
  }
  if (name !== undefined)
    throw usage(
      `${shellWord(file)} has ${programs.size} programs`,
      "choose one with --model NAME, or leave the name out",
    );
  return [...programs].map(([own, program]) => ({ name: own, program }));
}

/** @throws SconceError `USAGE` for what is not a whole number */
function numbersOf(options: ServeCommandOptions): ServeOptions {
  return Object.fromEntries(
    NUMBERS.flatMap((name) => {
      const text = options[name];
      if (text === undefined) return [];
      if (/^\d{1,15}$/.test(text)) return [[name, Number(text)]];
      const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      throw usage(
        `--${option}: ${JSON.stringify(text)} is not a whole number`,
        `give --${option} a number from 0 on`,
      );
    }),
  );
}

/** Returns the bound of `--limit memory`, for the runs of the workers. */
function commandLimitsOf(): Pick<ServeOptions, "maxBytes"> {
  const { maxBytes } = commandLimits();
  return maxBytes === undefined ? {} : { maxBytes };
}

/**
 * Returns the plugins that workers load: those of the user, and those of libraries that files call.
 */
function pluginsFor(modules: readonly string[], libraries: readonly Plugin[]): string[] {
  const own = modules.map((name) => pathToFileURL(pluginPath(name)).href);
  return libraries.length === 0
    ? own
    : [...own, `${import.meta.resolve("@sconce/torch-libraries")}#torchLibraries`];
}

function log(event: ServeEvent, io: SafeIo): void {
  if (io.settings.json) {
    const shown = event.kind === "failed" ? { ...event, error: errorText(event.error) } : event;
    io.out(jsonLine({ time: new Date().toISOString(), ...shown }));
    return;
  }
  if (event.kind === "model") logModel(event, io);
  else if (event.kind === "failed") io.warn(`${event.path}: ${errorText(event.error)}`);
  else if (event.kind === "worker") io.warn(`a worker ended and starts again: ${event.reason}`);
  else if (event.kind === "listening") io.out(`${event.address}\n`);
  else if (event.kind === "request")
    io.out(`${event.method} ${event.path} ${event.status} ${event.milliseconds.toFixed(1)} ms\n`);
  else if (event.kind === "ready")
    io.summary(`ready: ${countText(event.workers, "worker")}, after ${Math.round(event.milliseconds)} ms\n`);
  else if (event.kind === "stopping")
    io.summary(`stopping: ${countText(event.waiting, "request")} to answer\n`);
  else io.summary("stopped\n");
}

function logModel(event: Extract<ServeEvent, { readonly kind: "model" }>, io: SafeIo): void {
  const { model, version, rows, reason, written } = event;
  const name = `${model} version ${version}`;
  io.summary(`${name}${rows === undefined ? "" : `: requests run together along ${rows}`}\n`);
  if (reason !== undefined) io.warn(`requests to ${name} run one by one: ${reason}`);
  if (written.length > 0)
    io.warn(`${name} writes to its inputs ${written.join(", ")}: clients do not see what it writes`);
}

/** Returns an error with what was thrown first, which its message may not have. */
function errorText(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const own = isSconceError(error) ? `${error.code}: ${error.message}` : thrownText(error);
  if (cause === undefined) return own;
  return `${own} (${thrownText((cause as { readonly message?: unknown }).message ?? cause)})`;
}
