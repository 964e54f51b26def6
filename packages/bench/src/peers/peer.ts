/** @file The processes of the runtimes, and how they are asked. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** How a runtime is started. */
export interface PeerKind {
  readonly script: string;
  readonly arguments: (threads: number) => readonly string[];
  /** What the runtime is made of: ratios are taken to the best of `wasm`. */
  readonly group: "sconce" | "wasm" | "native";
  /** Whether it runs only when it is named. */
  readonly named?: boolean;
  /** Whether Python runs the script, in place of Node. */
  readonly python?: boolean;
  /** Whether it takes a number of threads. */
  readonly threads: boolean;
}

const sconce = (backend: string, threads = false, ...further: readonly string[]): PeerKind => ({
  script: "sconce.mjs",
  arguments: (count) => [backend, String(count), ...further],
  group: "sconce",
  threads,
});
const onnxRuntime = (kind: "node" | "web"): PeerKind => ({
  script: "ort.mjs",
  arguments: (count) => [kind, String(count)],
  group: kind === "node" ? "native" : "wasm",
  threads: true,
});
const other = (script: string, threads: boolean): PeerKind => ({
  script,
  arguments: (count) => [String(count)],
  group: "wasm",
  threads,
});

/**
 * The runtimes by name, those of Sconce first. `wasm-host` copies inputs and results in each run,
 * as `ort-web` does; the other runtimes in WebAssembly keep both in their memory. `wasm-4x4` uses
 * larger tiles for 3x3 convolutions, which are less exact.
 */
export const PEERS: Readonly<Record<string, PeerKind>> = {
  cpu: sconce("cpu"),
  wasm: sconce("wasm", true),
  "wasm-host": sconce("wasm", true, "host"),
  "wasm-4x4": { ...sconce("wasm", true, "device", "4"), named: true },
  gpujs: sconce("gpujs"),
  "ort-web": onnxRuntime("web"),
  litert: other("litert.mjs", true),
  tfjs: other("tfjs.mjs", false),
  "jax-js": other("jax.mjs", false),
  "ort-node": onnxRuntime("node"),
  torch: {
    script: "torch_eager.py",
    arguments: (count) => [String(count)],
    group: "native",
    threads: true,
    python: true,
  },
};

/** An answer without a result says why. */
export type Answer<T> = T | { readonly skip: string };
/** The times of a burst of runs, and the mean CPU time of one, in milliseconds. */
export interface Burst {
  readonly times: readonly number[];
  readonly cpu: number;
}

/** Where processes run, and with what. */
export interface PeerOptions {
  readonly node: string;
  /** A Python with PyTorch and torchvision. */
  readonly python: string;
  /** The folder of the scripts. */
  readonly folder: string;
  readonly models: string;
  readonly threads: number;
}

/** The prefix of answers: libraries print other lines. */
const ANSWER = "@";

/** One runtime in a separate process. */
export class Peer {
  readonly name: string;
  readonly #process: ChildProcess;
  readonly #waiting: ((answer: Answer<object>) => void)[] = [];
  #errors = "";
  #ended: string | undefined;

  constructor(name: string, options: PeerOptions) {
    const { folder, models, threads } = options;
    const kind = PEERS[name]!;
    this.name = name;
    const command = kind.python === true ? options.python : options.node;
    const given = [`${folder}/${kind.script}`, ...kind.arguments(kind.threads ? threads : 1)];
    this.#process = spawn(command, given, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, BENCH_MODELS: models },
    });
    this.#process.stderr!.on("data", (text: Buffer) => {
      this.#errors = (this.#errors + text.toString()).slice(-10_000);
    });
    createInterface({ input: this.#process.stdout! }).on("line", (line) => {
      if (line.startsWith(ANSWER)) this.#waiting.shift()?.(JSON.parse(line.slice(1)) as Answer<object>);
    });
    this.#process.stdin!.on("error", () => undefined);
    this.#process.on("error", (error) => this.#end(error.message));
    this.#process.on("close", () => this.#end(endReason(this.#errors)));
  }

  load = (model: string): Promise<Answer<object>> => this.#ask({ command: "load", model });
  bench = (milliseconds: number): Promise<Answer<Burst>> =>
    this.#ask({ command: "bench", milliseconds }) as Promise<Answer<Burst>>;
  output = (file: string): Promise<Answer<object>> => this.#ask({ command: "output", file });

  /** Lets the process end. */
  close(): void {
    this.#process.stdin!.end();
  }

  #ask(request: object): Promise<Answer<object>> {
    if (this.#ended !== undefined) return Promise.resolve({ skip: this.#ended });
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#process.stdin!.write(`${JSON.stringify(request)}\n`);
    });
  }

  #end(reason: string): void {
    this.#ended ??= reason;
    for (const resolve of this.#waiting.splice(0)) resolve({ skip: this.#ended });
  }
}

/** Says why a process ended, from what it wrote to standard error. */
export function endReason(errors: string): string {
  const missing = /Cannot find (?:package|module) '([^']+)'/.exec(errors)?.[1];
  if (missing !== undefined)
    return `${missing} is not installed: run npm ci --ignore-scripts --prefix packages/bench/peers`;
  const line =
    errors.split("\n").find((one) => /^(Uncaught )?\w*Error\b/.test(one)) ?? errors.trim().split("\n").at(-1);
  return `the process ended: ${line === undefined || line === "" ? "no message" : line.trim()}`;
}
