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
  readonly generatedLine: number;
  readonly generatedColumn: number;
  readonly originalSource: string;
  readonly originalLine: number;
  readonly originalColumn: number;
  readonly name: string;
}

const builtin = <K extends keyof Builtins>(name: K): Builtins[K] | undefined => nodeModule(name);

/** A file with what it was generated from. */
interface SourceFile {
  readonly lines: readonly string[];
  map?: SourceMapFile | null | undefined;
}

interface SourceMapFile {
  readonly mappings: Mappings;
  /** Whether the map has the names that code was renamed from. */
  readonly hasNames: boolean;
  /** The texts of the sources by their paths, as far as the map has them. */
  readonly texts: ReadonlyMap<string, string>;
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

/** Returns the lines of a file; undefined where it cannot be read. */
export const sourceLines = (path: string): readonly string[] | undefined => fileAt(path)?.lines;

/** Returns the line of code of a frame, trimmed; undefined where the file cannot be read. */
export function sourceLineOf({ file, line }: StackFrame): string | undefined {
  return fileAt(file)?.lines[line - 1]?.trim();
}

const GENERATED = /\.[cm]?js$/;

/**
 * Returns the place in the source that a frame of generated code comes from; the frame itself where
 * the code has no source map. Engines and tools that map stacks themselves give places of sources
 * at once.
 */
export function originalFrame(frame: StackFrame): StackFrame {
  const file = GENERATED.test(frame.file) ? fileAt(frame.file) : null;
  if (file === null) return frame;
  if (file.map === undefined) file.map = readMap(frame.file, file.lines) ?? null;
  if (file.map === null) return frame;
  const { mappings } = file.map;
  const { originalSource, originalLine, originalColumn } = mappings.findEntry(
    frame.line - 1,
    frame.column - 1,
  );
  if (originalSource === undefined || originalLine === undefined) return frame;
  const source = sourcePath(file.map, originalSource);
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
  const payload = JSON.parse(text ?? "") as Partial<MapPayload>;
  const { sources = [], sourcesContent = [], names = [], sourceRoot = "" } = payload;
  const texts = sources.flatMap((source, i) => {
    const content = sourcesContent[i];
    return typeof content === "string" ? [[source, content] as const] : [];
  });
  return {
    mappings: new SourceMap(payload),
    base,
    root: sourceRoot,
    hasNames: names.length > 0,
    texts: new Map(texts),
  };
}

/** What is read of a source map. */
interface MapPayload {
  readonly sourceRoot: string;
  readonly sources: readonly string[];
  readonly sourcesContent: readonly (string | null)[];
  readonly names: readonly string[];
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u;

/**
 * Returns a function that gives the name which an identifier of a script has in the source that the
 * script was made of: undefined where the source map does not say. Undefined for a script without a
 * source map.
 *
 * @param path the file of the script, which has an external map beside it
 * @param text the script as the engine runs it
 */
export function identifierNames(
  path: string,
  text: string,
): ((line: number, column: number) => string | undefined) | undefined {
  const map = readMap(path, text.slice(-MOST_COMMENT).split("\n"));
  if (map === undefined) return undefined;
  const lines = new Map<string, readonly string[]>();
  const linesOf = (source: string): readonly string[] => {
    const known =
      lines.get(source) ?? (map.texts.get(source) ?? readText(sourcePath(map, source)) ?? "").split("\n");
    lines.set(source, known);
    return known;
  };
  return (line, column) => {
    const entry = map.mappings.findEntry(line, column);
    // A mapping of code before the identifier says nothing of it.
    if (entry.generatedLine !== line || entry.generatedColumn !== column) return undefined;
    if (map.hasNames) return entry.name;
    const { originalSource, originalLine = 0, originalColumn = 0 } = entry;
    if (originalSource === undefined) return undefined;
    return IDENTIFIER.exec(linesOf(originalSource)[originalLine]?.slice(originalColumn) ?? "")?.[0];
  };
}

/** A place of the source that a script was made of, and the text of its line where it is known. */
export interface OriginalPlace {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
  readonly text: string | undefined;
}

/**
 * Returns a function that gives the place in the source which a place of a script was made of, both
 * counted from 0. Undefined for a script without a source map.
 *
 * @param path the file of the script, which has an external map beside it
 * @param text the script as the engine runs it
 */
export function originalPlaces(
  path: string,
  text: string,
): ((line: number, column: number) => OriginalPlace | undefined) | undefined {
  const map = readMap(path, text.slice(-MOST_COMMENT).split("\n"));
  if (map === undefined) return undefined;
  return (row, from) => {
    const { originalSource, originalLine, originalColumn = 0 } = map.mappings.findEntry(row, from);
    if (originalSource === undefined || originalLine === undefined) return undefined;
    const file = sourcePath(map, originalSource);
    const lines = map.texts.get(originalSource)?.split("\n") ?? sourceLines(file);
    return { file, line: originalLine + 1, column: originalColumn + 1, text: lines?.[originalLine] };
  };
}

/** Most characters of the end of a script that may hold the comment of its map. */
const MOST_COMMENT = 2 ** 24;

function sourcePath({ base, root }: SourceMapFile, source: string): string {
  return resolve(base, root === "" ? source : `${root.replace(/\/$/, "")}/${source}`);
}

function decoded(data: string, isBase64: boolean): string {
  if (!isBase64) return decodeURIComponent(data);
  return new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
}

/** Returns a path relative to another file. */
function resolve(base: string, path: string): string {
  const url = new URL(encodeURI(path), `file://${encodeURI(base.startsWith("/") ? base : `/${base}`)}`);
  if (url.protocol !== "file:") return path;
  const resolved = decodeURIComponent(url.pathname);
  return /^\/[A-Za-z]:\//.test(resolved) ? resolved.slice(1) : resolved;
}
