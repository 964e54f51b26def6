/** @file Malformed programs and what becomes of them, for the tests of readers. */
import { isSconceError, type SconceError } from "@sconce/errors";
import { expect } from "vitest";
import { utf8 } from "../zip/zip.fixture.js";
import {
  type Loose,
  loose,
  makeModel,
  makePt2,
  makeRecords,
  type Records,
  withModel,
} from "./pt2.fixture.js";
import { readPt2 } from "./read.js";

/**
 * What is wrong, the code that it is refused with, what the place of the error has in it, and the
 * file.
 */
export type HostileCase = readonly [what: string, code: string, where: string, bytes: Uint8Array];

export const records = (change: (records: Records) => void): Uint8Array => {
  const all = makeRecords();
  change(all);
  return makePt2(all);
};
export const graphOf = (model: Loose): Loose => model["graph_module"]!["graph"]!;
export const graph = (change: (graph: Loose) => void): Uint8Array =>
  withModel((model) => change(graphOf(model)));
export const node = (change: (node: Loose) => void): Uint8Array => graph((g) => change(g["nodes"]![1]!));
export const argument = (value: unknown): Uint8Array =>
  node((n) => {
    n["inputs"]![1]!["arg"] = loose(value);
  });
export const size = (value: unknown): Uint8Array =>
  graph((g) => {
    g["tensor_values"]!["x"]!["sizes"]![0] = loose(value);
  });
export const expr = (text: string): Uint8Array => size({ as_expr: { expr_str: text, hint: null } });
export const signature = (change: (signature: Loose) => void): Uint8Array =>
  withModel((m) => change(m["graph_module"]!["signature"]!));
export const json = (text: string): Uint8Array => records((all) => all.set("models/model.json", utf8(text)));
export const text = JSON.stringify(makeModel());
export const subgraph = (name: string, inner: Loose): unknown => ({ as_graph: { name, graph: inner } });
export const nested = (depth: number): Uint8Array => {
  let inner = graphOf(makeModel());
  for (let i = 0; i < depth; i++) {
    const outer = graphOf(makeModel());
    outer["nodes"]![1]!["inputs"]![1]!["arg"] = loose(subgraph("body", inner));
    inner = outer;
  }
  return argument(subgraph("body", inner));
};

/** Such a file is refused with an error of ours that says where. */
export async function expectRefused(
  _: string,
  code: string,
  where: string,
  bytes: Uint8Array,
): Promise<void> {
  const error = await readPt2(bytes).then(
    () => undefined,
    (e: unknown) => e as SconceError,
  );
  expect(isSconceError(error), String(error)).toBe(true);
  expect(error!.code).toContain(code);
  expect(error!.where ?? "").toContain(where);
}
