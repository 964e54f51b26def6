/**
 * @file A part of the recorded calls as programs of one node, as every backend runs them;
 * `packages/ops` runs all on the kernels.
 */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { cpuBackend } from "./index.js";

const operators = defaultOperators();
backendCasesSpec(() => cpuBackend({ operators }), { operators, every: 12 });
