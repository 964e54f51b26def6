/**
 * @file A third of the recorded calls and random programs in a memory whose free places hold NaN,
 * on one thread and two.
 */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { backendSpec } from "@sconce/testing/vitest";
import { afterAll, describe } from "vitest";
import { backendOn } from "./backend/open.js";
import { MemoryOwner } from "./device/wasm-memory.js";
import { FILLING } from "./unwritten.fixture.js";

describe.each([1, 2])("filled places, %i threads", (threads) => {
  const owner = new MemoryOwner(threads, { filling: FILLING, least: 0 });
  owner.open();
  afterAll(() => owner.close());
  const backend = backendOn(owner);
  backendSpec(backend, { programs: 50 });
  describe("recorded calls", () => {
    backendCasesSpec(() => backend, {
      operators: defaultOperators(),
      every: threads === 1 ? 3 : 6,
      first: 1,
    });
  });
});
