/** @file The builder of the site, for `npm run docs` and tests. */
export { buildSite } from "./build.js";
