/** @file The text of `docs/reference/operators.md`, from the rows. */
import { knownTargets, type OpDefinition } from "@sconce/ops";
import { isAlwaysDecomposed } from "@sconce/passes";
import type { Sconce } from "@sconce/session";
import type { Family } from "./families.js";

/** What the page is made from. */
export interface OperatorPageParts {
  readonly sconce: Sconce;
  readonly families: readonly Family[];
  /** Targets whose random numbers are compared with PyTorch's (`fixtures/random/draws.json.gz`). */
  readonly drawn: ReadonlySet<string>;
}

type Kind = "core" | "kept" | "decomposed" | "on request";
const KINDS: readonly Kind[] = ["core", "kept", "decomposed", "on request"];

/** Returns the page; the same rows give the same text. */
export function operatorPage({ sconce, families, drawn }: OperatorPageParts): string {
  const rows = new Map([...sconce.operators].map((row) => [row.target, row] as const));
  const page = new Page(sconce, rows);
  return [
    "# Operators",
    "",
    "<!-- Written by `npm run docs` from the rows in packages/ops; a test compares. -->",
    "",
    ...page.head(),
    "",
    "## Core ATen",
    "",
    "PyTorch tags these operators `core`. The default lowering keeps nearly all of them;",
    "[lowerings](lowerings.md) shows what it makes of the others.",
    "",
    ...page.core(families),
    "",
    "## Random operators",
    "",
    ...page.random(drawn),
    "",
    "## All, by family",
    "",
    "A family is a file of `packages/ops/src/families`. Its kernels are in the file of the same name in",
    "`packages/backend-cpu/src/kernels`.",
    "",
    "| kind | in the default lowering |",
    "| --- | --- |",
    "| core | PyTorch tags it `core`; nearly all stay |",
    "| kept | stays |",
    "| decomposed | becomes other operators |",
    "| on request | stays; a table that names it decomposes it |",
    "",
    ...families.flatMap((family) => page.family(family)),
    "",
  ]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n");
}

class Page {
  readonly #sconce: Sconce;
  readonly #rows: ReadonlyMap<string, OpDefinition>;
  readonly #table: { has(target: string): boolean };

  constructor(sconce: Sconce, rows: ReadonlyMap<string, OpDefinition>) {
    this.#sconce = sconce;
    this.#rows = rows;
    this.#table = sconce.defaultDecompositions();
  }

