/** @file `npm run docs` runs it after the written pages: builds the site. */
import { buildSite } from "./build.js";

await buildSite();
