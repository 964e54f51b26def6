/** @file The text of a stack as frames, in the forms of V8, SpiderMonkey and JavaScriptCore. */

/** One frame of a stack. */
export interface StackFrame {
  /** A path, or a URL where the code does not come from a file. */
  readonly file: string;
  /** The line, counted from 1. */
  readonly line: number;
  /** The column, counted from 1. */
  readonly column: number;
  /** The function or method without its class, `forward`; undefined for code outside of one. */
  readonly function: string | undefined;
}

const PLACE = /^(.*?)(?::(\d+))(?::(\d+))$/;

/** Returns the frame of a line of a stack; undefined for a line without a place. */
export function frameOf(line: string): StackFrame | undefined {
  const { name, place } = line.startsWith("at ") ? v8Parts(line.slice(3)) : geckoParts(line);
  const match = PLACE.exec(place);
  if (match === null) return undefined;
  const [, file, at, column] = match;
  if (/^(?:$|<anonymous>|node:|eval at )/.test(file!)) return undefined;
  return { file: pathOf(file!), line: Number(at), column: Number(column), function: functionName(name) };
}

/** `Net.forward (/model.ts:3:5)`, or the place alone. */
function v8Parts(text: string): { name: string; place: string } {
  const open = text.endsWith(")") ? text.indexOf(" (") : -1;
  if (open < 0) return { name: "", place: text.replace(/^async /, "") };
  return { name: text.slice(0, open), place: text.slice(open + 2, -1) };
}

/** `forward@file:///model.js:3:5`. */
function geckoParts(text: string): { name: string; place: string } {
  const at = text.lastIndexOf("@");
  return at < 0 ? { name: "", place: "" } : { name: text.slice(0, at), place: text.slice(at + 1) };
}

/** `async Net.forward [as callee]` is `forward`. */
function functionName(text: string): string | undefined {
  const name = text.replace(/ \[as .*\]$/, "").replace(/^async /, "");
  if (name === "" || name.endsWith("<anonymous>")) return undefined;
  if (name.startsWith("new ")) return "constructor";
  return /(?:^|\.)(\[[^\]]*\]|[^.[\]/]+)$/.exec(name)?.[1] ?? name;
}

/** Returns the path of a URL; a URL of another place than a file stays as it is. */
export function pathOf(file: string): string {
  const plain = file.replace(/[?#].*$/, "");
  if (!plain.startsWith("file://")) return plain;
  const path = decodeURIComponent(plain.slice("file://".length));
  return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
}
