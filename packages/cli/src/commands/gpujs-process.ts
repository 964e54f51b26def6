/** @file The process that opens gpu.js for `sconce doctor`. */
import { gpujsFacts } from "./backend-facts.js";

process.send?.(await gpujsFacts());
// Drivers may keep threads.
process.disconnect?.();
