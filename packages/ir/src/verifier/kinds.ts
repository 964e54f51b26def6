/** @file Of what kind a value is, for values that came past the types: from plugins in JavaScript, say. */

import { told } from "../graph/problem.js";

/** Tells what is wrong: where in the part, and how. */
export type Tell = (at: string, problem: string) => void;

/** Checks one value; `at` is its place in the part, `.inputSpecs[2].arg`. */
export type Kind = (value: unknown, at: string, tell: Tell) => void;

/** A value for which the test holds; `what` names it in messages. */
export const kind =
  (what: string, test: (value: unknown) => boolean): Kind =>
  (value, at, tell) => {
    if (!test(value)) tell(at, `is ${told(value)}, not ${what}`);
  };

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const text = kind("a string", (value) => typeof value === "string");
export const flag = kind("true or false", (value) => typeof value === "boolean");
/** Infinities are numbers; NaN is none. */
export const number = kind("a number", (value) => typeof value === "number" && !Number.isNaN(value));
export const anything: Kind = () => undefined;

export const oneOf = (names: readonly string[]): Kind =>
  kind(`one of ${names.join(", ")}`, (value) => names.includes(value as string));

export const orNull =
  (of: Kind): Kind =>
  (value, at, tell) => {
    if (value !== null) of(value, at, tell);
  };

export const optional =
  (of: Kind): Kind =>
  (value, at, tell) => {
    if (value !== undefined) of(value, at, tell);
  };

export const list =
  (of: Kind): Kind =>
  (value, at, tell) => {
    if (!Array.isArray(value)) tell(at, `is ${told(value)}, not a list`);
    else for (let i = 0; i < value.length; i++) of(value[i], `${at}[${i}]`, tell);
  };

export const pair = (first: Kind, second: Kind): Kind => {
  const two = kind("a pair", (value) => Array.isArray(value) && value.length === 2);
  return (value, at, tell) => {
    two(value, at, tell);
    if (!Array.isArray(value) || value.length !== 2) return;
    first(value[0], `${at}[0]`, tell);
    second(value[1], `${at}[1]`, tell);
  };
};

/** A plain object with these fields; others are not looked at. */
export const fields = (of: Readonly<Record<string, Kind>>): Kind => {
  const entries = Object.entries(of);
  return (value, at, tell) => {
    if (!isObject(value)) tell(at, `is ${told(value)}, not an object`);
    else for (const [name, field] of entries) field(value[name], `${at}.${name}`, tell);
  };
};

/** A plain object whose values are of one kind. */
export const record =
  (of: Kind): Kind =>
  (value, at, tell) => {
    if (!isObject(value)) tell(at, `is ${told(value)}, not an object`);
    else for (const key of Object.keys(value)) of(value[key], `${at}[${JSON.stringify(key)}]`, tell);
  };

/** A map from strings. */
export const map =
  (of: Kind): Kind =>
  (value, at, tell) => {
    if (!(value instanceof Map)) return tell(at, `is ${told(value)}, not a map`);
    for (const [key, item] of value) {
      if (typeof key !== "string") tell(at, `has the key ${told(key)}, which is no string`);
      else of(item, `${at}[${JSON.stringify(key)}]`, tell);
    }
  };

export const setOfText: Kind = (value, at, tell) => {
  if (!(value instanceof Set)) return tell(at, `is ${told(value)}, not a set`);
  for (const item of value) text(item, at, tell);
};

/** One of several objects, told apart by a field. */
export const tagged = (tag: string, of: Readonly<Record<string, Kind>>): Kind => {
  const known = new Map(Object.entries(of));
  const names = [...known.keys()].join(", ");
  return (value, at, tell) => {
    if (!isObject(value)) return tell(at, `is ${told(value)}, not an object`);
    const chosen = known.get(value[tag] as string);
    if (chosen === undefined) tell(`${at}.${tag}`, `is ${told(value[tag])}, not one of ${names}`);
    else chosen(value, at, tell);
  };
};
