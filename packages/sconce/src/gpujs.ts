/** @file The gpu.js backend. */
export * from "@sconce/backend-gpujs";
