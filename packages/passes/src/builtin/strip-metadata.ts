import { type Graph, type NodeMeta, rebuild } from "@sconce/ir";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import type { OptionSpec } from "../options/spec.js";
import { definePass } from "../pass/pass.js";

const option = (on: boolean, doc: string) => ({ default: on, doc }) satisfies OptionSpec;

/** The entries that each option removes. */
const ENTRIES = {
  "stack-traces": ["stackTrace", "sourceFnStack", "extra"],
  "module-stack": ["nnModuleStack", "torchFn"],
  custom: ["custom"],
} as const satisfies Readonly<Record<string, readonly (keyof NodeMeta)[]>>;

/**
 * Drops metadata about the author's machine and code; what the program computes stays, `val` too.
 */
export const stripMetadata = definePass({
  name: "strip-metadata",
  doc: "Removes metadata that reveals the author's code: stack traces, and if asked module paths, annotations and sample inputs.",
  options: {
    "stack-traces": option(true, "stack traces, source functions, and entries that only files know"),
    "module-stack": option(false, "paths and types of the modules, and the torch functions called"),
    custom: option(false, "the user's annotations"),
    "example-inputs": option(false, "the sample inputs"),
  },
  drops: Object.values(ENTRIES).flat(),
  run(program, _context, options) {
    const names = ["stack-traces", "module-stack", "custom"] as const;
    const keys = names.flatMap((name) => (options[name] ? ENTRIES[name] : []));
    const exampleInputs = options["example-inputs"] ? null : program.exampleInputs;
    // Earlier versions of the nodes have the metadata still.
    const history = keys.length > 0 && program.history.length > 0 ? [] : program.history;
    return program.with({ graph: stripped(program.graph, new Set(keys)), exampleInputs, history });
  },
});

function stripped(graph: Graph, keys: ReadonlySet<keyof NodeMeta>): Graph {
  const own = rebuild(graph, (node) => {
    const entries = Object.entries(node.meta) as [keyof NodeMeta, unknown][];
    const kept = entries.filter(([key, value]) => !keys.has(key) || value === undefined);
    return kept.length === entries.length ? true : { ...node, meta: Object.fromEntries(kept) };
  });
  return mapSubgraphs(own, (nested) => stripped(nested, keys));
}
