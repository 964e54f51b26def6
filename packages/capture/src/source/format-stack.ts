/** @file Stacks as PyTorch writes them: the frames of the user's code, innermost last. */
import type { NodeMeta } from "@sconce/ir";
import { COPY } from "../this-copy.js";
import type { RawStack } from "./raw-stack.js";
import { originalFrame, sourceLineOf } from "./source-files.js";
import { frameOf, type StackFrame } from "./stack-frames.js";

/** Packages whose functions lie between the user's line and the captured stack. */
const OWN_PACKAGES = "errors|tensor|symbolic|ir|ops|passes|backend-cpu|capture|session|sconce";
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

const isOwn = ({ file }: StackFrame): boolean =>
  INSTALLED.test(file) || (ownFiles().test(file) && !TEST_FILE.test(file));

/** `exportProgram` and what it consists of: its callers are not part of the model. */
const ENTRY = /[\\/]capture[\\/](?:src|dist)[\\/]export[\\/]/;

/** A line of an engine's stack, looked at once: programs repeat the same lines in most stacks. */
interface KnownLine {
  /** Whether `exportProgram` stands there. */
  readonly isEntry: boolean;
  /** The frame as text; undefined for a frame that is not the user's. */
  readonly text: string | undefined;
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
  if (frame === undefined) return { isEntry: false, text: undefined };
  if (isOwn(frame)) return { isEntry: ENTRY.test(frame.file), text: undefined };
  // Bundled code is known by its sources.
  const source = originalFrame(frame);
  return isOwn(source)
    ? { isEntry: ENTRY.test(source.file), text: undefined }
    : { isEntry: false, text: frameText(source) };
}

/** The user's frames within the exported function, outermost first. */
function userFrames(stack: string): string[] {
  const frames: string[] = [];
  for (const line of stack.split("\n")) {
    const { isEntry, text } = knownLine(line);
    if (isEntry) break;
    if (text !== undefined) frames.push(text);
  }
  return frames.reverse();
}

/**
 * Returns a stack in PyTorch's form, outermost frame first; undefined where no frame is the user's.
 *
 *     File "/models/net.ts", line 12, in forward
 *       return this.fc(x).relu();
 */
export function formatStack(raw: RawStack): string | undefined {
  if (raw.error === undefined) return raw.text;
  const frames = userFrames(raw.error.stack ?? "");
  raw.text = frames.length > 0 ? frames.join("\n  ") : outerText(raw);
  // The frames keep the functions and receivers of their calls alive.
  raw.error = undefined;
  return raw.text;
}

const outerText = ({ outer }: RawStack): string | undefined =>
  outer === undefined ? undefined : formatStack(outer);

const frameText = (frame: StackFrame): string =>
  `File "${frame.file}", line ${frame.line}, in ${frame.function ?? "<anonymous>"}\n    ${sourceLineOf(frame) || "<no source>"}`;

/**
 * Returns metadata whose `stackTrace` is formatted when somebody reads it, and then kept. Copies by
 * `{ ...meta }` format it.
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
