/**
 * @file `@sconce/testing/vitest`: the matchers, registered with vitest's `expect` and typed, and
 * suites that run on several backends. Importing it once, in a test or a setup file, is enough.
 */

import type { Tensor } from "@sconce/tensor";
import type { ToleranceOptions } from "@sconce/tensor/compare";
import { expect } from "vitest";
import type { Nested } from "./matchers/closeness.js";
import { matchers } from "./matchers/index.js";
import type { IrLike } from "./matchers/ir.js";
import type { MeaningOptions } from "./matchers/meaning.js";
import type { ExpectedOps } from "./matchers/ops.js";

export {
  type BackendSource,
  type BackendSuite,
  type DescribeBackendsOptions,
  describeBackends,
  type Runner,
  type UnsupportedNode,
  unsupportedNodes,
} from "./backends/describe.js";
export { backendSpec } from "./backends/spec.js";

expect.extend(matchers);

declare module "vitest" {
  interface Matchers<T> {
    /**
     * Same IR text, as far as the expected text goes: types and metadata are compared where it has
     * them.
     */
    toEqualIR(expected: IrLike): void;
    /**
     * `|got - want| <= atol + rtol * |want|`, by default as `torch.testing.assert_close` for the
     * dtype.
     */
    toBeCloseToTensor(expected: Tensor | readonly Nested[], options?: ToleranceOptions): void;
    /**
     * Same results and writes on sampled inputs. Asynchronous:
     * `await expect(after).toPreserveMeaning({ of: before })`.
     */
    toPreserveMeaning(options: MeaningOptions): Promise<void>;
    /** Calls of operators, by count or by presence. */
    toHaveOps(expected: ExpectedOps): void;
  }
}
