import { exportProgram, nn, torch } from "@sconce/capture";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";

class Plain extends nn.Module {
  readonly body = new nn.Sequential(new nn.Linear(3, 4), new nn.LayerNorm(4), new nn.ReLU());

  override forward(x: Tensor): Tensor {
    return this.body(x).mul(2);
  }
}

/** What a saved program says of its nodes besides what they compute: where their code stands. */
const METADATA = /"metadata": \{[^{}]*\}, /g;

test("strict and non-strict exports of a plain model save to the same file but for metadata [S-006]", async () => {
  const sconce = createSconce();
  const model = new Plain();
  const saved = async (strict: boolean): Promise<string> => {
    const bytes = await sconce.save(exportProgram(model, [torch.ones(2, 3)], { strict }));
    const text = new TextDecoder("latin1").decode(bytes);
    // From the model on, offsets and checksums depend on the metadata.
    const start = text.indexOf('{"graph_module"');
    const end = text.indexOf("PK\u0007\b", start);
    return (
      text.slice(0, start - 64).replace(/Z+PK.*$/s, "") + text.slice(start, end).replaceAll(METADATA, "")
    );
  };
  expect(await saved(true)).toBe(await saved(false));
});
