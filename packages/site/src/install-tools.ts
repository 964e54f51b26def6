/** @file `npm run docs:tools` runs it: installs what builds the site. */
import { installTools } from "./support/tools.js";

installTools();
