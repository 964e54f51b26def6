/** @file Metadata of the nodes that a call adds. */
import type { ModuleStackEntry, NodeMeta } from "@sconce/ir";
import type { RawStack } from "@sconce/source-check";
import type { SourceFunctions } from "./source-functions.js";
import type { TraceMeta } from "./trace-node.js";

/** What is known while a call runs. */
interface CallOrigin extends Pick<TraceMeta, "source" | "torchFn"> {
  readonly moduleStack: readonly ModuleStackEntry[];
  readonly sources: SourceFunctions | undefined;
  /** Where the user's code makes the call. */
  readonly stack: () => RawStack;
}

/** Returns the metadata of a node of a call; a node that is exported again keeps what it had. */
export function metaOfCall(
  target: string,
  { source, torchFn, moduleStack, sources, stack }: CallOrigin,
): TraceMeta {
  if (source !== undefined)
    return {
      source,
      moduleStack: retracedStack(source) ?? moduleStack,
      torchFn: source.torchFn ?? torchFn,
    };
  const sourceFunctions =
    sources === undefined || NO_SOURCE.test(target) ? undefined : sources.of(moduleStack);
  return { stack: stack(), moduleStack, torchFn, sourceFunctions };
}

/** Nodes that belong to no call: they read sizes and assert. */
const NO_SOURCE = /^aten\.(?:sym_|_assert_(?:scalar|tensor_metadata))/;

/** Returns the modules of a node that is exported again (`_fixup_key`). */
const retracedStack = ({ nnModuleStack }: NodeMeta): readonly ModuleStackEntry[] | undefined =>
  nnModuleStack?.map(([key, path, type]): ModuleStackEntry => [`L__self__${key}`, path, type]);
