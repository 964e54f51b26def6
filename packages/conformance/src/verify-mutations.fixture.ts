/** @file Single corruptions of valid programs, each of which the verifier must report. */
import { readdirSync, readFileSync } from "node:fs";
import { isSconceError } from "@sconce/errors";
import {
  type ArgumentSpec,
  device,
  type ExportedProgram,
  FakeTensor,
  type IntLike,
  isRef,
  isSymScalar,
  itemsOf,
  type SymScalar,
  symFloat,
  symInt,
} from "@sconce/ir";
import { verifyCalls } from "@sconce/passes";
import { add, type FloatLike } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { PROGRAMS } from "./fixtures.js";
import { graphOf } from "./graph-of.js";
import {
  branch,
  hasDims,
  hasRule,
  hasTensor,
  inputSpec,
  intAt,
  isCall,
  isOperator,
  isStatic,
  isTensorRead,
  LEAF,
  type Mutation,
  output,
  outputSpec,
  type Pick,
  patched,
  readsNode,
  ref,
  requiredAt,
  resized,
  rest,
  rootCall,
  schemaOf,
  sconce,
  signature,
  typeAt,
  unlikeOperands,
  withNodes,
} from "./mutation-parts.fixture.js";

/** By name; each leaves the program invalid wherever it applies. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  "drop all arguments": patched(
    (node) => isOperator(node) && node.args.some(isRef),
    () => ({
      args: [],
      kwargs: {},
    }),
  ),
  "read an unknown node": patched(readsNode, (node) => ({
    args: node.args.map((arg) => (isRef(arg) ? ref("no_such_node") : arg)),
  })),
  "read itself": patched(readsNode, (node) => ({
    args: node.args.map((arg) => (isRef(arg) ? ref(node.name) : arg)),
  })),
  "drop a required argument": patched(
    (node) => isOperator(node) && requiredAt(node) >= 0,
    (node) => ({ args: node.args.slice(0, requiredAt(node)) }),
  ),
  "give a float for an int": patched(
    (node) => isOperator(node) && intAt(node) >= 0,
    (node) => ({ args: node.args.with(intAt(node), { kind: "float", value: 1.5 }) }),
  ),
  "give a list for a tensor": patched(
    (node) => isOperator(node) && typeAt(node, 0) === "Tensor" && isRef(node.args[0] ?? null),
    (node) => ({ args: node.args.with(0, [node.args[0]!]) }),
  ),
  "give an argument too many": patched(
    (node) => isOperator(node) && schemaOf(node) !== undefined,
    (node) => ({ args: [...node.args, ...new Array(20).fill(null)] }),
  ),
  "take an item of a tensor": patched(
    (node) => isOperator(node) && node.args.length > 0 && isTensorRead(node),
    (node, pick) => ({ target: "operator.getitem", args: [node.args[0]!, pick([0, 1])!], kwargs: {} }),
  ),
  "take an item that is not there": patched(
    ({ target }) => target === "operator.getitem",
    ({ args }) => ({ args: [args[0]!, 1000] }),
  ),
  "swap operands of a higher-order call": (program, pick) => {
    const found = pick(
      program.graph.nodes().flatMap((node) => {
        const at = node.target.startsWith("higher_order.") ? unlikeOperands(program, node) : undefined;
        return at === undefined ? [] : [{ node, ...at }];
      }),
    );
    if (found === undefined) return undefined;
    const { node, list, one, other } = found;
    const items = [...itemsOf(node.args[list]!)!];
    [items[one], items[other]] = [items[other]!, items[one]!];
    return withNodes(program, (nodes) => {
      nodes[nodes.indexOf(node)] = { ...node, args: node.args.with(list, items) };
    });
  },
  "return one value more from a branch": branch((results) => [...results, results[0]!]),
  "return one value less from a branch": branch((results) => results.slice(1)),
  "swap the graphs of a loop": patched(
    ({ target }) => target === "higher_order.while_loop",
    ({ args }) => ({ args: [args[1]!, args[0]!, ...args.slice(2)] }),
  ),
  "drop an operand of a higher-order call": patched(
    ({ target, args }) =>
      target.startsWith("higher_order.") && args.some((arg) => (itemsOf(arg) ?? []).some(isRef)),
    ({ args }) => {
      const at = args.findLastIndex((arg) => (itemsOf(arg) ?? []).some(isRef));
      return { args: args.with(at, [...itemsOf(args[at]!)!].slice(1)) };
    },
  ),
  "keyword of a higher-order call": patched(
    ({ target }) => /^higher_order\.(cond|while_loop|scan|map_impl)$/.test(target),
    ({ kwargs }) => ({ kwargs: { ...kwargs, no_such_kwarg: 1 } }),
  ),
  "record another dtype of a call": patched(
    (node) => isOperator(node) && hasTensor(node) && hasRule(node),
    (node) => {
      const val = node.meta.val as FakeTensor;
      const dtype = val.dtype === "float32" ? "int64" : "float32";
      return rest(node, new FakeTensor({ ...val, dtype } as FakeTensor));
    },
  ),
  "record another size of a call": patched(
    (node) => isOperator(node) && hasDims(node) && hasRule(node) && isStatic(node),
    (node) => resized(node, "shape", ((node.meta.val as FakeTensor).shape[0] as number) + 1),
  ),
  "record another rank of a call": patched(
    (node) => isOperator(node) && hasTensor(node) && hasRule(node),
    (node) => {
      const val = node.meta.val as FakeTensor;
      const [shape, strides] = [
        [1, ...val.shape],
        [1, ...val.strides],
      ];
      return rest(node, new FakeTensor({ ...val, shape, strides }));
    },
  ),
  "record another device of a call": patched(
    (node) => isOperator(node) && hasTensor(node) && hasRule(node),
    (node) => rest(node, new FakeTensor({ ...(node.meta.val as FakeTensor), device: device("xpu", 1) })),
  ),
  "record a float for a size": patched(
    (node) => node.target === "aten.sym_size.int" && isSymScalar(node.meta.val),
    (node) => rest(node, symFloat((node.meta.val as SymScalar).expr as FloatLike)),
  ),
  "record another size for a size": patched(
    (node) => node.target === "aten.sym_size.int" && isSymScalar(node.meta.val),
    (node) => rest(node, symInt(add((node.meta.val as SymScalar).expr as IntLike, 1))),
  ),
  "record another shape of a parameter": (program, pick) => {
    const spec = pick(program.graphSignature.inputSpecs.filter(({ kind }) => kind === "PARAMETER"));
    const tensor = spec && program.stateDict.get(spec.target!);
    if (tensor === undefined) return undefined;
    const stateDict = new Map(program.stateDict).set(
      spec!.target!,
      Tensor.empty([...tensor.shape, 2], tensor.dtype),
    );
    return program.with({ stateDict });
  },
  "record another dtype of a parameter": (program, pick) => {
    const spec = pick(program.graphSignature.inputSpecs.filter(({ kind }) => kind === "PARAMETER"));
    const tensor = spec && program.stateDict.get(spec.target!);
    if (tensor === undefined) return undefined;
    const dtype = tensor.dtype === "float32" ? "float64" : "float32";
    return program.with({
      stateDict: new Map(program.stateDict).set(spec!.target!, Tensor.empty(tensor.shape, dtype)),
    });
  },
  "add an unknown keyword": patched(isOperator, (node) => ({ kwargs: { ...node.kwargs, no_such_kwarg: 1 } })),
  "replace a tensor by a string": patched(
    (node) => isOperator(node) && isRef(node.args[0] ?? null),
    (node) => ({ args: ["text", ...node.args.slice(1)] }),
  ),
  "name an unknown operator": patched(isOperator, () => ({ target: "aten.no_such_operator.default" })),
  "name no overload": patched(isOperator, ({ target }) => ({
    target: target.split(".").slice(0, 2).join("."),
  })),
  "name an unknown higher-order operator": patched(isCall, () => ({ target: "higher_order.no_such" })),
  "change the opcode": patched(isCall, () => ({ op: "call_method" })),
  "remove meta.val": patched(
    (node) => node.op === "placeholder" || (isOperator(node) && hasTensor(node)),
    (node) => rest(node, undefined),
  ),
  "record an unknown dtype": patched(hasTensor, (node) =>
    rest(node, new FakeTensor({ ...(node.meta.val as FakeTensor), dtype: "float33" as "float32" })),
  ),
  "record another dtype": patched(
    ({ op, target, meta: { val } }) =>
      op === "call_function" && target === "aten.relu.default" && val instanceof FakeTensor,
    (node) => rest(node, new FakeTensor({ ...(node.meta.val as FakeTensor), dtype: "bool" })),
  ),
  "size undefined": patched(hasDims, (node) => resized(node, "shape", undefined)),
  "size negative": patched(hasDims, (node) => resized(node, "shape", -2)),
  "size fractional": patched(hasDims, (node) => resized(node, "shape", 1.5)),
  "stride undefined": patched(hasDims, (node) => resized(node, "strides", undefined)),
  "stride fractional": patched(hasDims, (node) => resized(node, "strides", 0.5)),
  "duplicate a name": (program, pick) => {
    const nodes = program.graph.nodes().filter(isCall);
    const [one, other] = [pick(nodes), pick(nodes)];
    if (one === undefined || one === other) return undefined;
    return withNodes(program, (all) => {
      all[all.indexOf(one)] = { ...one, name: other!.name };
    });
  },
  "use before definition": (program, pick) => {
    const user = pick(program.graph.nodes().filter(readsNode));
    const used = user?.args.find(isRef)?.name;
    if (user === undefined || used === undefined) return undefined;
    return withNodes(program, (nodes) => {
      nodes.splice(nodes.indexOf(user), 1);
      nodes.splice(
        nodes.findIndex(({ name }) => name === used),
        0,
        user,
      );
    });
  },
  "placeholder behind a call": (program) => {
    const { graph } = program;
    if (graph.placeholders().length === 0 || !graph.nodes().some(isCall)) return undefined;
    return withNodes(program, (nodes) => {
      const [first] = nodes.splice(0, 1);
      nodes.splice(nodes.length - 1, 0, first!);
    });
  },
  "drop the output": (program) => withNodes(program, (nodes) => void nodes.pop()),
  "return an unknown node": output((results) => {
    if (results.length === 0) return false;
    results[0] = ref("no_such_node");
    return true;
  }),
  "drop a result": output((results) => results.pop() !== undefined),
  "rename a nested graph": (program, pick) => {
    const name = pick([...program.graph.subgraphs.keys()]);
    if (name === undefined) return undefined;
    const subgraphs = new Map(program.graph.subgraphs);
    subgraphs.set(`${name}_renamed`, subgraphs.get(name)!);
    subgraphs.delete(name);
    return program.with({ graph: graphOf(program.graph.nodes(), subgraphs) });
  },
  "drop an input_spec": (program, pick) => {
    const specs = program.graphSignature.inputSpecs;
    const chosen = pick(specs);
    return (
      chosen &&
      signature(
        program,
        specs.filter((spec) => spec !== chosen),
      )
    );
  },
  "double an input_spec": (program, pick) => {
    const specs = program.graphSignature.inputSpecs;
    const chosen = pick(specs);
    return (
      chosen &&
      signature(
        program,
        specs.flatMap((spec) => (spec === chosen ? [spec, spec] : [spec])),
      )
    );
  },
  "drop an output_spec": (program) => {
    const specs = program.graphSignature.outputSpecs;
    return specs.length === 0 ? undefined : signature(program, undefined, specs.slice(1));
  },
  "rename an input_spec": inputSpec(
    ({ arg }) => arg.kind === "tensor",
    (spec) => ({ ...spec, arg: { ...spec.arg, name: "no_such_node" } }),
  ),
  "tensor input as int": inputSpec(
    ({ arg }) => arg.kind === "tensor",
    (spec) => ({ ...spec, arg: { kind: "symint", name: spec.arg.name } as ArgumentSpec }),
  ),
  "unknown target": inputSpec(
    ({ kind }) => kind === "PARAMETER" || kind === "BUFFER" || kind === "CONSTANT_TENSOR",
    (spec) => ({ ...spec, kind: "PARAMETER", target: "no.such.tensor" }),
  ),
  "no target": inputSpec(
    ({ kind }) => kind === "PARAMETER" || kind === "BUFFER" || kind === "CONSTANT_TENSOR",
    (spec) => ({ ...spec, target: null }),
  ),
  "unknown input kind": inputSpec(
    () => true,
    (spec) => ({ ...spec, kind: "NO_SUCH_KIND" as "PARAMETER" }),
  ),
  "parameter as user input": inputSpec(
    ({ kind }) => kind === "PARAMETER",
    (spec) => ({ ...spec, kind: "USER_INPUT", target: null }),
  ),
  "rename an output_spec": outputSpec((spec) => ({ ...spec, arg: { ...spec.arg, name: "no_such_node" } })),
  "tensor output as another kind": outputSpec((spec) => ({
    ...spec,
    arg: { kind: spec.arg.kind === "tensor" ? "symint" : "tensor", name: spec.arg.name } as ArgumentSpec,
  })),
  "mutate an unknown buffer": outputSpec((spec) => ({
    ...spec,
    kind: "BUFFER_MUTATION",
    target: "no.such.buffer",
  })),
  "leaf more in in_spec": rootCall((call) => ({
    ...call,
    inSpec: { ...call.inSpec, children: [...call.inSpec.children, LEAF] },
  })),
  "leaf more in out_spec": rootCall((call) => ({
    ...call,
    outSpec: { type: "builtins.tuple", context: null, children: [call.outSpec, LEAF] } as never,
  })),
  "name one argument more": rootCall((call) => ({
    ...call,
    forwardArgNames: [...(call.forwardArgNames ?? []), "a", "b", "c", "d", "e", "f", "g", "h"],
  })),
};

/** Draws from a list by a seed, the same everywhere (Marsaglia, 2003). */
function picker(seed: number): Pick {
  let state = (seed * 2_654_435_761) | 0 || 1;
  return (items) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return items[(state >>> 0) % Math.max(items.length, 1)];
  };
}

