#!/usr/bin/env node
import { run } from "@sconce/cli";

process.exitCode = await run(process.argv.slice(2));
