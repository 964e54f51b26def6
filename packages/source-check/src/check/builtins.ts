/** @file Functions of the language: which of them decide by truth or identity. */

import type { AnyNode } from "acorn";
import { fieldsOf } from "../fields.js";
import type { AnyFunction } from "../source/parse-function.js";
import { spreadInto } from "./assignments.js";
import { isConsoleFunction } from "./host-functions.js";
import { elementOf, type Interpreter, iterating, runAnyTimes, type Scope, siteOf } from "./interpreter.js";
import {
  type AbstractObject,
  arrayOf,
  isNothing,
  join,
  joinKinds,
  type Kind,
  known,
  listOf,
  made,
  makeObject,
  mayBeSym,
  NOTHING,
  PLAINS,
  primitive,
  UNDEFINED,
  unknown,
} from "./kinds.js";
import { isObject } from "./prototypes.js";

/** A call of a function of the language. */
export interface BuiltinCall {
  readonly self: Kind;
  readonly args: readonly Kind[];
  readonly node: AnyNode;
  readonly scope: Scope;
  readonly on: Interpreter;
}

type Builtin = (call: BuiltinCall) => Kind;

/** Calls the first argument with an element, its index and the array. */
function callback(
  { self, args: [fn = UNDEFINED], node, scope, on }: BuiltinCall,
  ...before: readonly Kind[]
): Kind {
  const args = [...before, on.elements(self), PLAINS, self];
  return iterating(self, on, () => runAnyTimes(on, () => on.call(fn, UNDEFINED, args, node, scope)));
}

/** Returns a callback whose result is taken for true or false. */
const predicate =
  (name: string, result: (call: BuiltinCall) => Kind): Builtin =>
  (call) => {
    const { node, scope, on } = call;
    on.condition(callback(call), name, node, scope);
    return result(call);
  };

const search =
  (name: string): Builtin =>
  ({ self, args, node, scope, on }) => {
    on.identity(on.elements(self), args[0] ?? UNDEFINED, name, node, scope);
    return PLAINS;
  };

const element: Builtin = ({ self, on }) => join(on.elements(self), UNDEFINED);

/** Takes items away. */
const removes =
  (result: Builtin): Builtin =>
  (call) => {
    call.on.strict?.mutated(call.self, call.node, call.scope);
    return result(call);
  };
const same: Builtin = ({ self, args, on }) =>
  arrayOf(joinKinds([on.elements(self), ...args.map((arg) => join(arg, on.elements(arg)))]));

const add: Builtin = ({ self, args, node, scope, on }) => {
  on.strict?.mutated(self, node, scope);
  const added = joinKinds(args);
  for (const object of self.objects) object.element = joinKinds([elementOf(object), added]);
  on.setMember({ ...NOTHING, values: self.values }, PLAINS, added);
  return join(PLAINS, self);
};

/** Moves items, and may put its arguments among them: each item may be any of them. */
const moves =
  (result: Builtin): Builtin =>
  (call) => {
    const { self, args, node, scope, on } = call;
    on.strict?.mutated(self, node, scope);
    on.setMember(self, PLAINS, joinKinds([on.elements(self), ...args]));
    return result(call);
  };

const reduce: Builtin = (call) => {
  const { args, self, on } = call;
  let total = args[1] ?? on.elements(self);
  for (let count = 0; count < 4; count++) {
    const next = join(total, callback(call, total));
    if (next === total) break;
    total = next;
  }
  return total;
};

const iterated: Builtin = (call) => {
  callback(call);
  return UNDEFINED;
};

const sort: Builtin = (call) => {
  if (call.args.length > 0) callback(call, call.on.elements(call.self));
  return same({ ...call, args: [] });
};