  head(): string[] {
    const all = [...this.#rows.values()];
    const known = [...knownTargets()];
    const own = known.filter((target) => this.#rows.has(target)).length;
    const derived = known.filter((target) => this.#sconce.operators.get(target) !== undefined).length - own;
    const composite = all.filter(({ tags }) => tags.includes("composite")).length;
    const ways = new Map<string, number>();
    for (const { target } of all) {
      const way = this.supportOf(target).replace(/^from .*/, "from another");
      ways.set(way, (ways.get(way) ?? 0) + 1);
    }
    return [
      "This page lists the operators, with their backend support and their place in the default lowering.",
      "[Lowerings](lowerings.md) shows what decomposed operators become.",
      "",
      "| | operators |",
      "| --- | --: |",
      `| rows | ${all.length} |`,
      ...KINDS.map(
        (kind) =>
          `| ${kind === "core" ? kind : `${kind}, not core`} | ${all.filter((row) => this.kindOf(row) === kind).length} |`,
      ),
      `| composites, counted above too | ${composite} |`,
      `| ATen overloads of PyTorch | ${known.length} |`,
      `| ATen overloads with a row | ${own} |`,
      `| in-place and \`out=\` overloads without a row | ${derived} |`,
      "",
      "In-place and `out=` overloads need no row. Their schema, shape rule and implementation follow from",
      "the functional overload and the alias annotations of PyTorch's schema. This page omits them.",
      "",
      "`sconce ops` prints this list, with schemas (`--schema`, `--json`). `sconce ops --missing` prints",
      "the overloads of PyTorch that Sconce [refuses](../concepts/archives.md#operators), with the reason.",
      "",
      "| the interpreter (`cpu`) runs | operators |",
      "| --- | --: |",
      ...[...ways].sort(([, a], [, b]) => b - a).map(([way, count]) => `| ${WAYS[way] ?? way} | ${count} |`),
      "",
      "In the lists below, † marks support by the decomposition, and ‡ support as a view or by the shape",
      "rule alone. Other operators have a kernel.",
    ];
  }

  core(families: readonly Family[]): string[] {
    const rows = families.flatMap(({ name, targets }) => {
      const core = targets.filter((target) => this.#rows.get(target)?.tags.includes("core"));
      return core.length === 0 ? [] : [`| ${title(name)} | ${this.list(core)} |`];
    });
    return ["| family | operators |", "| --- | --- |", ...rows];
  }

  random(drawn: ReadonlySet<string>): string[] {
    const seeded = [...this.#rows.values()].filter(
      ({ target, tags }) => tags.includes("nondeterministic_seeded") || target.includes("._philox_"),
    );
    const same = seeded.filter(({ target }) => drawn.has(target));
    const rest = seeded.filter(({ target }) => !drawn.has(target));
    const keyed = (row: OpDefinition): boolean => row.target.includes("._philox_");
    const names = (rows: readonly OpDefinition[]): string => this.list(rows.map(({ target }) => target));
    return [
      "After the same seed, these give PyTorch's values and leave its generator in the same state.",
      "Integers and choices are exact. Floats are exact up to the last bits of logarithms and cosines.",
      "Tests compare recorded draws for every dtype that PyTorch accepts, for fewer and more than 16",
      "elements, on row-major and other strides, also of in-place overloads.",
      "[Random numbers](../concepts/interpreter.md#random-numbers) describes seeds.",
      "",
      `- by a generator (Mersenne Twister): ${names(same.filter((row) => !keyed(row)))}`,
      `- by a key (Philox4x32-10), without a generator: ${names(same.filter(keyed))}`,
      "",
      "These are reproducible for a seed, but not compared value by value:",
      "",
      `- ${names(rest) || "none"}`,
    ];
  }

  family({ name, targets }: Family): string[] {
    const lines = KINDS.flatMap((kind) => {
      const found = targets.filter((target) => this.kindOf(this.#rows.get(target)) === kind);
      return found.length === 0 ? [] : [`- ${kind}: ${this.list(found)}`];
    });
    const source = `Source: [\`families/${name}.ts\`](../../packages/ops/src/families/${name}.ts)`;
    return lines.length === 0 ? [] : [`### ${title(name)}`, "", source, "", ...lines, ""];
  }

  kindOf(row: OpDefinition | undefined): Kind | undefined {
    if (row === undefined) return undefined;
    if (row.tags.includes("core")) return "core";
    if (this.#table.has(row.target) || isAlwaysDecomposed(row)) return "decomposed";
    return row.decompose === undefined ? "kept" : "on request";
  }

  supportOf(target: string): string {
    return this.#sconce.describeSupport(target).get("cpu") ?? "nothing";
  }

  /** `relu`, `add.Tensor`: without the namespace of ATen and the overload `default`. */
  list(targets: readonly string[]): string {
    const names = targets.map((target) => {
      const way = this.supportOf(target);
      const mark = way === "decomposition" ? "†" : way === "view" || way === "shape rule" ? "‡" : "";
      return `\`${target.replace(/^aten\./, "").replace(/\.default$/, "")}\`${mark}`;
    });
    return names.join(" ");
  }
}

const WAYS: Readonly<Record<string, string>> = {
  kernel: "a kernel",
  decomposition: "its decomposition",
  view: "the view of its shape rule",
  "shape rule": "its shape rule alone (sizes, strides, properties)",
  "from another": "the functional overload and a copy into the written argument",
  nothing: "no implementation",
};

/** `batch-norm-backward` as a heading. */
const title = (name: string): string => {
  const words = name.replaceAll("-", " ").replace(/\bfft\b/, "FFT");
  return words.charAt(0).toUpperCase() + words.slice(1);
};
