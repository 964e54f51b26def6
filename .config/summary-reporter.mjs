/** Longest line about a skipped test; titles can list every node of a program. */
const COLUMNS = 160;

/** Ends the run with the skipped tests, if any, and one plain line, `N passed, N failed`. */
export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0;
    let failed = unhandledErrors.length;
    const skipped = [];
    for (const module of modules) {
      if (module.state() === "failed" && module.errors().length > 0) failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed++;
        else if (state === "failed") failed++;
        else if (state === "skipped") skipped.push([module.relativeModuleId, test.fullName]);
      }
    }
    process.on("exit", () => {
      if (skipped.length > 0) console.log(skippedText(skipped));
      console.log(`${passed} passed, ${failed} failed`);
    });
  }
}

/** The skipped tests by file. Suites for backends say at the end of a title why it is skipped. */
function skippedText(skipped) {
  const files = [...new Set(skipped.map(([file]) => file))];
  const lines = files.flatMap((file) => {
    const names = skipped.flatMap(([of, name]) => (of === file ? name : []));
    return [`${names.length} skipped in ${file}:`, ...names.map((name) => `  ${shortened(name)}`)];
  });
  return lines.join("\n");
}

function shortened(name) {
  return name.length > COLUMNS ? `${name.slice(0, COLUMNS)}…` : name;
}
