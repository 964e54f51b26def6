/** @file What the page compares besides the digits. */
import type { Sconce } from "sconce";
import { type ContextReport, runContexts } from "./contexts.js";
import { type EdgesReport, runEdges } from "./edges.js";
import { type FixtureReport, runFixtures } from "./fixtures.js";
import type { PageOptions } from "./options.js";
import { type RandomReport, runRandomPrograms } from "./random-programs.js";

/** What was asked for. */
export interface Reports {
  readonly random?: readonly RandomReport[];
  readonly edges?: EdgesReport;
  readonly fixtures?: readonly FixtureReport[];
  readonly contexts?: ContextReport;
}

export async function runReports(sconce: Sconce, asked: PageOptions): Promise<Reports> {
  const { on, backend, programs, edges, fixtures, contexts } = asked;
  const name = on === "gpujs" ? "gpujs" : "auto";
  const isShader = backend.mode?.startsWith("webg") === true;
  return {
    ...(programs > 0 && { random: await runRandomPrograms(sconce.backends.get(name)!, programs) }),
    ...(edges > 0 && { edges: await runEdges(sconce, isShader, edges) }),
    ...(fixtures.length > 0 && { fixtures: await runFixtures(sconce, fixtures, name) }),
    ...(contexts > 0 && { contexts: await runContexts(sconce, contexts) }),
  };
}

export const reportText = ({ random = [], edges, fixtures = [], contexts }: Reports): string =>
  [
    ...random.map(({ seed, kernels, difference }) =>
      line(`random program ${seed}: ${kernels} kernels`, difference),
    ),
    ...(edges === undefined ? [] : [`values at the edges: ${edges.ran} calls`, ...edges.differences]),
    ...fixtures.map(({ name, kernels, host, difference }) =>
      line(`${name}: ${kernels} kernels, ${host} calls on the host`, difference),
    ),
    ...(contexts === undefined ? [] : [JSON.stringify(contexts)]),
  ].join("\n");
const line = (what: string, difference: string | null): string =>
  `${what}, ${difference ?? "agrees with the interpreter"}`;
