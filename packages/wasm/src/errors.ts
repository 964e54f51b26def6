import { SconceError } from "@sconce/errors";

/** A module or a function that is built in a way that WebAssembly has no form for. */
export function invalidCode(message: string, fix: string): SconceError {
  return new SconceError({ code: "WASM_CODE", message, fix });
}
