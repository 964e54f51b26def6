/**
 * @file A 16th of the programs of `fixtures/backend-numbers` on the interpreter and in
 * WebAssembly; `backend-numbers.full.test.ts` takes all.
 */
import { backendNumbersSpec, PLACES } from "./backend-numbers.fixture.js";

backendNumbersSpec(PLACES, 16);
