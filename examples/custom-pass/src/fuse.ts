/** @file The plugin at work on the digit classifier. */
import { createSconce, diffPrograms, type ExportedProgram, type PassEvent, type Sconce } from "sconce";
import { openPt2File } from "sconce/node";
import fused from "./plugin.js";

export const PIPELINE = "drop-dropout,decompose,rewrite{rules=[fuse-addmm-relu]},dce";

/** A session with the plugin. */
export const openSession = (): Sconce => createSconce({ plugins: [fused] });

export function openDigits({ operators }: Sconce): Promise<ExportedProgram> {
  const file = new URL(import.meta.resolve("sconce/examples/digits.pt2"));
  return openPt2File(file, { operators });
}

export interface Fused {
  readonly program: ExportedProgram;
  /** What each pass did, a line each. */
  readonly steps: readonly string[];
}

/** Runs the pipeline and writes down what changed. */
export function fuse(sconce: Sconce, program: ExportedProgram): Fused {
  const steps: string[] = [];
  const observe = ({ pass, before, after, fired }: PassEvent): void => {
    const rules = [...fired].map(([rule, count]) => `, ${rule} fired ${count}x`).join("");
    const sizes = `${before.graph.size} -> ${after.graph.size} nodes`;
    steps.push(`${pass.name}: ${before.graph === after.graph ? "unchanged" : sizes}${rules}`);
  };
  const result = sconce.transform(program, PIPELINE, { verify: true, observers: [observe] });
  return { program: result, steps };
}

/** What the plugin changed against the plain lowering, node by node. */
export function difference(sconce: Sconce, program: ExportedProgram, other: ExportedProgram): string[] {
  const plain = sconce.transform(program, "decompose,dce");
  const { nodes } = diffPrograms(plain, other, { ignoreNames: true, ignoreMetadata: true });
  return nodes.flatMap(({ before, after }) => [
    ...(before === undefined ? [] : [`- ${before}`]),
    ...(after === undefined ? [] : [`+ ${after}`]),
  ]);
}
