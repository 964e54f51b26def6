import { expect, test, vi } from "vitest";
import { gpujsBackend } from "../backend.js";
import { program } from "../programs.fixture.js";

const PRODUCTS = 200;

test("compiling lets the event loop in between parts of the plan, and while nests are made", async () => {
  const lines = Array.from({ length: PRODUCTS }, (_, i) => {
    const from = i === 0 ? "%x" : `%mm${i - 1}`;
    return `%mm${i}: f32[2, 2] = aten.mm.default(${from}, %x)`;
  });
  const products = program("%x: f32[2, 2]", lines.join("\n"), `mm${PRODUCTS - 1}`);
  // A clock that asks for a pause wherever there can be one.
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1_000));
  const pauses = vi.spyOn(globalThis, "setTimeout");
  let planned = 0;
  let made = 0;
  const onProgress = ({ done }: { readonly done: number }): void => {
    if (done === 0) planned = pauses.mock.calls.length;
    else if (made === 0) made = pauses.mock.calls.length;
  };
  try {
    const executable = await gpujsBackend({ mode: "cpu" }).compile(products, { onProgress });
    executable.dispose();
  } finally {
    clock.mockRestore();
    pauses.mockRestore();
  }
  expect(planned).toBeGreaterThanOrEqual(20);
  // The clock asks for one after each nest that is bound.
  expect(made - planned).toBeGreaterThanOrEqual(PRODUCTS);
});
