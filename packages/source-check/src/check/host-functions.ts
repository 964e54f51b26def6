/** @file Functions and objects around the program: what strict mode makes of using them. */

import { fieldsOf } from "../fields.js";
import { nodeModule } from "../source/node-module.js";
import { ownValues } from "./own-values.js";
import type { StrictConstruct } from "./strict-constructs.js";

/** Objects and functions of hosts by the names under which code finds them. */
const HOST_NAMES: ReadonlyMap<string, StrictConstruct> = new Map([
  ..."process document window self navigator location history localStorage sessionStorage indexedDB fetch XMLHttpRequest WebSocket EventSource Worker BroadcastChannel setTimeout setInterval setImmediate clearTimeout clearInterval queueMicrotask requestAnimationFrame alert confirm prompt require global Deno Bun"
    .split(" ")
    .map((name) => [name, "host"] as const),
  ["crypto", "random"],
  ["eval", "eval"],
]);

/** Returns what using a name of the host is; undefined for other names. */
export const hostName = (name: string): StrictConstruct | undefined => HOST_NAMES.get(name);

/** Modules of Node whose functions act on the host. */
const HOST_MODULES: Readonly<Record<string, StrictConstruct>> = {
  "node:vm": "eval",
  "node:fs": "host",
  "node:fs/promises": "host",
  "node:child_process": "host",
  "node:http": "host",
  "node:https": "host",
  "node:net": "host",
  "node:os": "host",
  "node:dns": "host",
  "node:perf_hooks": "host",
  "node:readline": "host",
  "node:timers": "host",
  "node:timers/promises": "host",
  "node:worker_threads": "host",
  "node:crypto": "host",
};
/** Functions that draw numbers, among those of `node:crypto`. */
const DRAWS = /^(?:random|generate|prng|pseudoRandom)/;

/** Classes of functions: they make one of a text. */
const FUNCTION_CLASSES: readonly unknown[] = [
  () => undefined,
  async () => undefined,
  function* () {},
  async function* () {},
].map((fn) => fn.constructor as unknown);

/** Names of methods that use the language of the host. */
export const LOCALIZED = /^toLocale|^localeCompare$/;
/** Methods of dates that use the time zone of the host. */
const LOCAL_TIME =
  /^(?:get(?:Date|Day|FullYear|Hours|Milliseconds|Minutes|Month|Seconds|TimezoneOffset|Year)|to(?:Date|Time)?String)$/;

interface NodeProcess extends Readonly<Record<string, unknown>> {
  readonly hrtime?: { readonly bigint?: unknown };
}

let functions: Map<unknown, StrictConstruct> | undefined;

/**
 * Returns what a call of a function of the host or the language is; undefined for other functions.
 */
export function hostFunction(fn: unknown): StrictConstruct | undefined {
  functions ??= index();
  return functions.get(fn) ?? (isConsoleFunction(fn) ? "host" : undefined);
}

/**
 * Returns whether a function belongs to the console of now: loggers and test runners replace its
 * functions while a program runs.
 */
export const isConsoleFunction = (fn: unknown): boolean =>
  typeof console === "object" && Object.values(console).includes(fn);

function index(): Map<unknown, StrictConstruct> {
  const found = new Map<unknown, StrictConstruct>();
  const host = fieldsOf<object | undefined>(globalThis);
  const { process } = globalThis as { process?: NodeProcess };
  const add = (owner: object | null | undefined, id: StrictConstruct): void => {
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(owner ?? {})))
      for (const fn of [value as unknown, get])
        if (typeof fn === "function" && name !== "constructor" && !found.has(fn) && fn !== Function)
          found.set(fn, id === "host" && DRAWS.test(name) ? "random" : id);
  };
  // Seeds the numbers of this process, not those of the program.
  found.set(ownValues().manualSeed, "host");
  found.set(Math.random, "random").set(Date.now, "clock").set(Promise, "async");
  const { fromAsync } = Array as { readonly fromAsync?: unknown };
  if (fromAsync !== undefined) found.set(fromAsync, "async");
  for (const maker of FUNCTION_CLASSES) found.set(maker, "eval");
  for (const owner of [Date, Number, String, Array, BigInt].map(({ prototype }) => prototype as object))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner)))
      if (LOCALIZED.test(name) || (owner === Date.prototype && LOCAL_TIME.test(name)))
        found.set(value, "host");
  const { hrtime } = process ?? {};
  found.set(hrtime, "clock").set(hrtime?.bigint, "clock").delete(undefined);
  add(process, "host");
  add(Promise, "async");
  add(Promise.prototype, "async");
  add(host["performance"] && (Object.getPrototypeOf(host["performance"]) as object), "clock");
  const cryptography = host["crypto"];
  add(cryptography && (Object.getPrototypeOf(cryptography) as object), "random");
  for (const [name, id] of Object.entries(HOST_MODULES)) add(nodeModule(name), id);
  for (const [name, id] of HOST_NAMES)
    if (typeof host[name] === "function") found.set(host[name] as unknown, id);
  return found;
}

