import { readPt2 } from "@sconce/formats";
import type { Value } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { defaultOperators } from "@sconce/ops";
import { createSconce } from "@sconce/session";
import { syntheticArchive } from "./archive.js";
import { least, type Row } from "./measure.js";

/** Reading archives, and a given program's run on its sample inputs. */
export async function loadRows(file: Uint8Array | undefined): Promise<Row[]> {
  const operators = defaultOperators();
  const nodes = syntheticArchive(20_000, 1, 4);
  const weights = syntheticArchive(122, 122, 96_000);
  const rows: Row[] = [
    {
      group: "load",
      name: "20,000 nodes: load, verify, print",
      target: 1000,
      per: { count: 20_000, unit: "node" },
      milliseconds: await least(async () => {
        const program = await readPt2(nodes, { operators });
        if (verify(program, { operators }).length > 0)
          throw new Error("the synthetic program does not verify");
        return String(program);
      }),
      peer: { name: "torch load and run", milliseconds: 29_500 },
    },
    {
      group: "load",
      name: `${(weights.byteLength / 1e6).toFixed(0)} MB of weights in 122 entries`,
      target: 60,
      milliseconds: await least(() => readPt2(weights, { operators })),
      peer: { name: "torch.export.load", milliseconds: 203 },
    },
  ];
  return file === undefined ? rows : [...rows, ...(await fileRows(file))];
}

async function fileRows(file: Uint8Array): Promise<Row[]> {
  const sconce = createSconce();
  const program = await sconce.load(file);
  const inputs = (program.exampleInputs?.leaves ?? []) as readonly Value[];
  const executable = await sconce.compile(program, "cpu");
  return [
    { group: "file", name: "load", milliseconds: await least(() => sconce.load(file)) },
    {
      group: "file",
      name: "runDecompositions",
      milliseconds: await least(() => sconce.runDecompositions(program)),
    },
    {
      group: "file",
      name: "run on the interpreter",
      milliseconds: await least(() => executable.run(inputs), 3),
    },
  ];
}
