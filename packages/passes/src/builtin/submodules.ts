import { SconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { definePass, type OptionSpec, type PassOptions } from "../pass.js";
import { extractSubmodule, inModule, type NodeSelector } from "../regions/extract.js";
import { inlineSubmodule } from "../regions/inline.js";
import { splitBy } from "../regions/split.js";

const SELECTION: Readonly<Record<string, OptionSpec>> = {
  nodes: { default: [], doc: "names of nodes" },
  targets: { default: [], doc: "operators, all calls of them" },
};

/** Nodes of a module, of some names or operators become one nested graph. */
export const extract = definePass({
  name: "extract-submodule",
  doc: "Moves the chosen nodes into a nested graph.",
  requires: "ATEN",
  options: {
    ...SELECTION,
    module: { default: "", doc: 'path of the module that made the nodes: "encoder.layers.0"' },
    name: { default: "submodule", doc: "what the nested graph is called" },
  },
  run(program, { operators }, options) {
    const module = String(options["module"]);
    const chosen = selectorOf("extract-submodule", program, options);
    const select: NodeSelector = module === "" ? chosen : (node) => chosen(node) || inModule(module)(node);
    return extractSubmodule(program, select, operators, String(options["name"])).program;
  },
});

/** The inverse of `extract-submodule`, `partition` and `split-by`. */
export const inline = definePass({
  name: "inline-submodule",
  doc: "Puts the nodes of nested graphs in place of the `invoke_subgraph` calls that call them.",
  options: { names: { default: [], doc: "the nested graphs; all when empty" } },
  run(program, _context, options) {
    const names = options["names"] as readonly string[];
    return inlineSubmodule(program, names.length === 0 ? undefined : new Set(names));
  },
});

/** The program becomes a chain of parts. */
export const split = definePass({
  name: "split-by",
  doc: "Cuts the program into nested graphs that run one after the other, before each of the chosen nodes.",
  requires: "ATEN",
  options: SELECTION,
  run: (program, { operators }, options) =>
    splitBy(program, selectorOf("split-by", program, options), operators).program,
});

/** @throws SconceError `PASS_OPTION` for a name that no node has */
function selectorOf(pass: string, { graph }: ExportedProgram, options: PassOptions): NodeSelector {
  const names = new Set(options["nodes"] as readonly string[]);
  const targets = new Set(options["targets"] as readonly string[]);
  const unknown = [...names].find((name) => !graph.has(name));
  if (unknown !== undefined) {
    throw new SconceError({
      code: "PASS_OPTION",
      message: `pass "${pass}": nodes names "${unknown}", which the program does not have`,
      fix: "print the program to see its names",
    });
  }
  return (node) => names.has(node.name) || targets.has(node.target);
}
