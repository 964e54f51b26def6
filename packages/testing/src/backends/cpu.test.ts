import { cpuBackend } from "@sconce/backend-cpu";
import { backendSpec } from "./spec.js";

backendSpec(cpuBackend());
