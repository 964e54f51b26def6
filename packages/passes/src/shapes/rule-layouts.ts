/**
 * @file Strides and offsets by the operators' shape rules, in place of those that a program
 * records.
 */
import { isSconceError } from "@sconce/errors";
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  isRef,
  type MetaValue,
  type Node,
  rebuild,
} from "@sconce/ir";
import { constantValue, metaOf, type OperatorTable } from "@sconce/ops";
import { compositeResult, type RetraceEnv, shapeEnvOf } from "@sconce/trace";
import { isRowMajor, withLayoutsOf } from "./layouts.js";

/**
 * Returns the program with the strides and offsets that its state has and that its calls give, one
 * after the other. Sizes and dtypes stay, and so do nested graphs, and row-major results of the
 * program: those are what it asks for.
 */
export function withRuleLayouts(program: ExportedProgram, operators: OperatorTable): ExportedProgram {
  const env = shapeEnvOf(program);
  const state = stateLayouts(program);
  const vals = new Map<string, MetaValue | undefined>();
  const value = (arg: Argument): unknown => constantValue(isRef(arg) ? vals.get(arg.name) : arg);
  const graph = rebuild(program.graph, (node) => {
    const val = nextValue(node, state.get(node.name), () => computed(node, operators, env, value));
    vals.set(node.name, val);
    return (
      val === node.meta.val || isKept(node, program.graph) || { ...node, meta: { ...node.meta, val: val! } }
    );
  });
  return graph === program.graph ? program : program.with({ graph });
}

/** Returns whether a value is a row-major result, and no call addresses its memory. */
function isKept({ name, meta: { val } }: Node, graph: Graph): boolean {
  if (!(val instanceof FakeTensor) || !isRowMajor(val)) return false;
  const users = graph.users(name);
  return users.some(({ op }) => op === "output") && !users.some(({ target }) => ADDRESSES.test(target));
}
const ADDRESSES =
  /^aten\.(as_strided|sym_stride|sym_storage_offset|stride|storage_offset|_assert_tensor_metadata)/;

function nextValue(
  node: Node,
  state: FakeTensor | undefined,
  compute: () => MetaValue | undefined,
): MetaValue | undefined {
  const { val } = node.meta;
  if (val === undefined || val === null) return val;
  if (node.op === "placeholder") return state === undefined ? val : withLayoutsOf(val, state);
  const own = node.op === "call_function" ? compute() : undefined;
  return own === undefined ? val : withLayoutsOf(val, own);
}

/** Returns what the call gives; undefined where no rule says it. */
function computed(
  node: Node,
  operators: OperatorTable,
  env: RetraceEnv,
  value: (arg: Argument) => unknown,
): MetaValue | undefined {
  const { target, args, kwargs, meta } = node;
  if (target === "operator.getitem") {
    const source = value(args[0]!);
    return Array.isArray(source) ? (source as MetaValue[])[Number(args[1])] : undefined;
  }
  const row = operators.get(target);
  if (row?.meta === undefined && row?.decompose === undefined) return undefined;
  env.expect(meta.val, undefined, compositeResult(node, operators, value));
  try {
    return metaOf(operators, target, args, kwargs, env, value);
  } catch (error) {
    // A call that its operator refuses is found when the program is checked.
    if (isSconceError(error)) return undefined;
    throw error;
  }
}

/** Returns the layouts of state, by the names of placeholders. */
function stateLayouts(program: ExportedProgram): ReadonlyMap<string, FakeTensor> {
  return new Map(
    program.graphSignature.inputSpecs.flatMap(({ arg, target, kind }) => {
      const tensor = kind === "USER_INPUT" || target === null ? undefined : program.tensor(target);
      return tensor === undefined || arg.kind === "constant"
        ? []
        : [[arg.name, new FakeTensor(tensor)] as const];
    }),
  );
}
