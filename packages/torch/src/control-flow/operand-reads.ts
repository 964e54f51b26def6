/** @file Calls of branches that read numbers of operands. */
import { type NewNode, readTensor } from "@sconce/trace";
import { TraceNode } from "../trace/trace-node.js";

/** Returns whether a call reads numbers of an operand, or takes one for a mask. */
export const readsOperands = ({ target, args = [] }: NewNode<unknown>): boolean =>
  isPlaceholder(readTensor(target, args));

/** Returns whether a value is an input of a graph. */
export const isPlaceholder = (value: unknown): boolean =>
  value instanceof TraceNode && value.op === "placeholder";
