/** @file Reads of sizes and run-time assertions of captured graphs. */
import {
  type AssertedTrace,
  withRuntimeAsserts as asserted,
  INPUT_SIZE_META,
  reifiedFunction,
} from "@sconce/trace";
import type { TraceMeta, TraceNode } from "./trace-node.js";

const { stackTrace, nnModuleStack: moduleStack } = INPUT_SIZE_META;

/**
 * Returns the nodes of a trace with reads of sizes and assertions added, and duplicates left out.
 */
export const withRuntimeAsserts = (
  trace: Omit<AssertedTrace<TraceMeta>, "prelude" | "reified" | "assertions">,
): TraceNode[] =>
  asserted({
    ...trace,
    assertions: trace.env.assertions,
    prelude: trace.isNested ? {} : { stackTrace, moduleStack },
    reified: (meta, target) => ({ ...meta, torchFn: reifiedFunction(target), sourceFunctions: undefined }),
  });
