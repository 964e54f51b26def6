/** @file The string metadata of a node, in the order in which PyTorch writes it. */
import { type NodeMeta, pythonJson } from "@sconce/ir";
import type { PythonJson } from "../../json/python-json.js";

const DELIMITER = ";";

const isEmpty = (value: object | undefined): boolean =>
  value === undefined || Object.keys(value).length === 0;

/**
 * The text of annotations, that of the file where it says the same: it has `1.0` where the value is
 * 1.
 */
function customText(custom: object, text: string | undefined): string {
  const written = pythonJson(custom);
  try {
    return text !== undefined && pythonJson(JSON.parse(text)) === written ? text : written;
  } catch {
    return written;
  }
}

/** The texts by key; those that metadata does not parse are among `extra` as the file had them. */
export function metadataJson(meta: NodeMeta): PythonJson {
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
  return written;
}
