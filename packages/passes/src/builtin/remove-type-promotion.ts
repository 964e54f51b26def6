import {
  FakeTensor,
  forEachInput,
  type Graph,
  isRef,
  kindOf,
  type Node,
  type NodeRef,
  rebuild,
  ref,
} from "@sconce/ir";
import { metaOf, type OperatorTable } from "@sconce/ops";
import { type SymEnv, symEquals } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { refRenamer, shapeEnvOf } from "@sconce/trace";
import { aliasRoots, forEachAliasedInput, type Roots } from "../analysis/aliases.js";
import { withRenamed } from "../graphs/rename.js";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import { definePass } from "../pass/pass.js";
import { isDirect } from "../shapes/casts.js";
import { convertsItself, promotedOperands } from "../shapes/own-casts.js";

/**
 * `_to_copy(_to_copy(x, dtype=float64), dtype=float32)` becomes `x`, and other conversions that
 * change no number.
 */
export const removeTypePromotion = definePass({
  name: "remove-type-promotion",
  doc: "Removes conversions between dtypes that change no number.",
  requires: "ATEN",
  run(program, { operators }) {
    const env = shapeEnvOf(program);
    const { graph, renamed } = new Conversions(program.graph, operators, env).run();
    return withRenamed(program, inBodies(graph, operators, env), renamed);
  },
});

const inBodies = (graph: Graph, operators: OperatorTable, env: SymEnv): Graph =>
  mapSubgraphs(graph, (nested) =>
    inBodies(new Conversions(nested, operators, env).run().graph, operators, env),
  );

class Conversions {
  readonly #graph: Graph;
  readonly #operators: OperatorTable;
  readonly #env: SymEnv;
  /** Conversions that go, with what represents them. */
  readonly #renamed = new Map<string, string>();
  /** Conversions that stay, by name, as they are now. */
  readonly #kept = new Map<string, Node>();
  #roots: ReadonlyMap<string, Roots> | undefined;
  #leaving: ReadonlySet<string> | undefined;

  constructor(graph: Graph, operators: OperatorTable, env: SymEnv) {
    this.#graph = graph;
    this.#operators = operators;
    this.#env = env;
  }

  run(): { graph: Graph; renamed: ReadonlyMap<string, string> } {
    const rename = refRenamer(this.#renamed);
    const graph = rebuild(this.#graph, (node) => {
      const current = this.#renamed.size === 0 ? node : rename(node);
      return isConversion(current, this.#graph) ? this.#conversion(current) : this.#withoutOwn(current);
    });
    return { graph, renamed: this.#renamed };
  }

  /**
   * Returns the conversion from as early a value as gives the same; false when that value is what
   * it gives.
   */
  #conversion(node: Node): Node | false {
    const { name, meta } = node;
    let source = (node.args[0] as NodeRef).name;
    for (let before = this.#kept.get(source); before !== undefined; before = this.#kept.get(source)) {
      const earlier = (before.args[0] as NodeRef).name;
      if (!isDirect(this.#dtypeOf(earlier), this.#dtypeOf(source), (meta.val as FakeTensor).dtype)) break;
      source = earlier;
    }
    if (this.#isSame(source, node)) {
      this.#renamed.set(name, source);
      return false;
    }
    const shorter = source === (node.args[0] as NodeRef).name ? node : this.#from(source, node);
    this.#kept.set(name, shorter);
    return shorter;
  }

  /** Returns the call without conversions of its operands that it makes itself. */
  #withoutOwn(node: Node): Node {
    const places = promotedOperands(node.target);
    let next = node;
    for (const place of places) {
      const other = places.find((at) => at !== place)!;
      const [operand, beside] = [next.args[place], next.args[other]];
      const before = isRef(operand) ? this.#kept.get(operand.name) : undefined;
      // Multiplied with itself, a conversion is needed anyway.
      if (before === undefined || !isRef(beside) || beside.name === (operand as NodeRef).name) continue;
      const source = (before.args[0] as NodeRef).name;
      const sides = [source, (operand as NodeRef).name, beside.name].map(
        (name) => this.#graph.node(name).meta.val,
      );
      if (convertsItself(sides[0], sides[1], sides[2])) next = this.#reading(next, place, source);
    }
    return next;
  }

  /** Returns the call with another operand, if its result is as before. */
  #reading(node: Node, place: number, source: string): Node {
    const before = node.meta.val;
    if (!(before instanceof FakeTensor)) return node;
    const args = node.args.with(place, ref(source));
    const resolve = ({ name }: NodeRef): unknown => this.#graph.node(name).meta.val;
    const val = metaOf(
      this.#operators,
      node.target,
      args,
      node.kwargs,
      this.#env,
      resolve as never,
    ) as FakeTensor;
    return val.dtype === before.dtype && sameLayout(val, before) ? Object.freeze({ ...node, args }) : node;
  }

  #dtypeOf(name: string): DType {
    return this.#valOf(name).dtype;
  }

