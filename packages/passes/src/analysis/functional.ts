/** @file Whether a program is functional: computes values only, and writes to nothing. */
import {
  type Argument,
  ATEN,
  ExportedProgram,
  forEachRef,
  type Graph,
  isOpaque,
  kindOf,
  lineOf,
  type Node,
  type OpSchema,
} from "@sconce/ir";
import { isScalarFunction, type OperatorTable } from "@sconce/ops";
import { hasEffect } from "../graphs/dead-nodes.js";
import { aliasRoots } from "./aliases.js";
import { hiddenWrites, writtenArguments } from "./call-arguments.js";

/** One reason why a program is not functional. */
export interface Impurity {
  /** The name of the node. */
  readonly node: string;
  /** Targets of the nested graphs that lead to the node; empty for the program's own graph. */
  readonly path: readonly string[];
  /** What is wrong, in words that name the operator and what it writes to. */
  readonly reason: string;
  /** What to do about it, as an instruction. */
  readonly fix: string;
  /** The user's line that the node comes from, `model.py:12`. */
  readonly line?: string;
}

/** What {@link functionality} finds. */
export interface Functionality {
  /** Empty for a functional program. */
  readonly impurities: readonly Impurity[];
  /**
   * Calls that write nothing, but may not be dropped, repeated or moved past each other:
   * assertions, random numbers.
   */
  readonly effects: readonly { readonly node: string; readonly path: readonly string[] }[];
}

/**
 * True when nothing in the program, nested graphs included, writes to a value: then equal calls
 * give equal results, and calls may be moved, merged and dropped. What is not known is not
 * functional ({@link functionality} says why).
 *
 * Views are allowed, as in PyTorch's ATen dialect: without writes, a view and a copy give the same
 * results. For the same reason an output may alias an input, unless that input gets a new value
 * when the program ends.
 */
export const isFunctional = (subject: ExportedProgram | Graph, operators: OperatorTable): boolean =>
  functionality(subject, operators).impurities.length === 0;

/** Returns all reasons why a program or graph is not functional, and its effects. */
export function functionality(subject: ExportedProgram | Graph, operators: OperatorTable): Functionality {
  const impurities: Impurity[] = [];
  const effects: { node: string; path: readonly string[] }[] = [];
  const program = subject instanceof ExportedProgram ? subject : undefined;
  const isTensor = (target: string): boolean => program?.tensor(target) !== undefined;
  // The ATen dialect has functional operators only, those that nothing here defines included.
  const keepsOpaque = program?.dialect === "ATEN";
  const visit = (graph: Graph, path: readonly string[]): void => {
    for (const node of graph.nodes()) {
      const found =
        keepsOpaque && isOpaque(node.target, operators)
          ? undefined
          : impurityOf(node, graph, operators, isTensor);
      if (found !== undefined)
        impurities.push({ node: node.name, path, ...found, ...lineIn(graph, node.name) });
      else if (isEffect(node, operators)) effects.push({ node: node.name, path });
    }
    for (const [target, nested] of graph.subgraphs) visit(nested, [...path, target]);
  };
  visit(program?.graph ?? (subject as Graph), []);
  if (program !== undefined) impurities.push(...writtenOutputs(program, operators));
  return { impurities, effects };
}

type Found = Pick<Impurity, "reason" | "fix">;

function lineIn(graph: Graph, node: string): { readonly line?: string } {
  const line = lineOf(graph, node);
  return line === undefined ? {} : { line };
}

const FUNCTIONALIZE = 'put "functionalize" before it';
const REGISTER = "register the operator with a plugin that gives its schema";

function isEffect(node: Node, operators: OperatorTable): boolean {
  if (node.op !== "call_function") return false;
  return hasEffect(node, operators) || operators.tagsOf(node.target).includes("nondeterministic_seeded");
}

function impurityOf(
  node: Node,
  graph: Graph,
  operators: OperatorTable,
  isTensor: (target: string) => boolean,
): Found | undefined {
  const { op, target } = node;
  if (op === "get_attr") {
    if (graph.subgraphs.has(target) || isTensor(target)) return undefined;
    return { reason: `reads "${target}", which the graph does not hold`, fix: "verify the program" };
  }
  if (op !== "call_function") return undefined;
  if (target.startsWith("higher_order.")) return higherOrder(node, operators);
  if (isScalarFunction(target) || target === "operator.getitem") return undefined;
  if (ATEN.pythonFunctions.has(target) || ATEN.torchFunctions.has(target)) return pythonFunction(target);
  const schema = operators.schemaOf(target);
  if (schema === undefined) {
    const fix = isOpaque(target, operators)
      ? `${FUNCTIONALIZE}, which keeps the call; or ${REGISTER}`
      : REGISTER;
    return { reason: `${target} is not known, so it may write to its arguments`, fix };
  }
  return writes(node, schema);
}

