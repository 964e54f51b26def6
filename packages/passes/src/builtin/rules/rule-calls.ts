/**
 * @file Calls that a rule's pattern describes, with many operands in its holes, for tests of rules.
 * Not exported.
 */
import {
  type Argument,
  FakeTensor,
  float,
  type Graph,
  GraphBuilder,
  type MetaValue,
  memoryFormat,
  NO_KWARGS,
  type Node,
  type NodeRef,
  ref,
  type SchemaType,
  tuple,
} from "@sconce/ir";
import { metaOf, type OperatorTable } from "@sconce/ops";
import { STATIC_ENV } from "@sconce/symbolic";
import { DTYPES, Tensor } from "@sconce/tensor";
import type { CallPattern, Pattern } from "../../rewrite/pattern.js";
import { COUNT, edgeValues, square } from "./edge-values.js";

/**
 * A graph of many calls of one pattern, a copy of each being a result, and what its inputs are
 * given.
 */
export interface RuleCalls {
  readonly graph: Graph;
  readonly inputs: ReadonlyMap<string, Tensor>;
}

/** Numbers where a tensor or a number may stand. */
const NUMBERS: readonly Argument[] = [
  ...[0, 1, 2, -4, 3, 255],
  ...[0, -0, 1, 0.5, 2.1, 1e5, 16384, 16383.999999999998, 16384.000000000004, -(2 ** -14), 1 / 0].map(float),
];

/** What may stand in a hole that takes no tensor; sizes are those of squares. */
const OTHERS: Readonly<Record<string, readonly Argument[]>> = {
  Scalar: NUMBERS,
  float: NUMBERS,
  int: [0, 1, -1, 2],
  SymInt: [0, 1, -1, COUNT],
  bool: [true, false],
  MemoryFormat: [null, memoryFormat("contiguous_format"), memoryFormat("preserve_format")],
};
const LISTS: readonly Argument[] = [
  ...[[0, 1], [1, 0], [-1, 0], [-2, -1], [0], [1], [2]],
  ...[
    [COUNT, COUNT],
    [COUNT * COUNT],
    [-1, COUNT],
    [2, COUNT / 2, COUNT],
    [1, COUNT, COUNT],
    [3, COUNT, COUNT],
  ],
];

type Hole = readonly [name: string, values: readonly Argument[]];
type Values = ReadonlyMap<string, readonly Argument[]>;

export function callsOf(pattern: CallPattern, operators: OperatorTable): RuleCalls {
  return new Builder(operators).build(pattern);
}

class Builder {
  readonly #operators: OperatorTable;
  readonly #nodes: Node[] = [];
  readonly #vals = new Map<string, MetaValue>();
  readonly #inputs = new Map<string, Tensor>();
  /** References to inputs by the number of the hole that they are for. */
  readonly #tensors = new Map<number, readonly NodeRef[]>();

  constructor(operators: OperatorTable) {
    this.#operators = operators;
  }

