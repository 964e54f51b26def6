import { gpujsBackend } from "@sconce/backend-gpujs";
import { backendSpec } from "./spec.js";

backendSpec(gpujsBackend({ mode: "webasm" }), { programs: 500 });
