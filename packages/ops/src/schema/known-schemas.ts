import { isSconceError } from "@sconce/errors";
import type { OpSchema } from "@sconce/ir";
import type { ATEN_SCHEMAS } from "./aten-schemas.js";
import { OTHER_SCHEMAS, VARIANT_KINDS } from "./other-schemas.js";
import { parseSchema } from "./schema.js";
import { allSchemas } from "./schema-variants.js";

/**
 * The schema of an ATen overload, to the letter of PyTorch: `"aten::silu(Tensor self) -> Tensor"`.
 */
export type AtenSchema = `aten::${(typeof ATEN_SCHEMAS)[number]}`;

const NAMESPACE = "aten::";

/**
 * The schemas of all ATen overloads that PyTorch has, whether Sconce has a row for them or not.
 * Those of rows come from the rows, and most others from their schemas: they are not stored twice.
 */
export class KnownSchemas {
  readonly #written: (() => Iterable<string>) | undefined;
  #texts: ReadonlyMap<string, string> | undefined;
  #targets: readonly string[] | undefined;
  readonly #parsed = new Map<string, OpSchema | undefined>();

  /** @param written gives the schemas of all rows, on first use; nothing is known without them */
  constructor(written?: () => Iterable<string>) {
    this.#written = written;
  }

  /**
   * Returns the schema of a target; undefined for what PyTorch does not have, and for the few with
   * types that no program holds (`QScheme`, `Dict(Tensor, Tensor)`).
   */
  schema(target: string): OpSchema | undefined {
    if (!this.#parsed.has(target)) {
      const text = this.text(target);
      this.#parsed.set(target, text === undefined ? undefined : parsedOrNothing(text));
    }
    return this.#parsed.get(target);
  }

  /** As {@link schema}, unparsed. */
  text(target: string): string | undefined {
    return target.startsWith("aten.") ? this.#index().get(target) : undefined;
  }

  /** Targets of every ATen overload that PyTorch has, in the order of their schemas. */
  targets(): Iterable<string> {
    this.#targets ??= [...this.#index()].sort(([, a], [, b]) => (a < b ? -1 : 1)).map(([target]) => target);
    return this.#targets;
  }

  #index(): ReadonlyMap<string, string> {
    if (this.#texts !== undefined) return this.#texts;
    const texts = new Map<string, string>();
    for (const text of this.#written === undefined ? [] : schemasWith(this.#written())) {
      const name = text.slice(0, text.indexOf("("));
      texts.set(name.includes(".") ? `aten.${name}` : `aten.${name}.default`, NAMESPACE + text);
    }
    this.#texts = texts;
    return texts;
  }
}

function schemasWith(written: Iterable<string>): readonly string[] {
  const rows = [...written].filter((text) => text.startsWith(NAMESPACE));
  return allSchemas([...OTHER_SCHEMAS, ...rows.map((text) => text.slice(NAMESPACE.length))], VARIANT_KINDS);
}

function parsedOrNothing(text: string): OpSchema | undefined {
  try {
    return parseSchema(text);
  } catch (error) {
    if (isSconceError(error) && error.code === "SCHEMA_SYNTAX") return undefined;
    throw error;
  }
}
