/** @file Functions and objects around the program: what strict mode makes of using them. */
import type { StrictConstruct } from "./strict-constructs.js";

/** Objects and functions of hosts by the names under which code finds them. */
const HOST_NAMES: ReadonlyMap<string, StrictConstruct> = new Map([
  ..."process document window self navigator location history localStorage sessionStorage indexedDB fetch XMLHttpRequest WebSocket EventSource Worker BroadcastChannel setTimeout setInterval setImmediate clearTimeout clearInterval queueMicrotask requestAnimationFrame alert confirm prompt require global Deno Bun"
    .split(" ")
    .map((name) => [name, "host"] as const),
  ["crypto", "random"],
  ["eval", "eval"],
  ["Function", "eval"],
]);

/** What using a name of the host is; undefined for other names. */
export const hostName = (name: string): StrictConstruct | undefined => HOST_NAMES.get(name);

/** Modules of Node whose functions act on the host. */
const HOST_MODULES: Readonly<Record<string, StrictConstruct>> = {
  "node:fs": "host",
  "node:fs/promises": "host",
  "node:child_process": "host",
  "node:http": "host",
  "node:https": "host",
  "node:net": "host",
  "node:os": "host",
  "node:timers": "host",
  "node:worker_threads": "host",
  "node:crypto": "host",
};
/** Functions that draw numbers, among those of `node:crypto`. */
const DRAWS = /^(?:random|generate|prng|pseudoRandom)/;

interface NodeProcess {
  getBuiltinModule?(name: string): Readonly<Record<string, unknown>> | undefined;
}

let functions: Map<unknown, StrictConstruct> | undefined;

/** What a call of a function of the host or the language is; undefined for other functions. */
export function hostFunction(fn: unknown): StrictConstruct | undefined {
  functions ??= index();
  return functions.get(fn) ?? (isConsoleFunction(fn) ? "host" : undefined);
}

/**
 * Whether a function belongs to the console of now: loggers and test runners replace its functions
 * while a program runs.
 */
export const isConsoleFunction = (fn: unknown): boolean =>
  typeof console === "object" && Object.values(console).includes(fn as never);

function index(): Map<unknown, StrictConstruct> {
  const found = new Map<unknown, StrictConstruct>();
  const host = globalThis as unknown as Readonly<Record<string, object | undefined>>;
  const { process } = globalThis as { process?: NodeProcess };
  const add = (owner: object | null | undefined, id: StrictConstruct): void => {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner ?? {})))
      if (typeof value === "function" && !found.has(value))
        found.set(value, id === "host" && DRAWS.test(name) ? "random" : id);
  };
  found.set(Math.random, "random").set(Date.now, "clock").set(Promise, "async");
  add(Promise, "async");
  add(Promise.prototype, "async");
  add(host["performance"] && (Object.getPrototypeOf(host["performance"]) as object), "clock");
  const cryptography = host["crypto"];
  add(cryptography && (Object.getPrototypeOf(cryptography) as object), "random");
  for (const [name, id] of Object.entries(HOST_MODULES)) add(process?.getBuiltinModule?.(name), id);
  for (const [name, id] of HOST_NAMES)
    if (typeof host[name] === "function") found.set(host[name] as unknown, id);
  return found;
}

const INTRINSICS =
  "Math JSON Object Function Number String Boolean BigInt Symbol Array Map Set WeakMap WeakSet Reflect RegExp Date Error TypeError RangeError Float32Array Float64Array Int8Array Int16Array Int32Array Uint8Array Uint16Array Uint32Array BigInt64Array BigUint64Array ArrayBuffer".split(
    " ",
  );

let intrinsics: Set<unknown> | undefined;

/** Whether a function belongs to the language: what it does is known. */
export function isIntrinsic(fn: unknown): boolean {
  if (intrinsics === undefined) {
    const found = new Set<unknown>();
    const add = (owner: object | null): void => {
      if (owner === null) return;
      for (const { value, get } of Object.values(Object.getOwnPropertyDescriptors(owner)))
        for (const one of [value as unknown, get]) if (typeof one === "function") found.add(one);
    };
    for (const name of INTRINSICS) {
      const owner = (globalThis as unknown as Readonly<Record<string, object>>)[name]!;
      found.add(owner);
      add(owner);
      if (typeof owner === "function") {
        add((owner as { readonly prototype?: object }).prototype ?? null);
        add(
          Object.getPrototypeOf((owner as { readonly prototype?: object }).prototype ?? {}) as object | null,
        );
        add(Object.getPrototypeOf(owner) as object | null);
      }
    }
    for (const name of ["parseInt", "parseFloat", "isNaN", "isFinite", "structuredClone"])
      found.add((globalThis as unknown as Readonly<Record<string, unknown>>)[name]);
    intrinsics = found;
  }
  return intrinsics.has(fn);
}

/** Methods and properties of tensors that give values to the host. */
export const HOST_READS: ReadonlySet<string> = new Set([
  "toArray",
  "toFloat64Array",
  "toJSON",
  "data",
  "storage",
  "dataPtr",
]);
