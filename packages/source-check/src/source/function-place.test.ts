import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { placeInFunction } from "./function-place.js";
import type { AnyFunction } from "./parse-function.js";

const path = fileURLToPath(import.meta.url);
const lineOf = (text: string): number =>
  readFileSync(path, "utf8")
    .split("\n")
    .findIndex((line) => line.includes(text)) + 1;

const first = (fn: AnyFunction, ..._around: unknown[]): AnyFunction => fn;

test("the place of a function that is a small part of its line", () => {
  const fn = first((width: number, height: number) => width + height, "a", "b", "c", "d", "e");
  expect(placeInFunction(fn, { line: 1, column: 1, code: "width + height" })).toBe(
    `${path}:${lineOf("const fn = first((width")}`,
  );
});

test("the place of a line of a function", () => {
  const fn = first((width: number) => {
    const twice = width * 2;
    return twice + 1;
  });
  const column = String(fn).split("\n")[2]!.indexOf("twice + 1") + 1;
  expect(placeInFunction(fn, { line: 3, column, code: "twice + 1" })).toBe(
    `${path}:${lineOf("return twice + 1")}`,
  );
});