let objects: Set<unknown> | undefined;

/** Names of objects of hosts; `process` has the environment and the arguments, too. */
const HOST_OBJECTS = "document window navigator location history localStorage sessionStorage Deno Bun";

/** Returns whether a value is an object of the host, whatever name it has in the code. */
export function isHostObject(value: unknown): boolean {
  if (objects === undefined) {
    const host = fieldsOf(globalThis);
    const { process } = globalThis as { process?: NodeProcess };
    const parts = ["env", "argv", "execArgv", "versions", "release", "config", "features", "report"];
    const own = parts.map((name) => process?.[name]);
    objects = new Set([process, ...own, ...HOST_OBJECTS.split(" ").map((name) => readable(host, name))]);
    for (const none of [undefined, null, globalThis]) objects.delete(none);
  }
  return objects.has(value);
}

/** Browsers may forbid reading `localStorage`. */
function readable(host: Readonly<Record<string, unknown>>, name: string): unknown {
  try {
    return host[name];
  } catch {
    return undefined;
  }
}

const INTRINSICS =
  "Math JSON Object Function Number String Boolean BigInt Symbol Array Map Set WeakMap WeakSet Reflect RegExp Date Error TypeError RangeError Float32Array Float64Array Int8Array Int16Array Int32Array Uint8Array Uint16Array Uint32Array BigInt64Array BigUint64Array ArrayBuffer DataView EvalError URIError SyntaxError ReferenceError".split(
    " ",
  );

let intrinsics: Set<unknown> | undefined;

/** Returns whether a function belongs to the language: what it does is known. */
export function isIntrinsic(fn: unknown): boolean {
  if (intrinsics === undefined) {
    const found = new Set<unknown>();
    const add = (owner: object | null): void => {
      if (owner === null) return;
      for (const { value, get } of Object.values(Object.getOwnPropertyDescriptors(owner)))
        for (const one of [value as unknown, get]) if (typeof one === "function") found.add(one);
    };
    for (const name of INTRINSICS) {
      const owner = fieldsOf<object>(globalThis)[name]!;
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
      found.add(fieldsOf(globalThis)[name]);
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

/** Methods that change what they are called on, by the prototypes that have them. */
const CHANGES: readonly (readonly [owner: object, names: RegExp])[] = [
  [Object.getPrototypeOf(Int8Array.prototype) as object, /^(?:set|fill|copyWithin|reverse|sort)$/],
  [DataView.prototype, /^set/],
  [Date.prototype, /^set/],
  [Map.prototype, /^getOrInsert/],
  [WeakMap.prototype, /^(?:set|getOrInsert.*)$/],
  [WeakSet.prototype, /^add$/],
  [ArrayBuffer.prototype, /^(?:resize|transfer.*)$/],
  [RegExp.prototype, /^(?:exec|test|compile)$/],
  [Object.prototype, /^__define[GS]etter__$/],
];

let changing: Set<unknown> | undefined;

/** Returns whether a method of the language changes what it is called on. */
export function changesThis(fn: unknown, { values }: { readonly values: readonly unknown[] }): boolean {
  changing ??= new Set(
    CHANGES.flatMap(([owner, names]) =>
      Object.entries(Object.getOwnPropertyDescriptors(owner)).flatMap(([name, { value }]) =>
        names.test(name) ? [value as unknown] : [],
      ),
    ),
  );
  if (!changing.has(fn)) return false;
  // Only patterns that keep their place change.
  const patterns = values.filter((value) => value instanceof RegExp);
  return patterns.length < values.length || patterns.some(({ flags }) => /[gy]/.test(flags));
}
