/**
 * @file Files of the user's sources, where the engine has a file system: lines of code, and places
 * in the files that code was generated from.
 */
import { nodeModule } from "./node-module.js";
import type { StackFrame } from "./stack-frames.js";

/** What is used of Node's modules; they are only asked for where the engine is Node. */
interface Builtins {
  readonly "node:fs": { readFileSync(path: string, encoding: "utf8"): string };
  readonly "node:module": { readonly SourceMap?: MapClass };
}

type MapClass = new (payload: object) => Mappings;

interface Mappings {
  findEntry(line: number, column: number): Partial<MappedPlace>;
}

interface MappedPlace {
  readonly originalSource: string;
  readonly originalLine: number;
  readonly originalColumn: number;
}

const builtin = <K extends keyof Builtins>(name: K): Builtins[K] | undefined => nodeModule(name);

/** A file with what it was generated from. */
interface SourceFile {
  readonly lines: readonly string[];
  map?: SourceMapFile | null | undefined;
}

interface SourceMapFile {
  readonly mappings: Mappings;
  /** Where sources are relative to. */
  readonly base: string;
  readonly root: string;
}

const files = new Map<string, SourceFile | null>();

function fileAt(path: string): SourceFile | null {
  let file = files.get(path);
  if (file === undefined) {
    const text = readText(path);
    file = text === undefined ? null : { lines: text.split(/\r\n|[\n\r\u2028\u2029]/) };
    files.set(path, file);
  }
  return file;
}

function readText(path: string): string | undefined {
  try {
    return builtin("node:fs")?.readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** The lines of a file; undefined where it cannot be read. */
export const sourceLines = (path: string): readonly string[] | undefined => fileAt(path)?.lines;

/** The line of code of a frame, trimmed; undefined where the file cannot be read. */
export function sourceLineOf({ file, line }: StackFrame): string | undefined {
  return fileAt(file)?.lines[line - 1]?.trim();
}

const GENERATED = /\.[cm]?js$/;

/**
 * The place in the source that a frame of generated code comes from; the frame itself where the
 * code has no source map. Engines and tools that map stacks themselves give places of sources at
 * once.
 */
export function originalFrame(frame: StackFrame): StackFrame {
  const file = GENERATED.test(frame.file) ? fileAt(frame.file) : null;
  if (file === null) return frame;
  if (file.map === undefined) file.map = readMap(frame.file, file.lines) ?? null;
  if (file.map === null) return frame;
  const { mappings, base, root } = file.map;
  const { originalSource, originalLine, originalColumn } = mappings.findEntry(
    frame.line - 1,
    frame.column - 1,
  );
  if (originalSource === undefined || originalLine === undefined) return frame;
  const source = resolve(base, root === "" ? originalSource : `${root.replace(/\/$/, "")}/${originalSource}`);
  return { ...frame, file: source, line: originalLine + 1, column: (originalColumn ?? 0) + 1 };
}

const MAP_COMMENT = /^\s*\/\/[#@]\s*sourceMappingURL=(\S+)\s*$/;

function readMap(path: string, lines: readonly string[]): SourceMapFile | undefined {
  const url = lines
    .slice(-10)
    .reverse()
    .map((line) => MAP_COMMENT.exec(line)?.[1])
    .find((found) => found !== undefined);
  const SourceMap = builtin("node:module")?.SourceMap;
  if (url === undefined || SourceMap === undefined) return undefined;
  try {
    return openMap(SourceMap, path, url);
  } catch {
    // A damaged map is not an error of the model: the generated place is shown.
    return undefined;
  }
}

function openMap(SourceMap: MapClass, path: string, url: string): SourceMapFile {
  const inline = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url);
  const base = inline === null ? resolve(path, url) : path;
  const text = inline === null ? readText(base) : decoded(inline[2]!, inline[1] !== undefined);
  const payload = JSON.parse(text ?? "") as { readonly sourceRoot?: string };
  return { mappings: new SourceMap(payload), base, root: payload.sourceRoot ?? "" };
}

function decoded(data: string, isBase64: boolean): string {
  if (!isBase64) return decodeURIComponent(data);
  return new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
}

/** A path relative to another file. */
function resolve(base: string, path: string): string {
  const url = new URL(encodeURI(path), `file://${encodeURI(base.startsWith("/") ? base : `/${base}`)}`);
  if (url.protocol !== "file:") return path;
  const resolved = decodeURIComponent(url.pathname);
  return /^\/[A-Za-z]:\//.test(resolved) ? resolved.slice(1) : resolved;
}
