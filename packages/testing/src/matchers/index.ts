import { toBeCloseToTensor } from "./closeness.js";
import { toEqualIR } from "./ir.js";
import { toPreserveMeaning } from "./meaning.js";
import { toHaveOps } from "./ops.js";

/**
 * For `expect.extend(matchers)` of vitest or Jest; `@sconce/testing/vitest` does it, with types.
 */
export const matchers = { toBeCloseToTensor, toEqualIR, toHaveOps, toPreserveMeaning };
