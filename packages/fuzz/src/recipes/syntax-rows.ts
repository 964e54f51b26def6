/** @file Changes of the characters of JSON files. */
import type { TextRow } from "./changes.js";

/** Faults that any JSON can have, in JSON IR. */
export const JSON_IR_TEXT_ROWS: readonly TextRow[] = [
  ["^", "\ufeff", "JSON_ENCODING", "JSON IR"],
  ["^", "// a comment\n", "JSON_SYNTAX", "JSON IR, character 0"],
  ["^", "[", "JSON_SYNTAX", "JSON IR, character 2552"],
  ["^", "[".repeat(5000), "JSON_DEPTH", "JSON IR, character 1000"],
  ["$", "{}", "JSON_SYNTAX", "JSON IR, character 2551"],
  ["$", "\u0000", "JSON_SYNTAX", "JSON IR, character 2551"],
  ['"graph_inputs"', '"nodes": [], "graph_inputs"', "JSON_DUPLICATE_KEY", "JSON IR, character 0"],
  ['"graph_inputs"', "graph_inputs", "JSON_SYNTAX", "JSON IR, character 29"],
  ['"graph_inputs"', "'graph_inputs'", "JSON_SYNTAX", "JSON IR, character 29"],
  ['"graph_inputs": [', '"graph_inputs": [,', "JSON_SYNTAX", "JSON IR, character 46"],
  ['"graph_inputs": [', '"graph_inputs": [1e999,', "JSON_IR_TYPE", "JSON IR graph_inputs[0]"],
  ['"graph_inputs": [', `"graph_inputs": [${"9".repeat(5000)},`, "JSON_SYNTAX", "JSON IR, character 5046"],
  ['"graph_inputs": [', '"graph_inputs": [01,', "JSON_SYNTAX", "JSON IR, character 47"],
  ['"graph_inputs": [', '"graph_inputs": [+1,', "JSON_SYNTAX", "JSON IR, character 46"],
  ['"name": "x"', '"name": "\\ud800"', "JSON_SYNTAX", "JSON IR, character 60"],
  ['"name": "x"', '"name": "\\x"', "JSON_SYNTAX", "JSON IR, character 60"],
  ['"name": "x"', '"name": "\n"', "JSON_SYNTAX", "JSON IR, character 61"],
  ['"name": "x"', '"name": "x', "JSON_SYNTAX", "JSON IR, character 65"],
  ['"name": "x"', '"name" "x"', "JSON_SYNTAX", "JSON IR, character 59"],
];

/** The same in history JSON. */
export const HISTORY_TEXT_ROWS: readonly TextRow[] = [
  ["^", "[".repeat(2000), "HISTORY_FORMAT", "character 1600"],
  ["$", "{}", "HISTORY_FORMAT", "character 10241"],
  ['"version":1', '"version":2', "FORMAT_VERSION", "version"],
  ['"version":1', '"version":1,"minor":-1', "HISTORY_FORMAT", "minor"],
  ['"version":1', '"version":01', "HISTORY_FORMAT", "character 38"],
  ['"steps":', "'steps':", "HISTORY_FORMAT", "character 39"],
  ['"steps":[', '"steps":[1,', "HISTORY_FORMAT", "steps[0]"],
];
