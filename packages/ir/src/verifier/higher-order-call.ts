/** @file Checks of one higher-order call: its nested graphs, operands and results. */

import { describeValue } from "@sconce/errors";
import type { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import type { OperatorLookup } from "../graph/operator.js";
import type { Report } from "../graph/problem.js";
import { type Argument, isRef, itemsOf } from "../values/argument.js";
import type { MetaValue } from "../values/meta.js";
import { agree, literalValue, valueText } from "./agreement.js";

/** A value with what it is called in messages. */
export type Values = readonly (MetaValue | undefined)[];

/** A nested graph that a call reads. */
export interface Body {
  /** The target of its `get_attr`. */
  readonly name: string;
  readonly graph: Graph;
}

/** Checks the calls of one operator. */
export type HigherOrderRule = (call: HigherOrderCall, operators: OperatorLookup | undefined) => void;

/** A call of a higher-order operator, with the means to report what is wrong with it. */
export class HigherOrderCall {
  readonly node: Node;
  readonly #graph: Graph;
  readonly #report: Report;

  constructor(node: Node, graph: Graph, report: Report) {
    this.node = node;
    this.#graph = graph;
    this.#report = report;
  }

  /** Reports arguments that the operator does not take. */
  refuse(message: string, fix: string): void {
    this.#report("HIGHER_ORDER_ARGUMENTS", `${this.node.target}: ${message}`, this.node.name, fix);
  }

  /** Reports values that do not fit together. */
  differ(message: string, fix: string): void {
    this.#report("HIGHER_ORDER_SIGNATURE", `${this.node.target}: ${message}`, this.node.name, fix);
  }

  /**
   * Returns whether the call has as many arguments as the operator takes; reported when it has not.
   */
  arity(least: number, most: number): boolean {
    const { length } = this.node.args;
    if (length >= least && length <= most) return true;
    const wanted =
      least === most ? `${least}` : most === Infinity ? `at least ${least}` : `${least} to ${most}`;
    this.refuse(
      `${length} arguments, and it takes ${wanted}`,
      "give the arguments that PyTorch's operator takes",
    );
    return false;
  }

  /** Returns whether the call has no keyword arguments but these; reported when it has. */
  keywords(...known: readonly string[]): boolean {
    const [unknown] = Object.keys(this.node.kwargs).filter((key) => !known.includes(key));
    if (unknown === undefined) return true;
    this.refuse(`it got an unexpected keyword argument '${unknown}'`, `remove ${unknown}`);
    return false;
  }

  /**
   * Returns the nested graph that an argument reads; undefined, and reported, when it reads none.
   */
  body(argument: Argument | undefined, what: string): Body | undefined {
    const node = isRef(argument) ? this.#graph.find(argument.name) : undefined;
    if (node?.op === "get_attr") {
      const graph = this.#graph.subgraphs.get(node.target);
      return graph === undefined ? undefined : { name: node.target, graph }; // reported at the get_attr
    }
    if (isRef(argument) && node === undefined) return undefined; // reported with the structure of the graph
    const given = isRef(argument) ? `node ${argument.name}` : describeValue(argument);
    this.refuse(
      `${what} is ${given}, not a nested graph`,
      `pass the get_attr of the nested graph as ${what}`,
    );
    return undefined;
  }

  /**
   * Returns the recorded values of a list or tuple of operands; undefined, and reported, for
   * another argument.
   */
  operands(argument: Argument | undefined, what: string): Values | undefined {
    const items = argument === undefined ? [] : itemsOf(argument);
    if (items !== undefined) return items.map((item) => this.value(item));
    this.refuse(
      `${what} is ${describeValue(argument)}, not a list or tuple`,
      `give ${what} as a list or tuple of values`,
    );
    return undefined;
  }

  /** Returns the recorded value of an argument; undefined when it is not known. */
  value(argument: Argument): MetaValue | undefined {
    return isRef(argument) ? this.#graph.find(argument.name)?.meta.val : literalValue(argument);
  }

  /** The graph's placeholders must be as many as the operands, and record values like theirs. */
  inputs({ name, graph }: Body, operands: Values): void {
    const placeholders = graph.placeholders();
    if (placeholders.length !== operands.length) {
      this.differ(
        `${name} has ${placeholders.length} placeholders, and the call gives it ${operands.length} operands`,
        `give one operand for each placeholder of ${name}`,
      );
      return;
    }
    placeholders.forEach((placeholder, i) => {
      const { val } = placeholder.meta;
      if (agree(val, operands[i])) return;
      this.differ(
        `operand ${i} is ${valueText(operands[i]!)}, and placeholder ${placeholder.name} of ${name} records ${valueText(val!)}`,
        `record the operand's dtype and sizes at ${placeholder.name}, or pass another operand`,
      );
    });
  }

  /** Returns the recorded results of a nested graph. */
  outputs({ graph }: Body): Values {
    const last = graph.size > 0 ? graph.nodeAt(graph.size - 1) : undefined;
    if (last?.op !== "output") return [];
    const value = (item: Argument): MetaValue | undefined =>
      isRef(item) ? graph.find(item.name)?.meta.val : literalValue(item);
    const result = last.args[0] ?? null;
    const items = itemsOf(result);
    if (items !== undefined) return items.map(value);
    const only = value(result);
    return Array.isArray(only) ? (only as readonly MetaValue[]) : [only];
  }

  /**
   * The call's recorded results must be as many as these, and like them; `source` names where these
   * come from.
   */
  results(expected: Values, source: string): void {
    const { val } = this.node.meta;
    if (val === undefined) return; // reported as missing
    const recorded: Values = Array.isArray(val) ? (val as readonly MetaValue[]) : [val];
    if (recorded.length !== expected.length) {
      this.#result(`the call records ${recorded.length} results, and ${source} gives ${expected.length}`);
      return;
    }
    expected.forEach((value, i) => {
      if (!agree(recorded[i], value))
        this.#result(
          `the call records result ${i} as ${valueText(recorded[i]!)}, and ${source} gives ${valueText(value!)}`,
        );
    });
  }

  #result(message: string): void {
    this.#report(
      "HIGHER_ORDER_RESULT",
      `${this.node.target}: ${message}`,
      this.node.name,
      "record the results of the nested graph at the call",
    );
  }
}
