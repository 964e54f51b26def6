/** @packageDocumentation Modules on a memory whose addresses have 64 bits. */
export { type WideInit, widenAddresses } from "./widen.js";
