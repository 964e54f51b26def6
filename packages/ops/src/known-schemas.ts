import type { OpSchema } from "@sconce/ir";
import { ATEN_SCHEMAS } from "./aten-schemas.js";
import { parseSchema } from "./schema.js";

let lines: Map<string, string> | undefined;
/** Types that no value of a graph has; the few overloads with them are known by name only. */
const HOST_TYPES = /Dict\(|QScheme|__torch__/;
const parsed = new Map<string, OpSchema | undefined>();

/** The schema of any ATen overload that PyTorch has, whether Sconce has a row for it or not. */
export function knownSchema(target: string): OpSchema | undefined {
  if (!parsed.has(target)) {
    const text = knownSchemaText(target);
    parsed.set(target, text === undefined || HOST_TYPES.test(text) ? undefined : parseSchema(text));
  }
  return parsed.get(target);
}

/** As {@link knownSchema}, unparsed. */
export function knownSchemaText(target: string): string | undefined {
  if (!target.startsWith("aten.")) return undefined;
  lines ??= index();
  const text = lines.get(target);
  return text === undefined ? undefined : `aten::${text}`;
}

/** Every ATen overload that PyTorch has. */
export function knownTargets(): Iterable<string> {
  lines ??= index();
  return lines.keys();
}

function index(): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of ATEN_SCHEMAS.split("\n")) {
    const name = line.slice(0, line.indexOf("("));
    if (name !== "") found.set(name.includes(".") ? `aten.${name}` : `aten.${name}.default`, line);
  }
  return found;
}
