import { backendSpec } from "@sconce/testing/vitest";
import { cpuBackend } from "./index.js";

backendSpec(cpuBackend());
