import { checkOptions, type OptionNames } from "@sconce/errors";
import { type ExportedProgram, type Graph, type NodeMeta, rebuild } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import { withoutValues } from "./without-values.js";

/** What {@link strip} removes besides what it always removes. */
export interface StripOptions {
  /**
   * Whether the values of parameters, buffers and constants are removed: dtypes, shapes and strides
   * stay. @defaultValue false
   */
  readonly weights?: boolean | undefined;
  /**
   * Whether the paths of the modules that calls come from are removed. Names of parameters have the
   * same paths. @defaultValue false
   */
  readonly modules?: boolean | undefined;
}

const OPTIONS: OptionNames<StripOptions> = { weights: true, modules: true };

/** Metadata that shows code, machines or annotations of the author. */
const REMOVED: ReadonlySet<keyof NodeMeta> = new Set([
  "stackTrace",
  "sourceFnStack",
  "torchFn",
  "custom",
  "extra",
  "origin",
]);

/** The class that every module has. */
const MODULE = "torch.nn.modules.module.Module";

/**
 * Removes what a program shows of its author: stack traces with their source paths, class names of
 * modules, annotations, example inputs, and the history, whose versions have all of these. What the
 * program computes stays. Classes registered with pytree stay where they are part of the calling
 * convention.
 */
export function strip(program: ExportedProgram, options: StripOptions = {}): ExportedProgram {
  checkOptions("strip", options, OPTIONS);
  const withValues = { stateDict: program.stateDict, constants: program.constants };
  return program.with({
    ...(options.weights === true ? bareState(withValues) : withValues),
    graph: stripped(program.graph, options.modules === true),
    exampleInputs: null,
    history: [],
    undone: [],
  });
}

function stripped(graph: Graph, modules: boolean): Graph {
  const own = rebuild(graph, (node) => {
    const meta = metaOf(node.meta, modules);
    return meta === node.meta ? true : { ...node, meta };
  });
  return mapSubgraphs(own, (nested) => stripped(nested, modules));
}

function metaOf(meta: NodeMeta, modules: boolean): NodeMeta {
  const entries = Object.entries(meta) as [keyof NodeMeta, unknown][];
  const kept = entries.filter(([key]) => !REMOVED.has(key) && !(modules && key === "nnModuleStack"));
  const stack = modules ? undefined : meta.nnModuleStack;
  const hasClasses = stack?.some(([, , type]) => type !== MODULE) === true;
  if (kept.length === entries.length && !hasClasses) return meta;
  const rest: NodeMeta = Object.fromEntries(kept);
  return hasClasses
    ? { ...rest, nnModuleStack: stack!.map(([key, path]) => [key, path, MODULE] as const) }
    : rest;
}

type State = Readonly<Record<"stateDict" | "constants", ReadonlyMap<string, Tensor>>>;

function bareState({ stateDict, constants }: State): State {
  const copyOf = withoutValues();
  const bare = (tensors: ReadonlyMap<string, Tensor>): ReadonlyMap<string, Tensor> =>
    new Map([...tensors].map(([name, tensor]) => [name, copyOf(tensor)]));
  return { stateDict: bare(stateDict), constants: bare(constants) };
}
