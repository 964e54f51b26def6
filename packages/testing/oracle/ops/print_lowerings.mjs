/** Prints the overloads that have a lowering to loops, one a line. */
import { LOWERINGS } from "@sconce/codegen";

console.log(Object.keys(LOWERINGS).sort().join("\n"));