/**
 * Functions of torch that programs may call represent a mode or a region that the calls after them
 * are in.
 */
function pythonFunction(target: string): Found | undefined {
  if (!target.startsWith("torch.") || /^torch\.(_?sym_\w+)$/.test(target)) return undefined;
  if (target.endsWith(".lazy_load_decompositions") || target.includes(".cast_symbool_to_symint"))
    return undefined;
  return { reason: `${target} changes what the calls after it mean`, fix: FUNCTIONALIZE };
}

function writes(node: Node, schema: OpSchema): Found | undefined {
  if (schema.isMutable) {
    const written = writtenArguments(node, schema).map(([name, value]) => described(name, value));
    const what = written.length > 0 ? written.join(" and ") : "its arguments";
    return { reason: `${node.target} writes to ${what}`, fix: FUNCTIONALIZE };
  }
  const hidden = hiddenWrites(node, schema);
  if (hidden.length === 0) return undefined;
  const what = hidden.map(([name, value]) => described(name, value)).join(" and ");
  return { reason: `${node.target} updates ${what}, though its schema does not say so`, fix: FUNCTIONALIZE };
}

/** `"self" (%x)`. */
function described(name: string, value: Argument): string {
  const names: string[] = [];
  forEachRef(value, (input) => names.push(`%${input}`));
  return names.length === 0 ? `"${name}"` : `"${name}" (${names.join(", ")})`;
}

/**
 * Operators on bodies that give values and write nothing themselves; their bodies are looked at on
 * their own.
 */
const PURE = new Set(
  (
    "cond switch map map_impl while_loop while_loop_stack_output scan associative_scan wrap strict_mode invoke_subgraph " +
    "hints_wrapper wrap_with_set_grad_enabled wrap_with_autocast wrap_activation_checkpoint tag_activation_checkpoint " +
    "out_dtype run_const_graph flex_attention flex_attention_backward foreach_map " +
    "invoke_quant invoke_quant_packed local_map_hop flat_apply _export_tracepoint " +
    // On copies of what they would write to.
    "auto_functionalized auto_functionalized_v2 triton_kernel_wrapper_functional " +
    // Writes to the terminal only.
    "print"
  )
    .split(" ")
    .map((name) => `higher_order.${name}`),
);

function higherOrder(node: Node, operators: OperatorTable): Found | undefined {
  const { target } = node;
  if (PURE.has(target)) return undefined;
  if (target === "higher_order.with_effects") return withEffects(node, operators);
  if (target === "higher_order.call_torchbind") {
    return {
      reason: `${target} may change the object that it calls a method of`,
      fix: "export with the method registered as an ordered effect",
    };
  }
  if (target === "higher_order.triton_kernel_wrapper_mutation")
    return { reason: `${target} writes to the kernel's arguments`, fix: "decompose the program in PyTorch" };
  return { reason: `${target} is not known, so it may write to its arguments`, fix: "inline its body" };
}

/**
 * Returns why an effect with a token is not functional, if it is not. Its place is kept by the
 * token, but the operator inside must not write to tensors.
 */
function withEffects(node: Node, operators: OperatorTable): Found | undefined {
  const operator = node.args[1];
  const target = kindOf(operator) === "operator" ? (operator as { target: string }).target : undefined;
  if (target === "higher_order.call_torchbind") return undefined;
  const schema = target === undefined ? undefined : operators.schemaOf(target);
  if (schema === undefined)
    return { reason: `with_effects calls ${target ?? "an operator"}, which is not known`, fix: REGISTER };
  return writes({ ...node, target: schema.target, args: node.args.slice(2) }, schema);
}

/**
 * Outputs that alias an input which the program's end gives a new value: the caller would see the
 * new one.
 */
function writtenOutputs(program: ExportedProgram, operators: OperatorTable): Impurity[] {
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const targets = new Set(
    outputSpecs.filter((spec) => spec.kind.endsWith("_MUTATION")).map((spec) => spec.target),
  );
  if (targets.size === 0) return [];
  const written = new Set(
    inputSpecs.filter((spec) => targets.has(spec.target ?? spec.arg.name)).map((spec) => spec.arg.name),
  );
  const roots = aliasRoots(program.graph, operators);
  const found: Impurity[] = [];
  for (const { kind, arg } of outputSpecs) {
    if (kind.endsWith("_MUTATION") || arg.kind === "constant") continue;
    const input = [...(roots.get(arg.name) ?? [])].find((name) => written.has(name));
    if (input === undefined) continue;
    found.push({
      node: arg.name,
      path: [],
      reason: `the output %${arg.name} shares memory with %${input}, which is written to when the program ends`,
      fix: "return a clone of it",
      ...lineIn(program.graph, arg.name),
    });
  }
  return found;
}
