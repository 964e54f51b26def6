/** @file All recipes. */
import { partsOf, zipOf } from "../support/zip-parts.js";
import { changedEntry, entryRecipes, jsonRecipes, textRecipes, zipRecipes } from "./changes.js";
import { golden } from "./golden-inputs.js";
import { HISTORY_ROWS } from "./history-rows.js";
import { IR_TEXT_ROWS } from "./ir-text-rows.js";
import { JSON_IR_ROWS } from "./json-ir-rows.js";
import { MODEL_ROWS } from "./model-rows.js";
import { PICKLE_ROWS } from "./pickle-rows.js";
import { FORMATS, type Recipe } from "./recipe.js";
import { SAFETENSORS_BYTE_ROWS, safetensorsRecipes } from "./safetensors-rows.js";
import { HISTORY_TEXT_ROWS, JSON_IR_TEXT_ROWS } from "./syntax-rows.js";
import { SAFETENSORS_ROWS, WEIGHT_ROWS } from "./weight-rows.js";
import { ZIP_ROWS } from "./zip-rows.js";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

/** Sample inputs with another pickle. */
const pickled = (pickle: string): Uint8Array =>
  changedEntry("sample_inputs/model.pt", (file) => {
    const parts = partsOf(file);
    const entry = parts.entries.find(({ name }) => Buffer.from(name).toString().endsWith("data.pkl"))!;
    entry.data = latin1(pickle);
    return zipOf(parts);
  });

const PICKLES: readonly Recipe[] = PICKLE_ROWS.map(([name, pickle, code, where]) => ({
  format: "archive",
  name: `sample inputs: ${name}`,
  make: () => pickled(pickle),
  code,
  where,
}));

/** Every recipe, by format. */
export const RECIPES: readonly Recipe[] = [
  ...zipRecipes(ZIP_ROWS),
  ...entryRecipes("models/model.json", MODEL_ROWS),
  ...entryRecipes("model_weights_config.json", WEIGHT_ROWS),
  ...PICKLES,
  ...safetensorsRecipes(golden(FORMATS.safetensors), SAFETENSORS_ROWS, SAFETENSORS_BYTE_ROWS),
  ...textRecipes("IR text", IR_TEXT_ROWS),
  ...jsonRecipes("JSON IR", JSON_IR_ROWS),
  ...textRecipes("JSON IR", JSON_IR_TEXT_ROWS),
  ...jsonRecipes("history JSON", HISTORY_ROWS),
  ...textRecipes("history JSON", HISTORY_TEXT_ROWS),
];
