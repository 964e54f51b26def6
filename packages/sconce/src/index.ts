/** @file What programs import: the session, and everything that works with one. */
export * from "@sconce/session";
