/** @file Expressions of JavaScript, as parts of a module's text. */
import { scriptString } from "@sconce/errors";

/** An expression that is put into the text as it is: made of numbers and names of ours only. */
export class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Returns a value as an expression of JavaScript: names of a program stay strings. */
export function literal(value: unknown): string {
  if (value instanceof Code) return value.text;
  if (typeof value === "string") return scriptString(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(",")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const fields = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${literal(one)}`);
  return `{${fields.join(",")}}`;
}

/** Returns a number, which may stand behind an operator, as an expression of JavaScript. */
export const numberText = (value: number | boolean): string => {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.startsWith("-") ? `(${text})` : text;
};
