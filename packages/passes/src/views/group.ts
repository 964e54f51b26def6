/** @file What moves together. */
import type { FakeTensor, Node } from "@sconce/ir";
import type { Move } from "./move.js";

/** A view, or a pointwise call of such, as it is without the view. */
export interface Moved {
  readonly node: Node;
  readonly at: number;
  /** The value before the view: with the views moved behind, what the call gives. */
  readonly val: FakeTensor;
  readonly move: Move;
  /** The view that the value comes from: the node itself, or one before it. */
  readonly view: Node;
}

/** A view behind a group, and what becomes of it. */
export interface Follower {
  readonly node: Node;
  readonly moved: Moved;
  /** The view that does both; undefined when nothing remains. */
  readonly joined: Pick<Node, "target" | "args" | "meta"> | undefined;
}

export class Group {
  readonly views: Moved[] = [];
  readonly calls: Moved[] = [];
  readonly followers: Follower[] = [];
  /** Members that others read as they were: a view each remains. */
  readonly read = new Set<string>();
  /** Calls of which the view cannot be made behind them. */
  isFixed = false;

  /** By how many views there would be fewer. */
  get gain(): number {
    const joined = this.followers.filter((follower) => follower.joined !== undefined).length;
    return this.views.length + this.followers.length - this.read.size - joined;
  }
}
