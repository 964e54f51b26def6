/**
 * @file Checks of values that may not have their declared types, from JavaScript plugins for
 * example.
 */

import { describeValue } from "@sconce/errors";

/** Reports a problem: its place in the part, and what is wrong there. */
export type ReportAt = (at: string, problem: string) => void;

/** Checks one value; `at` is its place in the part, `.inputSpecs[2].arg`. */
export type Kind = (value: unknown, at: string, report: ReportAt) => void;

/** Returns a value for which the test holds; `what` names it in messages. */
export const kind =
  (what: string, test: (value: unknown) => boolean): Kind =>
  (value, at, report) => {
    if (!test(value)) report(at, `is ${describeValue(value)}, not ${what}`);
  };

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const text = kind("a string", (value) => typeof value === "string");
export const flag = kind("true or false", (value) => typeof value === "boolean");
/** Infinities are valid numbers; NaN is invalid. */
export const number = kind("a number", (value) => typeof value === "number" && !Number.isNaN(value));
export const anything: Kind = () => undefined;

export const oneOf = (names: readonly string[]): Kind =>
  kind(`one of ${names.join(", ")}`, (value) => names.includes(value as string));

export const orNull =
  (inner: Kind): Kind =>
  (value, at, report) => {
    if (value !== null) inner(value, at, report);
  };

export const optional =
  (inner: Kind): Kind =>
  (value, at, report) => {
    if (value !== undefined) inner(value, at, report);
  };

export const list =
  (inner: Kind): Kind =>
  (value, at, report) => {
    if (!Array.isArray(value)) report(at, `is ${describeValue(value)}, not a list`);
    else for (let i = 0; i < value.length; i++) inner(value[i], `${at}[${i}]`, report);
  };

export const pair = (first: Kind, second: Kind): Kind => {
  const two = kind("a pair", (value) => Array.isArray(value) && value.length === 2);
  return (value, at, report) => {
    two(value, at, report);
    if (!Array.isArray(value) || value.length !== 2) return;
    first(value[0], `${at}[0]`, report);
    second(value[1], `${at}[1]`, report);
  };
};

/** Returns a plain object with these fields; other fields are ignored. */
export const fields = (inner: Readonly<Record<string, Kind>>): Kind => {
  const entries = Object.entries(inner);
  return (value, at, report) => {
    if (!isObject(value)) report(at, `is ${describeValue(value)}, not an object`);
    else for (const [name, field] of entries) field(value[name], `${at}.${name}`, report);
  };
};

/** Returns a plain object whose values are of one kind. */
export const record =
  (inner: Kind): Kind =>
  (value, at, report) => {
    if (!isObject(value)) report(at, `is ${describeValue(value)}, not an object`);
    else for (const key of Object.keys(value)) inner(value[key], `${at}[${JSON.stringify(key)}]`, report);
  };

/** Returns a map from strings. */
export const map =
  (inner: Kind): Kind =>
  (value, at, report) => {
    if (!(value instanceof Map)) return report(at, `is ${describeValue(value)}, not a map`);
    for (const [key, item] of value) {
      if (typeof key !== "string") report(at, `has the key ${describeValue(key)}, which is not a string`);
      else inner(item, `${at}[${JSON.stringify(key)}]`, report);
    }
  };

export const setOfText: Kind = (value, at, report) => {
  if (!(value instanceof Set)) return report(at, `is ${describeValue(value)}, not a set`);
  for (const item of value) text(item, at, report);
};

/** One of several objects; a field distinguishes them. */
export const tagged = (tag: string, inner: Readonly<Record<string, Kind>>): Kind => {
  const known = new Map(Object.entries(inner));
  const names = [...known.keys()].join(", ");
  return (value, at, report) => {
    if (!isObject(value)) return report(at, `is ${describeValue(value)}, not an object`);
    const chosen = known.get(value[tag] as string);
    if (chosen === undefined) report(`${at}.${tag}`, `is ${describeValue(value[tag])}, not one of ${names}`);
    else chosen(value, at, report);
  };
};