const METHODS: Readonly<Record<string, Builtin>> = {
  map: (call) => arrayOf(callback(call)),
  flatMap: (call) => {
    const result = callback(call);
    return arrayOf(join(result, call.on.elements(result)));
  },
  forEach: iterated,
  filter: predicate("filter", ({ self, on }) => arrayOf(on.elements(self))),
  some: predicate("some", () => PLAINS),
  every: predicate("every", () => PLAINS),
  find: predicate("find", element),
  findLast: predicate("findLast", element),
  findIndex: predicate("findIndex", () => PLAINS),
  findLastIndex: predicate("findLastIndex", () => PLAINS),
  reduce,
  reduceRight: reduce,
  includes: search("includes"),
  indexOf: search("indexOf"),
  lastIndexOf: search("lastIndexOf"),
  push: add,
  unshift: moves(add),
  pop: removes(element),
  shift: moves(element),
  at: element,
  slice: same,
  concat: same,
  reverse: moves(same),
  copyWithin: moves(same),
  toReversed: same,
  toSorted: sort,
  flat: ({ self, on }) => arrayOf(joinKinds([on.elements(self), on.elements(on.elements(self))])),
  fill: moves(same),
  with: same,
  splice: moves(same),
  values: same,
  entries: ({ self, on }) => arrayOf(listOf([PLAINS, on.elements(self)])),
  keys: () => arrayOf(PLAINS),
  sort: (call) => moves(() => sort(call))({ ...call, args: [] }),
  join: ({ self, node, scope, on }) => {
    on.coercion(on.elements(self), "join", node, scope);
    return PLAINS;
  },
};

/** Methods of arrays by the function itself. */
export const ARRAY_METHODS: ReadonlyMap<AnyFunction, Builtin> = new Map(
  Object.entries(METHODS).map(([name, run]) => [fieldsOf<AnyFunction>(Array.prototype)[name]!, run]),
);

const identityOf =
  (name: string): Builtin =>
  ({ args, node, scope, on }) => {
    const [a = UNDEFINED, b = PLAINS] = args;
    on.identity(a, b, name, node, scope);
    return PLAINS;
  };

/** Functions that a dynamic size, not being a number, answers with false. */
const numberTest =
  (name: string): Builtin =>
  ({ args, node, scope, on }) => {
    if (args.some(mayBeSym)) on.identity(args[0]!, known(0), name, node, scope);
    return PLAINS;
  };

const lookup =
  (name: string, result: Builtin): Builtin =>
  (call) => {
    const { args, node, scope, on } = call;
    if (args[0] !== undefined && mayBeSym(args[0])) on.identity(args[0], known(0), name, node, scope);
    return result(call);
  };

/** Returns the first or the second item of the pairs that a Map holds. */
function partOfEntries(map: Kind, part: 0 | 1, on: Interpreter): Kind {
  const { flags, values, objects, reason } = on.elements(map);
  const ofValue = (pair: unknown): Kind =>
    Array.isArray(pair) ? known(pair[part]) : on.elements(known(pair));
  const ofObject = (pair: AbstractObject): Kind =>
    pair.type === "array" ? join(pair.props.get(String(part)) ?? NOTHING, pair.element) : elementOf(pair);
  return joinKinds([{ ...NOTHING, flags, reason }, ...values.map(ofValue), ...objects.map(ofObject)]);
}

/** Returns whether a value is a Map: one that is there, or one that the code makes. */
const isMap = ({ values, objects }: Kind): boolean =>
  values.some((value) => value instanceof Map) || objects.some(({ name }) => name === "Map");

/** Returns the values of a Map, or the items of a Set. */
const entryValues = (value: Kind, on: Interpreter): Kind =>
  isMap(value) ? partOfEntries(value, 1, on) : on.elements(value);

/** `map.set(key, value)`: the pair belongs to the call. */
const setEntry: Builtin = (call) => {
  const { args, node, scope } = call;
  const pair = siteOf(scope, node, () => makeObject("array"));
  args.slice(0, 2).forEach((arg, i) => {
    pair.props.set(String(i), join(pair.props.get(String(i)) ?? NOTHING, arg));
  });
  return add({ ...call, args: [made(pair)] });
};

