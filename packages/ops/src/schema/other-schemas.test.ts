import { expect, test } from "vitest";
import { ALL_OPS, knownSchemaText, knownTargets } from "../families/all.js";
import { ATEN_SCHEMAS } from "./aten-schemas.js";
import { schemaVariants } from "./schema-variants.js";

const written = new Set(
  ALL_OPS.filter(({ schema }) => schema.namespace === "aten").map(({ schemaText }) => schemaText.slice(6)),
);

/** The schemas that neither rows nor variants give, and which variants PyTorch has. */
function encode(schemas: ReadonlySet<string>): { others: string[]; kinds: string } {
  const isVariant = (schema: string): boolean => schemas.has(schema) && !written.has(schema);
  const variants = new Set([...schemas].flatMap(schemaVariants).filter(isVariant));
  const bases = [...schemas].filter((schema) => !variants.has(schema)).sort();
  const all = [...bases];
  let kinds = "";
  for (const schema of all) {
    let chosen = 0;
    schemaVariants(schema).forEach((variant, i) => {
      if (!variants.delete(variant)) return;
      chosen |= 1 << i;
      all.push(variant);
    });
    kinds += chosen.toString(32);
  }
  return { others: bases.filter((schema) => !written.has(schema)), kinds: kinds.replace(/0+$/, "") };
}

/** A string literal with the quotes that need the fewest escapes, as the formatter writes it. */
const literal = (text: string): string => (text.includes('"') ? `'${text}'` : `"${text}"`);

test("other-schemas.ts has what rows and variants do not give; -u writes it", async () => {
  const { others, kinds } = encode(new Set(ATEN_SCHEMAS));
  await expect(
    "/**\n * @file Generated: PyTorch's ATen schemas that neither a row nor a variant of another gives; see\n" +
      " * other-schemas.test.ts.\n */\n" +
      `export const OTHER_SCHEMAS = [\n${others.map((text) => `  ${literal(text)},\n`).join("")}] as const;\n\n` +
      "/** Which variants of each schema PyTorch has, as `allSchemas` reads it. */\n" +
      `export const VARIANT_KINDS =\n  "${kinds}";\n`,
  ).toMatchFileSnapshot("./other-schemas.ts");
});

test("all schemas of PyTorch are known, to the letter, and no others", () => {
  const known = [...knownTargets()].map((target) => knownSchemaText(target));
  expect(known).toEqual(ATEN_SCHEMAS.map((text) => `aten::${text}`));
});
