/** @file All programs are valid after each built-in pass, which leaves its own result alone. */
import { stableProgramsSpec } from "./stable-programs.fixture.js";

stableProgramsSpec(1);
