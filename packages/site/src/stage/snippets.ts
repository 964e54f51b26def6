/**
 * @file TypeScript of pages for twoslash: it checks the types of each block at the build, and shows
 * them to the reader. A block sees the blocks before it, as in the tests of the documentation.
 */

/** Fenced blocks; the reader puts those behind a file name into files. */
const BLOCK = /(^`[\w./-]+`:\n\n)?^```ts\n([\s\S]*?)^```$/gm;
const IMPORT = /^import \{([^}]*)\} from ("[^"]+");\n/gm;

const namesOf = (list: string): string[] =>
  list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** What the blocks of a page have imported: the module of each name. */
type Imports = Map<string, string>;

function importsOf(code: string): Imports {
  const imports: Imports = new Map();
  for (const [, list, from] of code.matchAll(IMPORT))
    for (const name of namesOf(list!)) imports.set(name, from!);
  return imports;
}

const plain = (name: string): string => name.replace(/^type /, "");

/** Returns a page whose `ts` blocks twoslash reads. Pages with tests of vitest stay as they are. */
export function withTypes(text: string): string {
  if (/^import .* from "vitest";$/m.test(text)) return text;
  const earlier: Imports = new Map();
  let bodies = "";
  return text.replace(BLOCK, (whole, file: string | undefined, code: string) => {
    if (file !== undefined) return whole;
    const own = importsOf(code);
    const names = new Set([...own.keys()].map(plain));
    const hidden = [...earlier]
      .filter(([name]) => !names.has(plain(name)))
      .map(([name, from]) => `import { ${name} } from ${from};\n`);
    const before = [...hidden, bodies].join("");
    for (const [name, from] of own) earlier.set(name, from);
    bodies += code.replace(IMPORT, "");
    return `\`\`\`ts twoslash\n${before === "" ? "" : `${before}// ---cut---\n`}${code}\`\`\``;
  });
}
