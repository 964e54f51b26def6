/** @file Each third program; `stable-programs.full.test.ts` takes all. */
import { stableProgramsSpec } from "./stable-programs.fixture.js";

stableProgramsSpec(3);
