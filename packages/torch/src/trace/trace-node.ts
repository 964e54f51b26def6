/** @file Nodes of captured graphs. */
import type { ModuleStackEntry, NodeMeta } from "@sconce/ir";
import type { RawStack } from "@sconce/source-check";
import {
  TraceNode as Traced,
  type TraceArgument as TracedArgument,
  type TraceBody as TracedBody,
} from "@sconce/trace";

/** A node while its graph is captured. It gets its final name when the graph is complete. */
export type TraceNode = Traced<TraceMeta>;
export const TraceNode: typeof Traced<TraceMeta> = Traced;
/** An argument of such a node: other nodes are referred to as objects. */
export type TraceArgument = TracedArgument<TraceMeta>;
/** A nested graph that was traced: a branch of `cond`, the body of a loop. */
export type TraceBody = TracedBody<TraceMeta>;

/** The metadata of the call that makes a node. */
export interface TraceMeta {
  /** Where the user's code made the call. */
  readonly stack?: RawStack | undefined;
  /** The modules whose `forward` runs, outermost first. */
  readonly moduleStack?: readonly ModuleStackEntry[] | undefined;
  /** The function that was called, and its kind. */
  readonly torchFn?: NodeMeta["torchFn"];
  /** The functions that a strict export notes. */
  readonly sourceFunctions?: NodeMeta["sourceFnStack"] | undefined;
  /** The metadata of the node that is exported again; it has the stack. */
  readonly source?: NodeMeta | undefined;
  /** A stack that is not the user's. */
  readonly stackTrace?: string | undefined;
}
