/** @file What drawings show of a program, as plain data that can be given to a worker. */

/**
 * What an item represents: an input of a graph, lifted state (parameter, buffer, constant), a call,
 * the output of a graph; a module with its calls, a nested graph, or a part of a very long list of
 * calls.
 */
export type ItemKind = "input" | "state" | "call" | "output" | "module" | "graph" | "part";

/** A node of the program, or a group of them that a drawing can open. */
export interface Item {
  /** Its number: the place in the list of items. Groups come before what is in them. */
  readonly id: number;
  /**
   * Names the item in a link and among opened groups. It stays the same while the node or the
   * module does.
   */
  readonly key: string;
  /** What it represents. */
  readonly kind: ItemKind;
  /** The operator, the name of an input, or the path of a module within the one around it. */
  readonly title: string;
  /** The type of a value, or the class of a module and how much is in it. */
  readonly detail: string;
  /** The node's name; undefined for groups that are not calls. */
  readonly node: string | undefined;
  /** Targets of the nested graphs that lead to the node's graph, outermost first. */
  readonly graph: readonly string[];
  /** The group around it; -1 for the program. */
  readonly parent: number;
  /** What is in a group, in the order of the program. A call has some if it has nested graphs. */
  readonly children: readonly number[];
  /** Number of calls in a group, in groups within it, too. */
  readonly calls: number;
}

/** The items of a program and the values between them. */
export interface Hierarchy {
  /** All items; the first one is the program. */
  readonly items: readonly Item[];
  /** The item that gives each value. Values that an item reads twice are one link. */
  readonly from: Int32Array;
  /** The item that reads it. */
  readonly to: Int32Array;
}