/** `map.forEach`: gives values before keys. */
function forEachEntry({ self, args: [fn = UNDEFINED], node, scope, on }: BuiltinCall): Kind {
  const entry = [entryValues(self, on), partOfEntries(self, 0, on), self];
  const run = (): Kind => on.call(fn, UNDEFINED, entry, node, scope);
  iterating(self, on, () => runAnyTimes(on, run));
  return UNDEFINED;
}

/** `Object.entries`: names, which are texts, with values. */
const entriesOf: Builtin = ({ args, on }) => arrayOf(listOf([PLAINS, on.elements(args[0] ?? NOTHING)]));

/** `Object.fromEntries`: the names say nothing of the values. */
const fromEntries: Builtin = ({ args, on }) => {
  const pairs = args[0] ?? NOTHING;
  return made(makeObject("record", partOfEntries(pairs, 1, on)));
};

/**
 * `WeakMap.get`: how compilers for older engines read private fields, `__privateGet(this, _gain)`.
 */
function weakEntry({ self, args: [key = UNDEFINED], on }: BuiltinCall): Kind {
  const maps = self.values.filter((value) => value instanceof WeakMap);
  const keys = key.values.filter(isObject);
  const isKnown = maps.length > 0 && self.objects.length === 0 && keys.length > 0 && key.objects.length === 0;
  if (!isKnown || key.flags !== 0) return unknown("an entry of a `WeakMap`");
  const found = maps.flatMap((map) => keys.map((one) => known((map as WeakMap<object, unknown>).get(one))));
  // What the checked code itself sets.
  return joinKinds([...found, on.elements({ ...NOTHING, values: maps })]);
}

/** `Object.assign`: writes to its first argument. */
function assignProperties({ args, node, scope, on }: BuiltinCall): Kind {
  const [target = UNDEFINED, ...sources] = args;
  on.strict?.assigned(target, node, scope);
  for (const source of sources) {
    const copied = makeObject("record");
    spreadInto(copied, source);
    for (const [name, value] of copied.props) on.setMember(target, known(name), value);
    if (!isNothing(copied.element)) on.setMember(target, PLAINS, copied.element);
  }
  return target;
}

const FUNCTIONS: readonly (readonly [unknown, Builtin])[] = [
  [
    Boolean,
    ({ args, node, scope, on }) => {
      on.condition(args[0] ?? UNDEFINED, "Boolean", node, scope);
      return PLAINS;
    },
  ],
  [Object.is, identityOf("Object.is")],
  [Number.isInteger, numberTest("Number.isInteger")],
  [Number.isSafeInteger, numberTest("Number.isSafeInteger")],
  [Number.isFinite, numberTest("Number.isFinite")],
  [Number.isNaN, numberTest("Number.isNaN")],
  [Array.isArray, () => PLAINS],
  [Object.hasOwn, () => PLAINS],
  [Object.prototype.hasOwnProperty, () => PLAINS],
  [Array.of, ({ args }) => arrayOf(joinKinds(args))],
  [
    Array.from,
    (call) => {
      const [list = UNDEFINED, fn] = call.args;
      if (fn === undefined) return arrayOf(call.on.elements(list));
      return arrayOf(callback({ ...call, self: list, args: [fn] }));
    },
  ],
  [Object.keys, () => arrayOf(PLAINS)],
  [Object.values, ({ args, on }) => arrayOf(on.elements(args[0] ?? NOTHING))],
  [Object.entries, entriesOf],
  [Object.fromEntries, fromEntries],
  [Object.assign, assignProperties],
  [Object.freeze, ({ args }) => args[0] ?? UNDEFINED],
  [Map.prototype.get, lookup("Map.get", ({ self, on }) => join(entryValues(self, on), UNDEFINED))],
  [Map.prototype.has, lookup("Map.has", () => PLAINS)],
  [Set.prototype.has, lookup("Set.has", () => PLAINS)],
  [Map.prototype.set, setEntry],
  [Set.prototype.add, add],
  ...[Map, Set, WeakMap, WeakSet].map(({ prototype }) => [prototype.delete, removes(() => PLAINS)] as const),
  ...[Map, Set].map(({ prototype }) => [prototype.clear, removes(() => UNDEFINED)] as const),
  [WeakMap.prototype.get, weakEntry],
  [WeakMap.prototype.has, () => PLAINS],
  [WeakSet.prototype.has, () => PLAINS],
  [
    WeakMap.prototype.set,
    ({ self, args, ...call }) => join(self, add({ ...call, self, args: args.slice(1) })),
  ],
  [WeakSet.prototype.add, add],
  [Map.prototype.forEach, forEachEntry],
  [Set.prototype.forEach, iterated],
  [Map.prototype.values, ({ self, on }) => arrayOf(entryValues(self, on))],
  [Map.prototype.entries, ({ self, on }) => arrayOf(on.elements(self))],
  [Map.prototype.keys, ({ self, on }) => arrayOf(partOfEntries(self, 0, on))],
  [Set.prototype.values, ({ self, on }) => arrayOf(on.elements(self))],
];

