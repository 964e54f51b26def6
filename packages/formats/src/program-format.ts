/**
 * @file The format of a program file. The content decides; the name says which format a file with
 * another content should have.
 */
import { isSconceError, type SconceError } from "@sconce/errors";
import { namedAsText, notText } from "./errors.js";

/** The formats of program files. What is not text may be an archive. */
export type ProgramFormat = "pt2" | "sir" | "reproducer" | "json-ir";

const IR_TEXT = /^(?:\s|\/\/[^\n]*(?:\n|$))*(?:sconce-ir\b|program\s*"|symbol\s+\w)/;
const REPRODUCER = /^(?:\s|\/\/[^\n]*(?:\n|$))*sconce-reproducer\b/;
const JSON_IR =
  /^\s*\{\s*"(?:model_name|pytorch_version|graph_inputs|graph_outputs|weights|weight_name_mapping|nodes|constants|format": "sconce-json)"/;
const ZIP = "PK";

/** The formats of text: the ends of their names, and how to write them. */
const NAMED = [
  {
    end: /\.s?ir$/i,
    title: "IR text",
    fix: 'IR text begins with the line "sconce-ir 1" and a block "program": write it with `sconce print FILE --format ir`',
  },
  {
    end: /\.json$/i,
    title: "JSON IR",
    fix: "write JSON IR with `sconce ir FILE -o OUT.json`",
  },
] as const;

/** Returns a format of text by the name of a file. */
const namedText = (name: string): (typeof NAMED)[number] | undefined =>
  NAMED.find(({ end }) => end.test(name));

/**
 * Returns the format of a program file, by its first bytes and its name.
 *
 * @param start the first `START_BYTES` bytes of `./other-format`
 * @param size bytes of the file
 * @throws SconceError `OTHER_FORMAT` for a file with the name of IR text (`.sir`, `.ir`) or of JSON
 * IR (`.json`) that holds neither a program as text nor a zip archive
 */
export async function programFormat(
  start: Uint8Array,
  name: string,
  size: number = start.length,
): Promise<ProgramFormat> {
  const text = new TextDecoder().decode(start);
  if (IR_TEXT.test(text)) return "sir";
  if (REPRODUCER.test(text)) return "reproducer";
  if (JSON_IR.test(text)) return "json-ir";
  const named = namedText(name);
  if (named === undefined || text.startsWith(ZIP)) return "pt2";
  // Pages that read programs do not need the table of formats.
  const { otherFormat } = await import("./other-format.js");
  throw notText(named, otherFormat(start, size), firstLine(text));
}

const firstLine = (text: string): string => text.trimStart().split("\n", 1)[0]!.trimEnd();

/** Adds to an error of the archive reader that the name of the file is one of text. */
export function withNamedFormat(error: unknown, name: string): unknown {
  const named = namedText(name);
  return named === undefined || !isUnreadable(error) ? error : namedAsText(named, error);
}

/** Returns whether an error says that a file is not an archive with a program. */
const isUnreadable = (error: unknown): error is SconceError =>
  isSconceError(error) && ["OTHER_FORMAT", "ZIP_END_MISSING", "PT2_ROOT", "PT2_FORMAT"].includes(error.code);
