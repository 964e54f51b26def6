import { SconceError } from "@sconce/errors";

/**
 * Returns the error for a module or a function that is built in a way that WebAssembly has no form
 * for.
 */
export function invalidCode(message: string, fix: string): SconceError {
  return new SconceError({ code: "WASM_CODE", message, fix });
}
