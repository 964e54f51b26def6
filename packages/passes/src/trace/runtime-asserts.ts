/**
 * @file Assertions on data-dependent sizes, as PyTorch leaves them after a retrace
 * (`torch/fx/passes/runtime_assert.py`): each stands right after the node that binds its last
 * symbol, range bounds first. The source program's own assertion stays where it was only when its
 * condition is written otherwise than the canonical text in its message.
 */
import { type Graph, isRef, type Node, type NodeMeta, type SymScalar } from "@sconce/ir";
import { freeSymbols, printExpr, SymExpr } from "@sconce/symbolic";
import type { Tracer } from "./tracer.js";

const MESSAGE = /^Runtime assertion failed for expression (.*) on node '.*'$/s;
const TARGET = "aten._assert_scalar.default";

interface Assertion {
  /** Canonical text of the condition. */
  readonly text: string;
  readonly condition: SymExpr;
  readonly isRange: boolean;
  /**
   * The integer that a float is compared with: the node of the condition has it as it is written.
   */
  readonly bound: number | undefined;
}

export class RuntimeAssertions {
  readonly #pending: Assertion[] = [];
  /** Conditions that are asserted already, as text. */
  readonly #asserted = new Set<string>();

  /** Whether conditions that ranges decide are not deferred. */
  readonly #isFresh: boolean;

  /**
   * @param graph the graph that is traced again
   * @param isFresh whether its symbols have no assertions but those of this trace: in a program
   *   that was exported here, the ones of the export are known too
   */
  constructor(graph: Graph, isFresh: boolean) {
    this.#isFresh = isFresh;
    const known = new Set<string>();
    for (const node of graph.nodes()) {
      const assertion = assertionOf(node, graph);
      if (assertion === undefined || known.has(assertion.text)) continue;
      known.add(assertion.text);
      this.#pending.push(assertion);
    }
    this.#pending.sort((a, b) => Number(b.isRange) - Number(a.isRange));
  }

  /** Asserts what only waited for a symbol that has just been bound. */
  emitReady(tracer: Tracer): void {
    const isReady = ({ condition }: Assertion): boolean =>
      [...freeSymbols(condition).keys()].every((name) => tracer.symbols.knows(name));
    const ready = this.#pending.filter(isReady);
    if (ready.length === 0) return;
    const left = this.#pending.filter((one) => !ready.includes(one));
    this.#pending.splice(0, this.#pending.length, ...left);
    const order = new Map([...tracer.symbols.bound].map((name, i) => [name, i]));
    const placeOf = ({ condition }: Assertion): number => order.get(lastSymbol(condition)) ?? -1;
    ready.sort((a, b) => placeOf(a) - placeOf(b));
    for (const assertion of ready) {
      // What the ranges decide is not asserted anew: the source's own assertion stays.
      const isDecided = this.#isFresh && !assertion.isRange && tracer.env.knownTrue(assertion.condition);
      if (!isDecided) this.#emit(tracer, assertion);
    }
  }

  #emit(tracer: Tracer, { condition, text, bound }: Assertion): void {
    this.#asserted.add(text);
    tracer.reify(() => {
      const made = tracer.currentMeta;
      // PyTorch traces the graph of a call while that call runs: arithmetic has the call's line.
      tracer.currentMeta = tracer.bodyArithmeticMeta ?? made;
      const node =
        bound === undefined
          ? tracer.toArgument({ kind: "SymBool", expr: condition })
          : tracer.symbols.comparison(condition, bound);
      const name = isRef(node) ? node.name : "";
      const message = `Runtime assertion failed for expression ${text} on node '${name}'`;
      tracer.currentMeta = made;
      tracer.record(TARGET, [node, message], {}, null, "_assert_scalar_default");
    });
    tracer.env.addAxiom(condition);
  }

  /**
   * An assertion of the source program: dropped when the same condition is asserted already. The
   * metadata is that of the condition's node.
   */
  emitSource(tracer: Tracer, condition: SymScalar | boolean, message: string, meta: NodeMeta): void {
    if (typeof condition === "boolean") return;
    if (!(condition.expr instanceof SymExpr)) {
      const always = tracer.symbols.constantNode(condition);
      if (always !== undefined) tracer.record(TARGET, [always, message], {}, null, "_assert_scalar");
      return;
    }
    const text = printExpr(condition.expr);
    if (this.#asserted.has(text)) {
      tracer.names.create("_assert_scalar");
      return;
    }
    this.#asserted.add(text);
    const assertion = tracer.currentMeta;
    tracer.currentMeta = meta;
    const asserted = tracer.symbols.sourceArgument(condition);
    tracer.currentMeta = assertion;
    tracer.record(TARGET, [asserted, message], {}, null, "_assert_scalar");
  }
}

/**
 * The data-dependent symbol of a condition that was made last: its assertion follows that symbol.
 */
function lastSymbol(condition: SymExpr): string {
  const numbers = [...freeSymbols(condition).keys()].flatMap((name) => /^u(\d+)$/.exec(name)?.[1] ?? []);
  return `u${Math.max(...numbers.map(Number))}`;
}

function assertionOf(node: Node, graph: Graph): Assertion | undefined {
  if (node.target !== TARGET) return undefined;
  const [condition, message] = node.args;
  const text = typeof message === "string" ? MESSAGE.exec(message)?.[1] : undefined;
  if (text === undefined || !isRef(condition)) return undefined;
  const val = graph.node(condition.name).meta.val as SymScalar | undefined;
  if (!(val?.expr instanceof SymExpr)) return undefined;
  return {
    text,
    condition: val.expr,
    isRange: /^u\d+ [<>]= -?\d+$/.test(text),
    bound: boundOf(val.expr, text),
  };
}

/** `0 < zuf0` is computed as `zuf0 > 0`, while the condition is `zuf0 > 0.0`. */
function boundOf(condition: SymExpr, text: string): number | undefined {
  const literal = condition.args[1];
  const written = /^(-?\d+) [<>]=? | [<>]=? (-?\d+)$/.exec(text);
  if (condition.args.length !== 2 || literal?.op !== "Float" || written === null) return undefined;
  return Number(written[1] ?? written[2]);
}
