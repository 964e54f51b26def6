import { isSconceError } from "@sconce/errors";
import type { OpSchema } from "@sconce/ir";
import { ATEN_SCHEMAS } from "./aten-schemas.js";
import { parseSchema } from "./schema.js";

/**
 * The schema of an ATen overload, to the letter of PyTorch: `"aten::silu(Tensor self) -> Tensor"`.
 */
export type AtenSchema = `aten::${(typeof ATEN_SCHEMAS)[number]}`;

let lines: Map<string, string> | undefined;
const parsed = new Map<string, OpSchema | undefined>();

/**
 * The schema of any ATen overload that PyTorch has, whether Sconce has a row for it or not;
 * undefined also for the few with types that no program holds (`QScheme`, `Dict(Tensor, Tensor)`).
 */
export function knownSchema(target: string): OpSchema | undefined {
  if (!parsed.has(target)) {
    const text = knownSchemaText(target);
    parsed.set(target, text === undefined ? undefined : parsedOrNothing(text));
  }
  return parsed.get(target);
}

function parsedOrNothing(text: string): OpSchema | undefined {
  try {
    return parseSchema(text);
  } catch (error) {
    if (isSconceError(error) && error.code === "SCHEMA_SYNTAX") return undefined;
    throw error;
  }
}

/** As {@link knownSchema}, unparsed. */
export function knownSchemaText(target: string): string | undefined {
  if (!target.startsWith("aten.")) return undefined;
  lines ??= index();
  const text = lines.get(target);
  return text === undefined ? undefined : `aten::${text}`;
}

/** Targets of every ATen overload that PyTorch has. */
export function knownTargets(): Iterable<string> {
  lines ??= index();
  return lines.keys();
}

function index(): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of ATEN_SCHEMAS) {
    const name = line.slice(0, line.indexOf("("));
    found.set(name.includes(".") ? `aten.${name}` : `aten.${name}.default`, line);
  }
  return found;
}
