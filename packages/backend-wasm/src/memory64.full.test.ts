/** @file Recorded calls and random programs at addresses above 4 GiB, on one thread and two. */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { backendSpec } from "@sconce/testing/vitest";
import { afterAll, describe } from "vitest";
import { backendOn } from "./backend/open.js";
import { ownerAbove4GiB } from "./wide-memory.fixture.js";

describe.each([1, 2])("addresses of 64 bits, %i threads", (threads) => {
  const owner = ownerAbove4GiB(threads);
  afterAll(() => owner.close());
  const backend = backendOn(owner, { options: { memory64: true } });
  backendSpec(backend, { programs: 25 });
  describe("recorded calls", () => {
    backendCasesSpec(() => backend, { operators: defaultOperators(), every: 12 });
  });
});
