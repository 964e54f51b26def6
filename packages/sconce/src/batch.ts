/** @file Shards of rows, scored in threads and on machines. */
export * from "@sconce/batch";