  build(pattern: CallPattern): RuleCalls {
    const roots: NodeRef[] = [];
    for (const single of alternatives(withNames(pattern)))
      for (const given of assignments(thinned([...this.#holes(single)]))) {
        const root = this.#call(single, given);
        if (root !== undefined) roots.push(root);
      }
    const inputs = [...this.#inputs.keys()].map((name) => this.#placeholder(name));
    const copies = roots.map((root) => this.#push("aten.clone.default", [root], {})!);
    const builder = new GraphBuilder({ unknownTargets: "allow" }).addAll([...inputs, ...this.#nodes]);
    builder.output(tuple(copies));
    return { graph: builder.build(), inputs: this.#inputs };
  }

  /** Holes with what may stand there. */
  #holes(pattern: CallPattern, found = new Map<string, readonly Argument[]>()): Values {
    this.#eachArgument(pattern, (item, type) => {
      if (item.kind === "call") this.#holes(item, found);
      if (item.kind === "any" && !found.has(item.name!))
        found.set(item.name!, this.#candidates(type, found.size));
    });
    return found;
  }

  #eachArgument(
    { targets, args, kwargs }: CallPattern,
    visit: (item: Pattern, type: SchemaType) => void,
  ): void {
    const schema = this.#operators.require(targets[0]!).schema;
    for (const [i, item] of args.entries()) visit(item, schema.args[i]!.type);
    for (const [key, item] of kwargs) visit(item, schema.args.find(({ name }) => name === key)!.type);
  }

  #candidates({ base, list }: SchemaType, hole: number): readonly Argument[] {
    if (list) return LISTS;
    // A third operand that is a tensor too would make a million calls.
    if (base === "Tensor") return hole > 1 ? NUMBERS : [...this.#tensorsFor(hole), ...NUMBERS];
    const values = OTHERS[base];
    if (values === undefined) throw new Error(`nothing to put in for ${base}`);
    return values;
  }

  /** Of each dtype a square and a tensor without dimensions. */
  #tensorsFor(hole: number): readonly NodeRef[] {
    const known = this.#tensors.get(hole);
    if (known !== undefined) return known;
    const made = DTYPES.flatMap((dtype) => [
      this.#input(`t${hole}_${dtype}`, square(dtype, hole === 0 ? "columns" : "rows")),
      this.#input(`s${hole}_${dtype}`, Tensor.from([edgeValues(dtype)[hole === 0 ? 11 : 0]!], [], dtype)),
    ]);
    this.#tensors.set(hole, made);
    return made;
  }

  #input(name: string, tensor: Tensor): NodeRef {
    this.#inputs.set(name, tensor);
    this.#vals.set(name, new FakeTensor(tensor));
    return ref(name);
  }

  #placeholder(name: string): Node {
    const val = this.#vals.get(name)!;
    return { name, op: "placeholder", target: name, args: [], kwargs: NO_KWARGS, meta: { val } };
  }

  /** Returns the call with its holes filled; undefined when the operator refuses it. */
  #call(pattern: CallPattern, given: ReadonlyMap<string, Argument>): NodeRef | undefined {
    const argument = (item: Pattern): Argument | undefined => {
      if (item.kind === "call") return this.#call(item, given);
      if (item.kind === "literal") return item.value;
      if (item.kind === "any") return given.get(item.name!);
      throw new Error("patterns of lists are not built here");
    };
    const args = pattern.args.map(argument);
    const kwargs = Object.fromEntries([...pattern.kwargs].map(([key, item]) => [key, argument(item)]));
    if ([...args, ...Object.values(kwargs)].includes(undefined)) return undefined;
    return this.#push(pattern.targets[0]!, args as Argument[], kwargs as Record<string, Argument>);
  }

  #push(
    target: string,
    args: readonly Argument[],
    kwargs: Readonly<Record<string, Argument>>,
  ): NodeRef | undefined {
    const resolve = ({ name }: NodeRef): FakeTensor => this.#vals.get(name) as FakeTensor;
    let val: MetaValue;
    try {
      val = metaOf(this.#operators, target, args, kwargs, STATIC_ENV, resolve);
    } catch {
      return undefined;
    }
    const name = `v${this.#nodes.length}`;
    this.#vals.set(name, val);
    this.#nodes.push({ name, op: "call_function", target, args, kwargs, meta: { val } });
    return ref(name);
  }
}

/** Returns the pattern with a name for each of its holes. */
function withNames(pattern: CallPattern, count = { next: 0 }): CallPattern {
  const named = (item: Pattern): Pattern => {
    if (item.kind === "call") return withNames(item, count);
    return item.kind === "any" && item.name === undefined
      ? { kind: "any", name: `hole${count.next++}` }
      : item;
  };
  const kwargs = new Map([...pattern.kwargs].map(([key, item]) => [key, named(item)]));
  return { ...pattern, args: pattern.args.map(named), kwargs };
}

/** Returns the pattern with one operator in the place of several. */
const alternatives = (pattern: CallPattern): CallPattern[] =>
  pattern.targets.map((target) => ({ ...pattern, targets: [target] }));

/** With three holes or more, every seventh of what may stand in the second. */
const thinned = (holes: readonly Hole[]): Hole[] =>
  holes.map(([name, values], i) =>
    i === 1 && holes.length > 2 && values.length > 50
      ? [name, values.filter((_, at) => at % 7 === 0)]
      : [name, values],
  );

/** Yields all ways to fill holes. */
function* assignments(
  holes: readonly Hole[],
  given: ReadonlyMap<string, Argument> = new Map(),
): Generator<ReadonlyMap<string, Argument>> {
  const [first, ...rest] = holes;
  if (first === undefined) {
    yield given;
    return;
  }
  for (const value of first[1]) yield* assignments(rest, new Map(given).set(first[0], value));
}
