import { backendSpec } from "@sconce/testing/vitest";
import { wasmBackend } from "./index.js";

backendSpec(wasmBackend());
