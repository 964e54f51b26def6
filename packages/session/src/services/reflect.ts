/**
 * @file What tsyringe needs to be there before it loads. In a separate file: bundlers put a
 * CommonJS package where the file that imports it begins, which in `injection.ts` is after all of
 * tsyringe.
 */
import "reflect-metadata/lite";
