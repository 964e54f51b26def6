import type { ApiData } from "../playground/api.js";

/** The declarations of `sconce`; the build of the page puts them here. */
export const api: ApiData = { exports: {}, types: {}, aliases: {} };
