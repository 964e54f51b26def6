/** @file Why a program that calls opaque operators does not run, and what to do. */
import type { SconceError } from "@sconce/errors";
import { type Graph, type OpaqueCall, opaqueCalls, sourceLine, withLine } from "@sconce/ir";
import { opaqueOperators as opaqueError } from "./errors.js";
import type { OperatorTable } from "./table.js";

/** Packages with plugins for the operators of libraries, by namespace. */
const PACKAGES: ReadonlyMap<string, { readonly name: string; readonly plugin: string }> = new Map([
  ["torchvision", { name: "@sconce/torch-libraries", plugin: "torchLibraries" }],
  ["transformers", { name: "@sconce/torch-libraries", plugin: "torchLibraries" }],
]);

/**
 * Refuses a program that cannot run because nothing defines some of its operators, those in nested
 * graphs included. `runs` says whether a call runs all the same, on a backend that knows its
 * operator.
 *
 * @throws SconceError `OPAQUE_OPERATORS` listing the operators, and how to register each
 */
export function refuseOpaque(
  graph: Graph,
  operators: OperatorTable,
  runs: (call: OpaqueCall) => boolean = () => false,
): void {
  const calls = opaqueCalls(graph, operators).filter((call) => !runs(call));
  if (calls.length > 0) throw opaqueOperators(calls);
}

function opaqueOperators(calls: readonly OpaqueCall[]): SconceError {
  const nodes = new Map<string, string[]>();
  for (const { node, target, path } of calls) {
    const place = [...path, node.name].join(".");
    nodes.set(target, [...(nodes.get(target) ?? []), place]);
  }
  const listed = [...nodes].map(([target, [first, ...more]]) =>
    more.length === 0 ? `${target} (node "${first}")` : `${target} (node "${first}" and ${more.length} more)`,
  );
  const where = withLine(`%${[...nodes.values()][0]![0]}`, sourceLine(calls[0]!.node));
  return opaqueError(nodes.size, few(listed), where, fixFor([...nodes.keys()]));
}

/** Operators that an error lists. */
const LISTED = 20;

/** `a, b and 2990 more`. */
const few = (items: readonly string[]): string =>
  items.slice(0, LISTED).join(", ") + (items.length > LISTED ? ` and ${items.length - LISTED} more` : "");

/**
 * Returns how to get the operators: a package for those of a known library, a plugin for the rest.
 */
function fixFor(targets: readonly string[]): string {
  const packages = new Map<string, string>();
  const others: string[] = [];
  for (const target of targets) {
    const known = PACKAGES.get(target.slice(0, target.indexOf(".")));
    if (known === undefined) others.push(target);
    else packages.set(known.name, known.plugin);
  }
  const parts = [...packages].map(
    ([name, plugin]) =>
      `install ${name} and give its plugin to the session: createSconce({ plugins: [${plugin}] })`,
  );
  if (others.length > 0)
    parts.push(
      `register ${few(others)} with a plugin that gives a shape rule (\`ops\`) and a kernel (\`kernels\`) or a decomposition; \`library.plugin\` makes one of custom operators`,
    );
  return parts.join("; ");
}
