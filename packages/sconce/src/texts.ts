/** @file Programs and graphs as text, and places of a source that was checked. */

export { findingPlace, findingPosition } from "@sconce/capture";
export * from "@sconce/session/texts";
