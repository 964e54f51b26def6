import { exportProgram } from "@sconce/capture";
import { least, type Row } from "./measure.js";
import { FULL_SIZE } from "./models.js";

/**
 * Names, aims and PyTorch's times (`packages/testing/oracle/full_size.py --times`), in
 * milliseconds.
 */
const NETWORKS = [
  ["resnet18", "ResNet-18", 60, 280],
  ["gpt2", "GPT-2 small, dynamic batch and sequence", 150, 1939],
] as const;

/** Traces networks that are in memory, as `exportProgram` does. */
export async function captureRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [key, name, target, milliseconds] of NETWORKS) {
    const { make, input, dynamicShapes } = FULL_SIZE[key];
    const [model, args] = [make().eval(), [input()]];
    const run = () => exportProgram(model, args, { dynamicShapes });
    rows.push({
      group: "capture",
      name: `trace ${name}`,
      target,
      per: { count: run().graph.size, unit: "node" },
      milliseconds: await least(run, 100),
      peer: { name: "torch.export", milliseconds },
    });
  }
  return rows;
}
