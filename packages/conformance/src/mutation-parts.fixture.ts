/** @file Changes of one part of a program, of which corruptions are made. */
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  type InputSpec,
  isInt,
  isRef,
  itemsOf,
  type ModuleCallSignature,
  type Node,
  type OpSchema,
  type OutputSpec,
} from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { graphOf } from "./graph-of.js";

/** Chooses one of a list. */
export type Pick = <T>(items: readonly T[]) => T | undefined;

/** Corrupts a program at a random place; undefined where it has no such place. */
export type Mutation = (program: ExportedProgram, pick: Pick) => ExportedProgram | undefined;

export const withNodes = (program: ExportedProgram, change: (nodes: Node[]) => void): ExportedProgram => {
  const nodes = [...program.graph.nodes()];
  change(nodes);
  return program.with({ graph: graphOf(nodes, program.graph.subgraphs) });
};

export const patched =
  (fits: (node: Node) => boolean, patch: (node: Node, pick: Pick) => object): Mutation =>
  (program, pick) => {
    const node = pick(program.graph.nodes().filter(fits));
    if (node === undefined) return undefined;
    return withNodes(program, (nodes) => {
      nodes[nodes.indexOf(node)] = { ...node, ...patch(node, pick) } as Node;
    });
  };

export const isCall = ({ op }: Node): boolean => op === "call_function";
export const isOperator = ({ op, target }: Node): boolean =>
  op === "call_function" && target.startsWith("aten.");
export const hasTensor = ({ meta: { val } }: Node): boolean => val instanceof FakeTensor;
export const readsNode = (node: Node): boolean => isCall(node) && node.args.some(isRef);
export const rest = ({ meta }: Node, val: unknown): object => ({ meta: { ...meta, val } });
export const resized = (node: Node, dims: "shape" | "strides", size: unknown): object => {
  const val = node.meta.val as FakeTensor;
  const changed = [...val[dims]] as unknown[];
  changed[0] = size;
  return rest(node, new FakeTensor({ ...val, [dims]: changed } as FakeTensor));
};
export const hasDims = (node: Node): boolean => hasTensor(node) && (node.meta.val as FakeTensor).ndim > 0;

export const signature = (
  program: ExportedProgram,
  inputSpecs: readonly InputSpec[] | undefined,
  outputSpecs?: readonly OutputSpec[],
): ExportedProgram =>
  program.with({
    graphSignature: {
      inputSpecs: inputSpecs ?? program.graphSignature.inputSpecs,
      outputSpecs: outputSpecs ?? program.graphSignature.outputSpecs,
    },
  });

export const inputSpec =
  (fits: (spec: InputSpec) => boolean, patch: (spec: InputSpec) => InputSpec): Mutation =>
  (program, pick) => {
    const specs = program.graphSignature.inputSpecs;
    const chosen = pick(specs.filter(fits));
    return (
      chosen &&
      signature(
        program,
        specs.map((spec) => (spec === chosen ? patch(spec) : spec)),
      )
    );
  };

export const outputSpec =
  (patch: (spec: OutputSpec) => OutputSpec): Mutation =>
  (program, pick) => {
    const specs = program.graphSignature.outputSpecs;
    const chosen = pick(specs.filter(({ arg }) => arg.kind !== "constant"));
    return (
      chosen &&
      signature(
        program,
        undefined,
        specs.map((spec) => (spec === chosen ? patch(spec) : spec)),
      )
    );
  };

export const rootCall =
  (patch: (call: ModuleCallSignature) => ModuleCallSignature): Mutation =>
  (program) => {
    const [root, ...others] = program.moduleCallGraph;
    if (root === undefined || root.signature === null) return undefined;
    return program.with({ moduleCallGraph: [{ ...root, signature: patch(root.signature) }, ...others] });
  };

export const output =
  (change: (results: Argument[], program: ExportedProgram, pick: Pick) => boolean): Mutation =>
  (program, pick) => {
    const last = program.graph.outputNode();
    const results = [...(itemsOf(last.args[0]!) ?? [])];
    if (!change(results, program, pick)) return undefined;
    return withNodes(program, (nodes) => {
      nodes[nodes.length - 1] = { ...last, args: [{ kind: "tuple", items: results }] };
    });
  };

/**
 * Gives the first branch of a `cond` other results; undefined where there is none, or it has no
 * such results.
 */
export const branch =
  (change: (results: readonly Argument[], inner: Graph) => readonly Argument[] | undefined): Mutation =>
  (program, pick) => {
    const { graph } = program;
    const call = pick(graph.nodes().filter(({ target }) => target === "higher_order.cond"));
    const read = call && graph.node(nameOf(call.args[1]!)).target;
    const inner = read === undefined ? undefined : graph.subgraphs.get(read);
    const results = inner && itemsOf(inner.outputArgument());
    const changed = results && results.length > 0 ? change(results, inner!) : undefined;
    if (changed === undefined) return undefined;
    const last = inner!.outputNode();
    const nodes = [...inner!.nodes()].slice(0, -1);
    const branches = new Map(graph.subgraphs).set(
      read!,
      graphOf([...nodes, { ...last, args: [{ kind: "tuple", items: changed }] }], inner!.subgraphs),
    );
    return program.with({ graph: graphOf(graph.nodes(), branches) });
  };

const nameOf = (value: Argument): string => (isRef(value) ? value.name : "");
const typeOf = (val: unknown): string =>
  val instanceof FakeTensor ? `${val.dtype} ${val.ndim}` : typeof val;

/** Two operands in one list of a call whose dtype or rank differs. */
export function unlikeOperands(
  { graph }: ExportedProgram,
  { args }: Node,
): { readonly list: number; readonly one: number; readonly other: number } | undefined {
  for (const [list, arg] of args.entries()) {
    const types = (itemsOf(arg) ?? []).map((item) => typeOf(graph.find(nameOf(item))?.meta.val));
    const other = types.findIndex((type) => type !== types[0]);
    if (other > 0) return { list, one: 0, other };
  }
  return undefined;
}

export const sconce = createSconce({ plugins: [corpusPlugin] });
export const schemaOf = ({ target }: Node): OpSchema | undefined => sconce.operators.schemaOf(target);
export const typeAt = (node: Node, i: number): string | undefined => {
  const type = schemaOf(node)?.args[i]?.type;
  return type === undefined || type.list ? undefined : type.base;
};
/** Returns the last positional argument when the operator requires it; -1 otherwise. */
export const requiredAt = (node: Node): number => {
  const i = node.args.length - 1;
  return schemaOf(node)?.args[i]?.hasDefault === false ? i : -1;
};
export const intAt = (node: Node): number =>
  node.args.findIndex((value, i) => isInt(value) && ["int", "SymInt"].includes(typeAt(node, i) ?? ""));
export const hasRule = ({ target }: Node): boolean => {
  const row = sconce.operators.get(target);
  return row?.meta !== undefined || row?.decompose !== undefined;
};
export const isStatic = ({ meta: { val } }: Node): boolean =>
  typeof (val as FakeTensor).shape[0] === "number";
export const isTensorRead = (node: Node): boolean =>
  typeAt(node, 0) === "Tensor" && isRef(node.args[0] ?? null);

export const LEAF = { type: null, context: null, children: [] };
export const ref = (name: string): Argument => ({ kind: "node", name });
