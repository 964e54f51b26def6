/**
 * @file The text of `docs/reference/exportdb.md`: the examples of `src/exportdb`, which a test
 * exports, beside what PyTorch gives for its examples.
 */

/** What PyTorch's ExportDB says of an example, and what its export gives. */
export interface RecordedExample {
  readonly support: string;
  readonly tags: readonly string[];
  /** The program, without comments; undefined where PyTorch refuses the example. */
  readonly program?: string;
}

/** An example of the catalog: a part of a file. */
export interface CatalogExample {
  readonly name: string;
  /** The file of the folder `exportdb` that has it. */
  readonly file: string;
  /** The code of the error; undefined for an example that is exported. */
  readonly code: string | undefined;
  /** The construct that strict mode refuses in it; undefined for other examples. */
  readonly construct: string | undefined;
  readonly description: string;
  readonly source: string;
  /** How to write a refused example. */
  readonly rewrite: string | undefined;
}

/** Examples of PyTorch's that have no counterpart, and why. */
export const WITHOUT_COUNTERPART: Readonly<Record<string, string>> = {
  assume_constant_result:
    "It is a decorator of TorchDynamo for code that it cannot trace. Compute such values before the export, and pass them.",
  autograd_function:
    "It defines a backward pass. Sconce records no gradients: write the forward pass as a function.",
};

const PART =
  /^\/\/ (?:example|refused): (\w+)(?: ([A-Z_]+)(?: ([a-z-]+))?)?\n((?:\/\/ .*\n)+)([\s\S]*?)(?=^\/\/ (?:example|refused|end)\b)/gm;

/** Files of the folder `exportdb` with examples that are refused, in the order of the page. */
export const REFUSED_FILES = [
  "refused-sizes.fixture.ts",
  "refused.fixture.ts",
  "refused-library.fixture.ts",
  "refused-strict.fixture.ts",
];

/** Returns the examples in the text of a file, in order. */
export const examplesOf = (file: string, text: string): CatalogExample[] =>
  [...text.matchAll(PART)].map(([, name, code, construct, comment, body]) => {
    const [source, rewrite] = body!.split("\n// rewrite\n") as [string, string?];
    const description = comment!.replace(/^\/\/ /gm, "").trim();
    return {
      name: name!,
      file,
      code,
      construct,
      description,
      source: source.trim(),
      rewrite: rewrite?.trim(),
    };
  });

const quoted = (file: string, text: string): string =>
  `\`\`\`ts from packages/conformance/src/exportdb/${file}\n${text}\n\`\`\``;

/** Returns the body of `forward` and of nested graphs, without classes around them. */
const graphOf = (program: string): string =>
  program
    .slice(program.indexOf("        def forward"), program.indexOf("\nGraph signature:"))
    .split("\n")
    .map((line) => line.replace(/^ {8}/, ""))
    .filter((line) => line.trim() !== "")
    .join("\n");

const tagText = (tags: readonly string[]): string =>
  tags.length === 0 ? "none" : tags.map((tag) => `\`${tag}\``).join(", ");

function supportedSection(example: CatalogExample, recorded: RecordedExample): string[] {
  return [
    `### ${example.name}`,
    "",
    example.description,
    "",
    `Tags: ${tagText(recorded.tags)}.`,
    "",
    quoted(example.file, example.source),
    "",
    "```python",
    graphOf(recorded.program!),
    "```",
    "",
  ];
}

function refusedSection(example: CatalogExample, recorded: RecordedExample | undefined): string[] {
  const { name, file, code, construct, description, source, rewrite } = example;
  return [
    `### ${name}`,
    "",
    description,
    "",
    `Error: [\`${code}\`](errors.md#${code!.toLowerCase()})${construct === undefined ? "" : `, \`${construct}\``}.`,
    ...(recorded === undefined ? [] : [`Tags: ${tagText(recorded.tags)}.`]),
    "",
    quoted(file, source),
    "",
    "Instead:",
    "",
    quoted(file, rewrite!),
    "",
  ];
}

function tagTable(
  examples: readonly CatalogExample[],
  recorded: Readonly<Record<string, RecordedExample>>,
): string[] {
  const byTag = new Map<string, string[]>();
  for (const { name } of examples)
    for (const tag of recorded[name]?.tags ?? []) byTag.set(tag, [...(byTag.get(tag) ?? []), name]);
  const rows = [...byTag].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    "| tag | examples |",
    "| --- | --- |",
    ...rows.map(
      ([tag, names]) => `| \`${tag}\` | ${names.map((name) => `[${name}](#${name})`).join(", ")} |`,
    ),
    "",
  ];
}

/** Returns the page; the same examples give the same text. */
export function catalogPage(
  supported: readonly CatalogExample[],
  refused: readonly CatalogExample[],
  recorded: Readonly<Record<string, RecordedExample>>,
): string {
  return [
    "# Catalog of exports",
    "",
    "<!-- Written by `npm run docs` from packages/conformance/src/exportdb; a test exports each example. -->",
    "",
    "This page lists what a model may do while it is exported, what is refused, and how to write it",
    "instead. The supported examples are those of PyTorch's ExportDB, in TypeScript. A test exports",
    "each, and compares the program with PyTorch's. The errors of exports link here.",
    "",
    "```ts",
    'import { createSconce, Dim, edit, exportProgram, guard, library, nn, pytree, sym, torch, unflatten } from "sconce";',
    "```",
    "",
    ...tagTable([...supported, ...refused], recorded),
    "## Supported",
    "",
    ...supported.flatMap((example) => supportedSection(example, recorded[example.name]!)),
    "## Not supported",
    "",
    ...refused.flatMap((example) => refusedSection(example, recorded[example.name])),
    "## Without a counterpart",
    "",
    "These examples of PyTorch's make no sense in TypeScript:",
    "",
    "| example | reason |",
    "| --- | --- |",
    ...Object.entries(WITHOUT_COUNTERPART).map(([name, reason]) => `| \`${name}\` | ${reason} |`),
    "",
  ].join("\n");
}