const BY_FUNCTION = new Map(FUNCTIONS as readonly (readonly [AnyFunction, Builtin])[]);

/** Functions that make their arguments numbers or texts, and give numbers or texts. */
const COERCING = new Set<unknown>([
  Number,
  String,
  BigInt,
  parseInt,
  parseFloat,
  globalThis.Number.isNaN,
  globalThis.Number.isFinite,
  ...Object.values(Object.getOwnPropertyDescriptors(Math)).map(({ value }) => value as unknown),
]);

/** `Object.defineProperty`, `Reflect.set` and the like: they write to their first argument. */
const WRITERS = new Set<unknown>([
  Object.defineProperty,
  Object.defineProperties,
  Object.freeze,
  Object.preventExtensions,
  Object.seal,
  Object.setPrototypeOf,
  Reflect.defineProperty,
  Reflect.deleteProperty,
  Reflect.preventExtensions,
  Reflect.set,
  Reflect.setPrototypeOf,
]);

/** Takes note of a write, and runs the getters and setters that it defines or uses. */
function writes(fn: unknown, { args, node, scope, on }: BuiltinCall): void {
  const [target = UNDEFINED, key = UNDEFINED, value = UNDEFINED] = args;
  on.strict?.assigned(target, node, scope);
  if (fn === Reflect.set) on.setMember(target, key, value);
  if (fn !== Object.defineProperty && fn !== Reflect.defineProperty) return;
  for (const name of ["get", "set"]) {
    const accessor = on.member({ ...value, flags: 0 }, known(name), node, scope);
    const given = [unknown("what a setter is given")];
    runAnyTimes(on, () => on.call({ ...accessor, flags: 0 }, target, given, node, scope));
  }
}

/**
 * Returns whether a call gives a function its name, and nothing else, as esbuild does where it
 * keeps names: `__name(fn, "scale")`.
 */
export function givesName(fn: unknown, [target = UNDEFINED, key = UNDEFINED]: readonly Kind[]): boolean {
  if (fn !== Object.defineProperty || primitive(key)?.value !== "name" || target.flags !== 0) return false;
  const { values, objects } = target;
  return (
    values.length + objects.length > 0 &&
    values.every((value) => typeof value === "function") &&
    objects.every(({ type }) => type === "function" || type === "class")
  );
}

/** Returns what a function of the language gives; undefined for other functions. */
export function builtinResult(fn: AnyFunction, call: BuiltinCall): Kind | undefined {
  if (WRITERS.has(fn)) writes(fn, call);
  const run = BY_FUNCTION.get(fn);
  if (run !== undefined) return run(call);
  if (isConsoleFunction(fn)) return UNDEFINED;
  if (!COERCING.has(fn)) return undefined;
  const { args, node, scope, on } = call;
  for (const arg of args) on.coercion(arg, fn.name, node, scope);
  const values = args.map((arg) => primitive(arg));
  return values.length > 0 && values.every((value) => typeof value?.value === "number")
    ? known(fn(...values.map((value) => value!.value)))
    : PLAINS;
}
