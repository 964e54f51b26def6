/** @file A page for each family of operators: schema, lowering, and backend support of each. */

import { jsonOutput } from "../support/command.js";
import { REPOSITORY } from "../support/paths.js";

interface OperatorInfo {
  readonly target: string;
  readonly schema: string;
  readonly tags: readonly string[];
  readonly decomposition: "none" | "default" | "on request";
  readonly backends: Readonly<Record<string, string>>;
}

interface Family {
  readonly title: string;
  /** The name of its file in `packages/ops/src/families`. */
  readonly name: string;
  /** Names of operators as `docs/reference/operators.md` has them. */
  readonly operators: readonly string[];
}

/** `relu`, `add.Tensor`: without the namespace of ATen and the overload `default`. */
const shortened = (target: string): string => target.replace(/^aten\./, "").replace(/\.default$/, "");

/** Returns the families of the page that lists all operators. */
function familiesOf(page: string): Family[] {
  return page.split(/^(?=### )/m).flatMap((part) => {
    const title = /^### (.*)$/m.exec(part)?.[1];
    const name = /\[`families\/([\w-]+)\.ts`\]/.exec(part)?.[1];
    if (title === undefined || name === undefined) return [];
    const lists = [...part.matchAll(/^- [\w ]+: (.*)$/gm)].map(([, list]) => list!).join(" ");
    return [{ title, name, operators: [...lists.matchAll(/`([^`]+)`/g)].map(([, one]) => one!) }];
  });
}

/** Returns what one call of each operator becomes: rows of `docs/reference/lowerings.md`. */
function loweringsOf(page: string): Map<string, { readonly call: string; readonly result: string }> {
  const rows = page.matchAll(/^\| `((?:\w+\.)*\w+)(\(.*?)` \| (.*) \|$/gm);
  return new Map(
    [...rows].map(([, name, rest, result]) => [name!, { call: `${name}${rest}`, result: result! }]),
  );
}

const LOWERING: Readonly<Record<OperatorInfo["decomposition"], string>> = {
  none: "stays",
  default: "becomes other operators",
  "on request": "stays; a table that names it decomposes it",
};

const SUPPORT: Readonly<Record<string, string>> = {
  kernel: "a kernel",
  loops: "generated kernels",
  decomposition: "by its decomposition",
  view: "a view, without a copy",
  "shape rule": "by its shape rule alone",
  sizes: "computes sizes",
  "on the host": "runs on the interpreter",
};

const NAMES: Readonly<Record<string, string>> = {
  cpu: "interpreter (`cpu`)",
  wasm: "WebAssembly (`wasm`)",
  gpujs: "gpu.js (`gpujs`)",
};

function operatorSection(
  { target, schema, tags, decomposition, backends }: OperatorInfo,
  lowering: { readonly call: string; readonly result: string } | undefined,
): string[] {
  return [
    `## ${shortened(target).replaceAll("_", "\\_")}`,
    "",
    "```text",
    schema,
    "```",
    "",
    "| | |",
    "| --- | --- |",
    `| target | \`${target}\` |`,
    `| tags | ${tags.map((tag) => `\`${tag}\``).join(", ") || "none"} |`,
    `| default lowering | ${LOWERING[decomposition]} |`,
    ...(lowering === undefined ? [] : [`| \`${lowering.call}\` | ${lowering.result} |`]),
    ...Object.entries(backends).map(
      ([backend, way]) => `| ${NAMES[backend] ?? backend} | ${SUPPORT[way] ?? way} |`,
    ),
    "",
  ];
}

/** Returns the pages of the families, and their index, by their places. */
export async function operatorPages(pages: {
  readonly operators: string;
  readonly lowerings: string;
}): Promise<Map<string, string>> {
  const all = await jsonOutput<OperatorInfo[]>("ops");
  // Observers are part of the passes of quantization, and no row of a family.
  const operators = all.filter(({ target }) => !target.startsWith("quantization."));
  const byName = new Map(operators.map((one) => [shortened(one.target), one]));
  const lowerings = loweringsOf(pages.lowerings);
  const families = familiesOf(pages.operators);
  const found = families.map(({ title, name, operators: names }) => {
    const own = names.map((one) => byName.get(one)).filter((one) => one !== undefined);
    const text = [
      "---",
      "outline: 2",
      "---",
      "",
      `# Operators: ${title.toLowerCase().replace("fft", "FFT")}`,
      "",
      `${own.length} operators. Their rows are in [\`families/${name}.ts\`](${REPOSITORY}/blob/main/packages/ops/src/families/${name}.ts).`,
      "[All operators](index.md) has the other families.",
      "",
      ...own.flatMap((one) => operatorSection(one, lowerings.get(shortened(one.target)))),
    ];
    return { place: `operators/${name}.md`, title, own, text: text.join("\n") };
  });
  const listed = new Set(found.flatMap(({ own }) => own));
  const missing = operators.filter((one) => !listed.has(one)).map(({ target }) => target);
  if (missing.length > 0) throw new Error(`operators without a page: ${missing.join(" ")}`);
  return new Map([
    ["operators/index.md", indexPage(found)],
    ...found.map(({ place, text }): [string, string] => [place, text]),
  ]);
}

function indexPage(
  families: readonly {
    readonly place: string;
    readonly title: string;
    readonly own: readonly OperatorInfo[];
  }[],
): string {
  const count = families.reduce((sum, { own }) => sum + own.length, 0);
  const rows = families.map(({ place, title, own }) => {
    const link = place.replace("operators/", "");
    const names = own.map((one) => {
      const name = shortened(one.target);
      return `[\`${name}\`](${link}#${name.toLowerCase().replace(/[^\w -]/g, "")})`;
    });
    return `## ${title}\n\n${names.join(" ")}\n`;
  });
  return [
    "---",
    "outline: 2",
    "---",
    "",
    "# Operators",
    "",
    `This page lists ${count} operators by family. The page of each family has schemas, what the default`,
    "lowering makes of a call, and how each backend runs it. In-place and `out=` overloads follow from the",
    "functional ones. [Operators and backend support](../reference/operators.md) has totals.",
    "",
    ...rows,
  ].join("\n");
}
