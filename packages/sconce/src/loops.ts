/** @file Loop IR: programs as fused loop nests, for backends that generate kernels. */
export * from "@sconce/codegen";
export { joinTables } from "@sconce/session";
