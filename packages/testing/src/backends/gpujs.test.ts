import { gpujsBackend } from "@sconce/backend-gpujs";
import { backendSpec } from "./spec.js";

for (const mode of ["webasm", "cpu"] as const) backendSpec(gpujsBackend({ mode, name: `gpujs ${mode}` }));
