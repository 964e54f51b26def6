import { expect, test } from "vitest";
import { ALL_OPS } from "../families/all.js";

/** A string literal with the quotes that need the fewest escapes, as the formatter writes it. */
const literal = (text: string): string => (text.includes('"') ? `'${text}'` : `"${text}"`);

test("core-schemas.ts has the rows tagged core; -u writes it", async () => {
  const core = ALL_OPS.filter(({ tags }) => tags.includes("core")).map(({ schemaText }) => schemaText);
  const lines = core.sort().map((schema) => `  ${literal(schema)},\n`);
  await expect(
    "/** @file Generated schemas of core ATen, the rows tagged `core`; see core-schemas.test.ts. */\n" +
      `export const CORE_SCHEMAS = [\n${lines.join("")}] as const;\n\n` +
      "/** The schema of a core ATen operator. */\n" +
      "export type CoreSchema = (typeof CORE_SCHEMAS)[number];\n",
  ).toMatchFileSnapshot("./core-schemas.ts");
});
