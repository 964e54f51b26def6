/** @file What the page and its worker send each other. */
import type { Progress, SconceErrorJson } from "@sconce/errors";
import type { RequestName, Requests } from "./protocol.js";

/** Work for the engine, or the end of work that is in progress. */
export type ToEngine =
  | { readonly id: number; readonly name: RequestName; readonly args: readonly unknown[] }
  | { readonly id: number; readonly cancel: true };

/** How work goes on, and what comes of it. */
export type FromEngine =
  | { readonly id: number; readonly progress: Progress }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Failure };

/** Why work ended without a result. */
export type Failure = SconceErrorJson | { readonly message: string };

/** The result of a request, when it has come. */
export type Answer<K extends RequestName> = Promise<ReturnType<Requests[K]>>;
