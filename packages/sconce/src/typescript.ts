/** @file Programs as TypeScript: their source, and the types of their calls. */
export * from "@sconce/capture/typescript";