  #valOf(name: string): FakeTensor {
    return this.#graph.node(name).meta.val as FakeTensor;
  }

  /**
   * Returns whether a value may represent its conversion: same dtype and layout, and no caller gets
   * memory that it shared before.
   */
  #isSame(source: string, node: Node): boolean {
    const val = this.#valOf(source);
    if (val.dtype !== (node.meta.val as FakeTensor).dtype || !sameLayout(val, node.meta.val as FakeTensor))
      return false;
    this.#leaving ??= leavingNodes(this.#graph, this.#operators);
    if (!this.#leaving.has(node.name)) return true;
    this.#roots ??= aliasRoots(this.#graph, this.#operators);
    // The caller would be given an input, or one result twice.
    return !this.#leaving.has(source) && (this.#roots.get(source)?.size ?? 0) === 0;
  }

  /** Returns the conversion of an earlier value, if it lies in memory as before. */
  #from(source: string, node: Node): Node {
    const args = [ref(source), ...node.args.slice(1)];
    const resolve = ({ name }: NodeRef): FakeTensor => this.#valOf(name);
    const val = metaOf(this.#operators, node.target, args, node.kwargs, this.#env, resolve) as FakeTensor;
    if (!sameLayout(val, node.meta.val as FakeTensor)) return node;
    const origin = { pass: "remove-type-promotion", from: [node.name] };
    return Object.freeze({ ...node, args, meta: { ...node.meta, origin } });
  }
}

/** Returns whether a node is a `_to_copy` that changes the dtype only. */
function isConversion({ target, args, kwargs, meta }: Node, graph: Graph): boolean {
  if (target !== "aten._to_copy.default" || !isRef(args[0]) || !(meta.val instanceof FakeTensor))
    return false;
  if (!(graph.node(args[0].name).meta.val instanceof FakeTensor)) return false;
  return Object.entries(kwargs).every(([key, value]) => {
    if (key === "dtype" || value === null || value === false) return true;
    if (key === "device") return (value as { type?: string }).type === "cpu" && isCpu(meta.val as FakeTensor);
    return kindOf(value) === "layout"
      ? (value as { layout: string }).layout === "strided"
      : isPreserve(value);
  });
}

const isCpu = (val: FakeTensor): boolean => val.device.type === "cpu" && val.layout === "strided";
const isPreserve = (value: unknown): boolean =>
  kindOf(value) === "memory_format" && (value as { format: string }).format === "preserve_format";

function sameLayout(a: FakeTensor, b: FakeTensor): boolean {
  const { device } = a;
  return (
    device.type === b.device.type &&
    device.index === b.device.index &&
    a.layout === b.layout &&
    a.shape.every((size, d) => symEquals(size, b.shape[d]!)) &&
    a.strides.every((stride, d) => symEquals(stride, b.strides[d]!))
  );
}

/** Values whose memory the caller gets, as they are or as views. */
function leavingNodes(graph: Graph, operators: OperatorTable): ReadonlySet<string> {
  const leaving = new Set<string>();
  for (let at = graph.size - 1; at >= 0; at--) {
    const node = graph.nodeAt(at);
    const add = (name: string): void => void leaving.add(name);
    if (node.op === "output") forEachInput(node, add);
    else if (leaving.has(node.name)) forEachAliasedInput(node, operators, add);
  }
  return leaving;
}
