/** @file Errors as plain values, for `JSON.stringify`. */
import type { ErrorEdit } from "./suggest.js";
import { thrownText } from "./thrown.js";

/** A `SconceError` as JSON holds it. */
export interface SconceErrorJson extends CauseJson {
  /** The stable name of the kind of failure. */
  readonly code: string;
  /** Where it failed. */
  readonly where?: string;
  /** What to do about it. */
  readonly fix?: string;
  /** The section of the documentation that explains the code. */
  readonly docs: string;
  /** Changes that a tool can apply. */
  readonly edits?: readonly ErrorEdit[];
}

/** What was thrown first, as JSON holds it: any error, or a value that is not one. */
export interface CauseJson {
  /** The name of the class of errors; `thrown` for a value that is not an error. */
  readonly name: string;
  /** What is wrong; the text of a value that is not an error. */
  readonly message: string;
  /**
   * What the error was made of; a text in its place marks one that is listed already (`circular`),
   * or causes that go on (`more causes`).
   */
  readonly cause?: CauseJson | SconceErrorJson | "circular" | "more causes";
}

/** Causes are listed up to here. */
const MOST_CAUSES = 32;
const PARTS = ["code", "where", "fix", "docs"] as const;

/** Returns the parts of an error and those of its causes. */
export const errorJson = (error: Error): SconceErrorJson => partsOf(error, new Set()) as SconceErrorJson;

function partsOf(thrown: unknown, seen: Set<unknown>): NonNullable<CauseJson["cause"]> {
  if (seen.has(thrown)) return "circular";
  if (seen.size > MOST_CAUSES) return "more causes";
  seen.add(thrown);
  const message = thrownText(thrown);
  if (!(thrown instanceof Error)) return { name: "thrown", message };
  const found = PARTS.flatMap((part) => {
    const value = read(thrown, part);
    return typeof value === "string" ? [[part, value] as const] : [];
  });
  const [name, cause, edits] = [read(thrown, "name"), read(thrown, "cause"), read(thrown, "edits")];
  return {
    name: typeof name === "string" ? name : "Error",
    message,
    ...Object.fromEntries(found),
    ...(Array.isArray(edits) && { edits: edits as readonly ErrorEdit[] }),
    ...(cause !== undefined && { cause: partsOf(cause, seen) }),
  };
}

/** Returns a part of anything that was thrown: reading it may throw. */
function read(error: Error, part: string): unknown {
  try {
    return (error as unknown as Readonly<Record<string, unknown>>)[part];
  } catch {
    return undefined;
  }
}
