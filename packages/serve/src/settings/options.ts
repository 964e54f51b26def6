/** @file How a server is started, and what it reports. */
import { checkOptions, type OptionNames, optionValue } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import type { Sconce } from "@sconce/session";

/** A program that a server offers. */
export interface ServedProgram {
  /** The name in addresses: letters, digits, dots, `-` and `_`. */
  readonly name: string;
  /**
   * The version in addresses. A request without a version gets the last one: numbers in versions
   * are compared by value. @defaultValue `"1"`
   */
  readonly version?: string;
  /** The program. It may have symbolic sizes; it must not write to its state. */
  readonly program: ExportedProgram;
}

/** What a server reports. */
export type ServeEvent =
  | {
      readonly kind: "model";
      readonly model: string;
      readonly version: string;
      /** The symbol of the rows; undefined where requests are not merged. */
      readonly rows: string | undefined;
      /** Why requests are not merged, where that was asked for. */
      readonly reason: string | undefined;
      /** Inputs that the program writes to; clients do not see what it writes. */
      readonly written: readonly string[];
    }
  | { readonly kind: "listening"; readonly address: string }
  | { readonly kind: "ready"; readonly workers: number; readonly milliseconds: number }
  | {
      readonly kind: "request";
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly milliseconds: number;
    }
  | { readonly kind: "failed"; readonly path: string; readonly error: unknown }
  | { readonly kind: "worker"; readonly reason: string }
  | { readonly kind: "stopping"; readonly waiting: number }
  | { readonly kind: "stopped" };

/** How a server is started. Times are in milliseconds, sizes in bytes. */
export interface ServeOptions {
  /** The address to listen on. @defaultValue `"127.0.0.1"`, for this machine alone */
  readonly host?: string;
  /** The port; 0 for a free one. @defaultValue 8080 */
  readonly port?: number;
  /** Names of the server that requests may use while it listens for this machine alone. */
  readonly allowHosts?: readonly string[];
  /** Worker threads; each has its own backend and its own copy of the weights. @defaultValue 1 */
  readonly workers?: number;
  /** The backend of each worker. @defaultValue `"auto"` */
  readonly backend?: string;
  /**
   * Threads of each backend that has some. @defaultValue the threads of the machine by the workers
   */
  readonly threads?: number;
  /**
   * Most rows of a run that serves several requests. Only programs whose rows are proved not to
   * depend on each other are run so. @defaultValue 1, which merges nothing
   */
  readonly maxBatch?: number;
  /** How long a request waits for others to merge with. @defaultValue 0 */
  readonly batchDelay?: number;
  /** Most requests that wait for a worker; others get 429. @defaultValue 256 */
  readonly queue?: number;
  /** Most bytes of a body; others get 413. @defaultValue 64 MiB */
  readonly maxBody?: number;
  /** Most bytes of all bodies that are read or waiting; others get 429. @defaultValue 256 MiB */
  readonly maxPending?: number;
  /** Most lists and objects in each other in a request. @defaultValue 64 */
  readonly maxDepth?: number;
  /** Time for a request to arrive; 408 after it. @defaultValue 30,000 */
  readonly requestTimeout?: number;
  /** Time from the request to its results; 504 after it. @defaultValue 30,000 */
  readonly timeout?: number;
  /**
   * Time to go on accepting connections after `close`, for load balancers; part of `stopTimeout`.
   * @defaultValue 0
   */
  readonly drain?: number;
  /** Time for `close` in all, with `drain`; connections are cut after it. @defaultValue 30,000 */
  readonly stopTimeout?: number;
  /** Most bytes that the values of a run may take. @defaultValue that of a session, 4 GiB */
  readonly maxBytes?: number;
  /** Addresses of modules with plugins for the workers; `#NAME` for an export of that name. */
  readonly plugins?: readonly string[];
  /** The session whose operators the programs call. @defaultValue `createSconce()` */
  readonly session?: Sconce;
  /** Whether each request is reported. @defaultValue false */
  readonly reportRequests?: boolean;
  /** Receives what the server reports. */
  readonly onEvent?: (event: ServeEvent) => void;
}

const OPTIONS: OptionNames<ServeOptions> = {
  host: true,
  port: true,
  allowHosts: true,
  workers: true,
  backend: true,
  threads: true,
  maxBatch: true,
  batchDelay: true,
  queue: true,
  maxBody: true,
  maxPending: true,
  maxDepth: true,
  requestTimeout: true,
  timeout: true,
  drain: true,
  stopTimeout: true,
  maxBytes: true,
  plugins: true,
  session: true,
  reportRequests: true,
  onEvent: true,
};

const MIB = 2 ** 20;
/** Node's timers end here. */
const LONGEST = 2 ** 31 - 1;

const DEFAULTS = {
  host: "127.0.0.1",
  port: 8080,
  allowHosts: [] as readonly string[],
  workers: 1,
  backend: "auto",
  maxBatch: 1,
  batchDelay: 0,
  queue: 256,
  maxBody: 64 * MIB,
  maxPending: 256 * MIB,
  maxDepth: 64,
  requestTimeout: 30_000,
  timeout: 30_000,
  drain: 0,
  stopTimeout: 30_000,
  plugins: [] as readonly string[],
  reportRequests: false,
  onEvent: (() => {}) as (event: ServeEvent) => void,
};

/** Whole numbers that options take, with both ends. */
const RANGES: Readonly<Record<string, readonly [low: number, high: number]>> = {
  port: [0, 65_535],
  workers: [1, 256],
  threads: [1, 64],
  maxBatch: [1, 2 ** 20],
  batchDelay: [0, LONGEST],
  queue: [1, 1_000_000],
  maxBody: [1, 2 ** 31],
  maxPending: [1, Number.MAX_SAFE_INTEGER],
  maxDepth: [4, 1000],
  requestTimeout: [1, LONGEST],
  timeout: [1, LONGEST],
  drain: [0, LONGEST],
  stopTimeout: [1, LONGEST],
  maxBytes: [1, Number.MAX_SAFE_INTEGER],
};

/** The options with their defaults. */
export type Settings = typeof DEFAULTS & Pick<ServeOptions, "threads" | "maxBytes" | "session">;

/** Returns the options with their defaults. @throws SconceError `UNKNOWN_OPTION`, `OPTION_VALUE` */
export function settingsOf(options: ServeOptions): Settings {
  checkOptions("serve", options, OPTIONS);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const settings: Settings = { ...DEFAULTS, ...given };
  for (const [name, [low, high]] of Object.entries(RANGES)) {
    const value = settings[name as keyof Settings];
    if (
      value === undefined ||
      (Number.isInteger(value) && (value as number) >= low && (value as number) <= high)
    )
      continue;
    throw optionValue("serve", name, value, `a whole number from ${low} to ${high}`);
  }
  return settings;
}
