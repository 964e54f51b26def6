/** @file Nodes of a syntax tree among the values of their properties. */
import type { AnyNode } from "acorn";

/** Returns whether a property of a node is a node. */
export const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
