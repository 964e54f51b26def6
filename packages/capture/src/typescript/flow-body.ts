/** @file What calls of nested graphs need of the graph that they are written in. */
import type { Argument, Graph, Node } from "@sconce/ir";
import type { ModuleFile } from "./module-file.js";
import type { ScannedAxis } from "./scanned-axis.js";

/** The statements of a graph that has calls of nested graphs. */
export interface FlowBody {
  readonly file: ModuleFile;
  readonly graph: Graph;
  /** Whether the graph is that of a function of control flow. */
  readonly isNested: boolean;
  readonly indent: string;
  readonly lines: readonly string[];
  /** Associative scans that are one call with what stands around them, by their nodes. */
  readonly scans: ReadonlyMap<string, ScannedAxis>;
  /** Writes all calls, and returns the items of the result. */
  run(): readonly Argument[];
  /** Returns the expression for an argument. */
  text(value: Argument, where: string): string;
  /** Declares a variable for a node, if anything reads it. */
  declare(node: Node, expression: string): void;
  /** Lets an expression represent a node. */
  bind(name: string, text: string): void;
  /** Writes a line. */
  line(text: string): void;
  /** Leaves out a node: another one says what it does. */
  skip(name: string): void;
  /** Begins the body of a function for a nested graph. */
  nested(graph: Graph, values: ReadonlyMap<string, string>): FlowBody;
}
