/** @file Calls that nothing reads, and that PyTorch refuses for some values all the same. */
import { type ExportedProgram, FakeTensor, forEachInput, type Graph, isRef, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { isIntegralDType } from "@sconce/tensor";

/** Operators that refuse some values: of places, classes, probabilities, counts and matrices. */
const REFUSES =
  /^aten\.(_?embedding|gather|(_unsafe_)?index|scatter|take|put|max_unpool|nll_loss|cross_entropy|multi(label)?_margin|binary_cross_entropy|bincount|repeat_interleave|one_hot|_?ctc_loss|(nan)?quantile|_?linalg_|inverse|cholesky|lu_|logdet|multinomial|bernoulli|masked_scatter|_local_scalar|allclose|nonzero_static)/;
/** Operators that refuse to divide integers by zero. */
const DIVIDES = /^aten\.(div|divide|floor_divide|remainder|fmod)_?\./;

/** Calls without recorded results may give integers. */
const isIntegral = ({ meta: { val } }: Node): boolean =>
  !(val instanceof FakeTensor) || isIntegralDType(val.dtype);

/**
 * Returns why a program may be refused for a call that no result needs: devices do not run it, and
 * PyTorch does.
 */
export function unreadRefusal(program: ExportedProgram, operators: OperatorTable): string | undefined {
  const unread = unreadIn(program.graph, operators).find(
    (node) => REFUSES.test(node.target) || (DIVIDES.test(node.target) && isIntegral(node)),
  );
  return unread && `nothing reads ${unread.name}, whose values may be refused`;
}

/** Operators that read sizes and dtypes of their inputs, but no elements. */
const READS_NO_ELEMENTS =
  /^aten\.((zeros|ones|full|empty|rand|randn|randint)_like|new_\w+|sym_\w+|_shape_as_tensor|_assert_tensor_metadata)\./;

/** Operators that write all elements of their first argument, whatever these were. */
const OVERWRITES = /^aten\.(zero|fill)_\./;

/** Returns the calls of a graph, and of those inside of it, that no result needs. */
function unreadIn(graph: Graph, operators: OperatorTable): readonly Node[] {
  const owners = ownersIn(graph, operators);
  /** The values that are read, by the one that made their memory. */
  const read = new Map<string, Set<string>>();
  const unread: Node[] = [];
  const isRead = (node: Node): boolean => {
    const written = writtenBy(node, operators);
    if (written === undefined || read.get(owners.get(node.name)!)?.has(node.name) === true) return true;
    return written.some((name) => {
      const owner = owners.get(name)!;
      return read.has(owner) || graph.node(owner).op !== "call_function";
    });
  };
  for (const node of [...graph.nodes()].reverse()) {
    if (node.op === "call_function" && !isRead(node)) {
      unread.push(node);
      continue;
    }
    const [written] = writtenBy(node, operators) ?? [];
    if (written !== undefined && OVERWRITES.test(node.target) && isWhole(graph.node(written), operators))
      read.delete(owners.get(written)!);
    else if (!READS_NO_ELEMENTS.test(node.target))
      forEachInput(node, (name) => {
        const owner = owners.get(name)!;
        const names = read.get(owner) ?? new Set<string>();
        read.set(owner, names.add(name));
      });
  }
  return [...unread, ...[...graph.subgraphs.values()].flatMap((one) => unreadIn(one, operators))];
}

/** Returns whether a value is all of its memory: not a view of a part of it. */
const isWhole = ({ op, target }: Node, operators: OperatorTable): boolean =>
  op === "call_function" && operators.get(target)?.schema.isView === false;

/** Returns the values that a call writes to; undefined for calls that may have another effect. */
function writtenBy(node: Node, operators: OperatorTable): readonly string[] | undefined {
  if (node.target.startsWith("operator.")) return [];
  const schema = node.op === "call_function" ? operators.get(node.target)?.schema : undefined;
  if (schema === undefined) return undefined;
  const written: string[] = [];
  for (const [at, { name, alias }] of schema.args.entries()) {
    if (alias?.write !== true) continue;
    const given = node.args[at] ?? node.kwargs[name];
    if (!isRef(given)) return undefined;
    written.push(given.name);
  }
  return written;
}

/**
 * Returns the value that made the memory of each: views and results of writes have that of another
 * one.
 */
function ownersIn(graph: Graph, operators: OperatorTable): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const node of graph.nodes()) {
    const schema = node.op === "call_function" ? operators.get(node.target)?.schema : undefined;
    const isShared = schema?.args[0]?.alias !== undefined || node.target === "operator.getitem";
    const [first] = node.args;
    const from = isShared && isRef(first) ? first.name : undefined;
    owners.set(node.name, from === undefined ? node.name : (owners.get(from) ?? from));
  }
  return owners;
}
