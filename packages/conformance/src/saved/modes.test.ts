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

/** The fields of a local header behind its signature; the name follows. */
const HEADER_BYTES = 26;

/** The names and contents of the entries: padding, checksums and offsets depend on the metadata. */
function entriesOf(bytes: Uint8Array): string[] {
  const parts = Buffer.from(bytes).toString("latin1").split("PK\u0003\u0004");
  // The last entry is a hash of the others.
  return parts.slice(1, -1).map((part) => {
    const [content] = part.slice(HEADER_BYTES).split("PK\u0007\b", 1);
    return content!.replace(/FB..Z*/s, "").replaceAll(METADATA, "");
  });
}

test("strict and non-strict exports of a plain model save to the same file but for metadata [S-006]", async () => {
  const sconce = createSconce();
  const model = new Plain();
  const saved = async (strict: boolean): Promise<string[]> =>
    entriesOf(await sconce.save(exportProgram(model, [torch.ones(2, 3)], { strict })));
  const entries = await saved(true);
  for (const name of ["weights/weight_0", "models/model.json", "sample_inputs/model.pt", "archive_format"])
    expect(entries.filter((entry) => entry.includes(name))).not.toEqual([]);
  expect(entries).toEqual(await saved(false));
});