/** What became of every so manyth program of the corpus. */
export interface Mutated {
  /** Corruptions that were not reported, and programs that were refused as they are. */
  readonly missed: readonly string[];
  readonly applied: ReadonlySet<string>;
  readonly loaded: number;
}

/** Verifies every `step`th program of the corpus, and with each corruption that applies to it. */
export async function mutatedPrograms(step: number): Promise<Mutated> {
  const files = readdirSync(PROGRAMS, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("program.pt2"))
    .sort()
    .filter((_, i) => i % step === 0);
  const applied = new Set<string>();
  const missed: string[] = [];
  let loaded = 0;
  for (const [seed, file] of files.entries()) {
    const program = await loadProgram(file);
    if (program === undefined) continue;
    loaded++;
    const [problem] = verifyCalls(program, { operators: sconce.operators });
    if (problem !== undefined) missed.push(`${file} is valid, and refused: ${problem.message}`);
    for (const [name, mutation] of Object.entries(MUTATIONS)) {
      const mutant = mutation(program, picker(seed + 1));
      if (mutant === undefined) continue;
      applied.add(name);
      if (verifyCalls(mutant, { operators: sconce.operators }).length === 0) missed.push(`${file}: ${name}`);
    }
  }
  return { missed, applied, loaded };
}

/** Undefined for programs that are to be refused when they are read. */
const loadProgram = (file: string): Promise<ExportedProgram | undefined> =>
  sconce.load(readFileSync(PROGRAMS + file)).catch((error: unknown) => {
    if (isSconceError(error)) return undefined;
    throw error;
  });
