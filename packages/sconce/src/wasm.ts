/** @file The WebAssembly backend. */
export * from "@sconce/backend-wasm";
