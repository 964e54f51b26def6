/** @file The string metadata of a node, in the order in which PyTorch writes it. */
import type { SconceError } from "@sconce/errors";
import { type NodeMeta, pythonJson } from "@sconce/ir";
import { notSavable } from "../../errors.js";
import type { PythonJson } from "../../json/python-json.js";

const DELIMITER = ";";

const isEmpty = (value: object | undefined): boolean =>
  value === undefined || Object.keys(value).length === 0;

/**
 * Returns the text of annotations, that of the file where it says the same: it has `1.0` where the
 * value is 1.
 */
function customText(custom: object, text: string | undefined): string {
  const written = pythonJson(custom);
  try {
    return text !== undefined && pythonJson(JSON.parse(text)) === written ? text : written;
  } catch {
    return written;
  }
}

/** Python's JSON has NaN and infinities. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/\b(NaN|Infinity)\b/g, "0"));
    return true;
  } catch {
    return false;
  }
}

/** Texts by their keys that PyTorch parses when it loads the file, and fails for others. */
const PARSED: Readonly<Record<string, (meta: NodeMeta, text: string) => boolean>> = {
  custom: (_, text) => isJson(text),
  from_node: (_, text) => isJson(text),
  nn_module_stack: ({ nnModuleStack }) => nnModuleStack !== undefined,
  source_fn_stack: ({ sourceFnStack }) => sourceFnStack !== undefined,
};

const unread = (key: string, text: string, where: string): SconceError =>
  notSavable(
    `PyTorch cannot read the note ${JSON.stringify(key)}: ${JSON.stringify(text.slice(0, 60))}`,
    where,
    "write the note as PyTorch does, or leave it out",
  );

/**
 * Returns the notes of a program, of which PyTorch parses one. @throws SconceError `NOT_SAVABLE`
 */
export function programNotes(notes: Readonly<Record<string, string>>): PythonJson {
  const { custom = "" } = notes;
  if (custom !== "" && !isJson(custom)) throw unread("custom", custom, "the program");
  return new Map(Object.entries(notes));
}

/** @throws SconceError `NOT_SAVABLE` */
function requireParsed(meta: NodeMeta, texts: ReadonlyMap<string, PythonJson>, where: string): void {
  for (const [key, isParsed] of Object.entries(PARSED)) {
    const text = texts.get(key);
    if (typeof text === "string" && text !== "" && !isParsed(meta, text)) throw unread(key, text, where);
  }
}

/**
 * Returns the texts by key; those that metadata does not parse are among `extra` as the file had
 * them.
 */
export function metadataJson(meta: NodeMeta, where: string): PythonJson {
  const { stackTrace, nnModuleStack, sourceFnStack, torchFn, custom, extra = {} } = meta;
  const lists = (list: readonly (readonly string[])[] | undefined): string | undefined =>
    list?.map((entry) => entry.join(",")).join(DELIMITER);
  const texts: readonly (readonly [string, string | undefined])[] = [
    ["stack_trace", stackTrace],
    ["nn_module_stack", lists(nnModuleStack)],
    ["source_fn_stack", lists(sourceFnStack)],
    ["torch_fn", torchFn?.join(DELIMITER)],
    ["custom", isEmpty(custom) ? undefined : customText(custom!, extra["custom"])],
  ];
  const written = new Map<string, PythonJson>();
  for (const [key, text] of texts) {
    const value = text ?? extra[key];
    if (value !== undefined && value !== "") written.set(key, value);
  }
  for (const [key, text] of Object.entries(extra)) if (!written.has(key)) written.set(key, text);
  requireParsed(meta, written, where);
  return written;
}
