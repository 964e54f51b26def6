/** @file Stacks as PyTorch writes them: the frames of the user's code, innermost last. */
import type { NodeMeta } from "@sconce/ir";
import { COPY } from "../this-copy.js";
import type { RawStack } from "./raw-stack.js";
import { originalFrame, sourceLineOf } from "./source-files.js";
import { frameOf, type StackFrame } from "./stack-frames.js";

/** Packages whose functions lie between the user's line and the captured stack. */
const OWN_PACKAGES =
  "errors|tensor|symbolic|ir|ops|trace|passes|backend-cpu|source-check|torch|capture|session|sconce";
const INSTALLED = /[\\/]node_modules[\\/](?:@sconce[\\/]|sconce[\\/])/;

let ownSource: RegExp | undefined;

/** Files of this project, where its packages lie beside each other. */
function ownFiles(): RegExp {
  if (ownSource !== undefined) return ownSource;
  const folder = /^(.*[\\/])[^\\/]+[\\/](?:src|dist)[\\/]this-copy\.[cm]?[jt]s$/.exec(COPY.file ?? "")?.[1];
  // A pattern that matches nothing, where the packages are bundled.
  ownSource =
    folder === undefined
      ? /(?!)/
      : new RegExp(
          `^${folder.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?:${OWN_PACKAGES})[\\\\/](?:src|dist)[\\\\/]`,
        );
  return ownSource;
}

const TEST_FILE = /\.(?:test|fixture)\.[cm]?[jt]s$/;

/** Returns whether a file is one of Sconce; never where a bundler joined it with others. */
export const isOwnFile = (file: string): boolean =>
  INSTALLED.test(file) || (ownFiles().test(file) && !TEST_FILE.test(file));

const isOwn = ({ file }: StackFrame): boolean => isOwnFile(file);

/** `exportProgram`, and the calls of modules that it follows: their callers are in `outer`. */
const ENTRY = /[\\/]capture[\\/](?:src|dist)[\\/]export[\\/]/;
/** The capture itself. */
const CAPTURE = /[\\/]source-check[\\/](?:src|dist)[\\/]source[\\/]/;

/** A line of an engine's stack, looked at once: programs repeat the same lines in most stacks. */
interface KnownLine {
  readonly kind: "entry" | "own" | "user" | "none";
  /** The frame of the user's code. */
  readonly text?: string;
}

const lines = new Map<string, KnownLine>();

function knownLine(line: string): KnownLine {
  let known = lines.get(line);
  if (known === undefined) {
    known = describeLine(line);
    lines.set(line, known);
  }
  return known;
}

function describeLine(line: string): KnownLine {
  const frame = frameOf(line.trim());
  if (frame === undefined) return { kind: "none" };
  if (isOwn(frame)) return { kind: ownKind(frame) };
  // Bundled code is known by its sources.
  const source = originalFrame(frame);
  return isOwn(source) ? { kind: ownKind(source) } : { kind: "user", text: frameText(source) };
}

const ownKind = ({ file }: StackFrame): KnownLine["kind"] =>
  ENTRY.test(file) ? "entry" : CAPTURE.test(file) ? "none" : "own";

/**
 * Returns the user's frames up to the call of the module or of the exported function, innermost
 * first.
 */
function innerFrames(stack: string): string[] {
  const frames: string[] = [];
  let isInside = false;
  for (const line of stack.split("\n")) {
    const { kind, text } = knownLine(line);
    // A stack that is captured at the entry begins there.
    if (kind === "entry" && isInside) break;
    if (kind === "own" || kind === "user") isInside = true;
    if (text !== undefined) frames.push(text);
  }
  return frames;
}

/**
 * Returns a stack in PyTorch's form, outermost frame first; undefined where no frame is the user's.
 *
 *     File "/models/net.ts", line 12, in forward
 *       return this.fc(x).relu();
 */
export function formatStack(raw: RawStack): string | undefined {
  if (raw.error === undefined) return raw.text;
  const frames = innerFrames(raw.error.stack ?? "").reverse();
  const outer = raw.outer === undefined ? undefined : formatStack(raw.outer);
  if (outer !== undefined) frames.unshift(outer);
  raw.text = frames.length > 0 ? frames.join("\n  ") : undefined;
  // The frames keep the functions and receivers of their calls alive.
  raw.error = undefined;
  return raw.text;
}

const frameText = (frame: StackFrame): string =>
  `File "${frame.file}", line ${frame.line}, in ${frame.function ?? "<anonymous>"}\n    ${sourceLineOf(frame) || "<no source>"}`;

/**
 * Returns metadata whose `stackTrace` is formatted when something reads it, and then kept. Copies
 * by `{ ...meta }` format it.
 */
export function withStack(meta: NodeMeta, raw: RawStack): NodeMeta {
  // A getter of a literal: `defineProperty` takes ten times as long.
  return {
    ...meta,
    get stackTrace(): string | undefined {
      return formatStack(raw);
    },
  };
}

/** Returns metadata with the stack and the annotations of a node that is exported again. */
export function withStackOf(meta: NodeMeta, source: NodeMeta): NodeMeta {
  const { custom, sourceFnStack } = source;
  return {
    ...meta,
    ...(custom === undefined ? {} : { custom }),
    ...(sourceFnStack === undefined ? {} : { sourceFnStack }),
    get stackTrace(): string | undefined {
      return source.stackTrace;
    },
  };
}
