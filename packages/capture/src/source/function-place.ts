/** @file Where a function is defined, asked of V8's inspector: only for errors, in some 50 ms. */
import type { AnyFunction } from "./parse-function.js";
import { originalFrame, sourceLines } from "./source-files.js";
import { pathOf, type StackFrame } from "./stack-frames.js";

/** What is used of `node:inspector`; its answers come before `post` returns. */
interface Session {
  connect(): void;
  disconnect(): void;
  on(event: string, listener: (message: { readonly params: ScriptParsed }) => void): void;
  post(method: string, params?: object, done?: (error: unknown, result: InspectorResult) => void): void;
}

interface ScriptParsed {
  readonly scriptId: string;
  readonly url: string;
}

interface InspectorResult {
  readonly result?: { readonly objectId?: string };
  readonly internalProperties?: readonly {
    readonly name: string;
    readonly value?: { readonly value?: { readonly scriptId: string; readonly lineNumber: number } };
  }[];
}

interface NodeProcess {
  getBuiltinModule?(name: "node:inspector"): { readonly Session: new () => Session } | undefined;
}

/** A place of the user's code: `/models/net.ts:12`. */
export type CodePlace = `${string}:${number}`;

/**
 * Returns the place of a line of a function in its source, undefined where the engine does not
 * report it. Tools may have changed the lines: the place is that of the code nearby.
 *
 * @param line the line in the function, counted from 1
 * @param code the code that stands there
 */
export function placeInFunction(fn: AnyFunction, line: number, code: string): CodePlace | undefined {
  const start = definition(fn);
  if (start === undefined) return undefined;
  const { file } = start;
  const at = start.line + line - 1;
  const [token = ""] = /[\w$.]+/.exec(code) ?? [];
  const column = Math.max(sourceLines(file)?.[at - 1]?.indexOf(token) ?? 0, 0) + 1;
  const original = originalFrame({ file, line: at, column, function: undefined });
  const found = original.file === file ? nearestLine(file, at, code) : original.line;
  return found === undefined ? undefined : `${original.file}:${found}`;
}

/** The line with a code that is nearest to a line; undefined where the file has no such line. */
function nearestLine(file: string, line: number, code: string): number | undefined {
  const [wanted = ""] = plain(code).split("...");
  const lines = sourceLines(file) ?? [];
  let nearest: number | undefined;
  lines.forEach((text, i) => {
    const isNearer = nearest === undefined || Math.abs(i + 1 - line) < Math.abs(nearest - line);
    if (isNearer && plain(text).includes(wanted)) nearest = i + 1;
  });
  return nearest;
}

const plain = (text: string): string => text.replace(/[\s;]+/g, "");

const KEY = "sconce.located";

/** The file and the line in which the text of a function begins, as the engine runs it. */
function definition(fn: AnyFunction): Pick<StackFrame, "file" | "line"> | undefined {
  const { process } = globalThis as { process?: NodeProcess };
  let found: Pick<StackFrame, "file" | "line"> | undefined;
  try {
    const Session = process?.getBuiltinModule?.("node:inspector")?.Session;
    if (Session === undefined) return undefined;
    const session = new Session();
    session.connect();
    found = ask(session, fn);
    session.disconnect();
  } catch {
    // Without an inspector, as when Node is built so, errors name the function and its line.
    return undefined;
  }
  return found;
}

function ask(session: Session, fn: AnyFunction): Pick<StackFrame, "file" | "line"> | undefined {
  const urls = new Map<string, string>();
  const key = Symbol.for(KEY);
  const holder = globalThis as Record<symbol, unknown>;
  let found: Pick<StackFrame, "file" | "line"> | undefined;
  session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
  session.post("Debugger.enable");
  holder[key] = fn;
  session.post("Runtime.evaluate", { expression: `globalThis[Symbol.for("${KEY}")]` }, (_, answer) => {
    const objectId = answer?.result?.objectId;
    if (objectId === undefined) return;
    session.post("Runtime.getProperties", { objectId, ownProperties: true }, (_error, properties) => {
      const own = properties?.internalProperties?.find(({ name }) => name === "[[FunctionLocation]]");
      const location = own?.value?.value;
      const url = location && urls.get(location.scriptId);
      if (url) found = { file: pathOf(url), line: location.lineNumber + 1 };
    });
  });
  delete holder[key];
  return found;
}
