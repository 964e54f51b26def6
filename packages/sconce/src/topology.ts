/** @file Questions about the paths of a graph: reachability, layers, cycles. */
export * from "@sconce/ir/topology";
