/** @file The backend's suite with 500 random programs. */
import { backendSpec } from "@sconce/testing/vitest";
import { wasmBackend } from "./index.js";

backendSpec(wasmBackend(), { programs: 300 });
