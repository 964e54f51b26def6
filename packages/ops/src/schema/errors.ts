import { SconceError } from "@sconce/errors";

/** Returns the error for a schema that cannot be read. */
export function schemaSyntax(schema: string, why: string): SconceError {
  return new SconceError({
    code: "SCHEMA_SYNTAX",
    message: `${why} in schema "${schema}"`,
    fix: "write the schema as PyTorch prints it: mylib::sin(Tensor self) -> Tensor",
  });
}
