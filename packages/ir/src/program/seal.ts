/**
 * @file Keeps code that is not ours from changing the program it was handed: what is data is
 * frozen, what is a map refuses writes.
 */
import type { Tensor } from "@sconce/tensor";
import { Graph } from "../graph/graph.js";
import { FakeTensor } from "../values/meta.js";
import type { ExportedProgram } from "./program.js";

/** What was sealed, so that the versions of a program share the work as they share their nodes. */
const sealed = new WeakSet<object>();

/**
 * Makes a program read-only, nested graphs and signature included: a write throws a `TypeError`.
 * The values of tensors stay writable: typed arrays cannot be frozen.
 */
export function sealProgram(program: ExportedProgram): void {
  if (sealed.has(program)) return;
  sealed.add(program);
  sealGraph(program.graph);
  for (const part of [
    program.graphSignature,
    program.moduleCallGraph,
    program.guardsCode,
    program.unusedSymbols,
    program.opsetVersion,
    program.graphMetadata,
  ])
    sealData(part);
  for (const map of [program.stateDict, program.constants, program.rangeConstraints, program.symbolHints])
    sealMap(map);
  sealMap(program.parameterNames);
  sealMap(program.namedTupleFields);
  for (const names of program.namedTupleFields.values()) sealData(names);
  for (const tensors of [program.stateDict, program.constants])
    for (const tensor of tensors.values()) sealTensor(tensor);
  Object.freeze(program);
}

function sealGraph(graph: Graph): void {
  if (sealed.has(graph)) return;
  sealed.add(graph);
  // Versions share pages: what a pass left alone is not looked at again.
  for (const page of Graph.stateOf(graph).pages) {
    if (sealed.has(page)) continue;
    sealed.add(page);
    for (const node of page.nodes) sealData(node);
  }
  sealMap(graph.subgraphs);
  for (const nested of graph.subgraphs.values()) sealGraph(nested);
  Object.freeze(graph);
}

/**
 * Plain objects, arrays and fake tensors; what has its own methods (expressions, tensors) looks
 * after itself.
 */
function sealData(value: unknown): void {
  if (typeof value !== "object" || value === null || !isData(value)) return;
  Object.freeze(value);
  for (const item of Object.values(value)) sealData(item);
}

function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || value instanceof FakeTensor;
}

function sealTensor(tensor: Tensor): void {
  for (const part of [tensor.shape, tensor.strides, tensor.storage, tensor]) Object.freeze(part);
}

/** Replaces the mutating methods of a map or set, which cannot be frozen. */
export function sealMap(
  map: ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>,
  owner = "a program: programs are immutable",
): void {
  if (sealed.has(map)) return;
  sealed.add(map);
  for (const method of ["set", "add", "delete", "clear"]) {
    const value = (): never => {
      throw new TypeError(`Cannot ${method} entries of ${owner}`);
    };
    Object.defineProperty(map, method, { value });
  }
}
