import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeProblems, hasChromium, type Studio, startStudio } from "./page.fixture.js";

let studio: Studio;

beforeAll(async () => {
  if (hasChromium) studio = await startStudio();
}, 120_000);

afterAll(async () => {
  if (hasChromium) await studio.end();
});

/** Writes a text into the editor. */
async function write(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  // Typed signs would be completed and paired.
  await page.evaluate((pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    document
      .querySelector(".cm-content")!
      .dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

const run = (page: Page): Promise<void> => page.click("text=Run the code");

async function openCode(title: string, options = {}): Promise<Page> {
  const page = await studio.open("", options);
  await page.click(`text=${title}`);
  await page.waitForSelector(".graph canvas");
  await page.click("#tab-code");
  await page.waitForSelector(".cm-content");
  return page;
}

const pass = (body: string): string => `import { definePass, edit } from "sconce";
export default {
  name: "mine",
  passes: [definePass({ name: "own", doc: "A pass.", run: (program) => {
${body}
  } })],
};
`;

describe.skipIf(!hasChromium)("the playground", () => {
  test("runs a pass, shows its change, and where a node comes from", async () => {
    const page = await openCode("Digits");
    await run(page);
    await page.waitForSelector("text=relu-to-clamp: +0 −0 ~");
    expect(await page.innerText(".playground pre")).toContain("changed relu");
    await page.click("text=Show the changes");
    await page.waitForSelector(".diff >> text=aten.clamp_min.default");
    await page.fill("#search", "clamp_min");
    await page.click(".found button");
    await page.click("#tab-inspect");
    await page.waitForSelector("text=relu-to-clamp changed");
    await page.click("#tab-code");
    // The text is there again, and runs on the opened program: the branch has a sister.
    await page.selectOption("#start-from", "fusion");
    await run(page);
    await page.waitForSelector("text=rewrite: +");
    await page.click("#tab-passes");
    await page.getByLabel("Show branch 2 of digits.pt2").waitFor();
    await page.close();
  });

  test("a link brings the text, which runs when the reader says so", async () => {
    const page = await openCode("Digits");
    await run(page);
    await page.waitForSelector("text=relu-to-clamp: +0 −0 ~");
    await page.click("#tab-passes");
    await page.click("text=Export");
    await page.waitForSelector("text=The link has the code of the playground");
    const link = page.locator("section:has-text('As a link') pre");
    await expect.poll(() => link.innerText()).toMatch(/#\/digits\/\/1\/.*\/[\w-]{100,}$/);
    const address = await link.innerText();
    await page.close();
    const reader = await studio.open(address.slice(address.indexOf("#")));
    await reader.waitForSelector("text=This code came with the link");
    expect(await reader.innerText(".cm-content")).toContain("relu-to-clamp");
    expect(await reader.innerText(".title")).toBe("digits.pt2");
    expect(await reader.locator("text=relu-to-clamp: +0").count()).toBe(0);
    await run(reader);
    await reader.waitForSelector("text=relu-to-clamp: +0 −0 ~");
    expect(await reader.locator("text=This code came with the link").count()).toBe(0);
    await reader.close();
  });

  test("the address has all texts that the user changed, and a reload restores them", async () => {
    const page = await openCode("Digits");
    const texts = { clamp: "let myPass;", decomposition: "let myTable;", model: "let myModel;" };
    for (const [name, text] of Object.entries(texts)) {
      await page.selectOption("#start-from", name);
      await write(page, text);
    }
    await expect.poll(() => page.url()).toMatch(/#\/digits\/\/0?\/.*\/[\w-]{80,}$/);
    await page.waitForTimeout(500);
    const errors = studio.errors.length;
    await page.reload();
    await page.waitForSelector(".cm-content:has-text('let myModel;')");
    expect(await page.innerText(".title")).toBe("digits.pt2");
    for (const [name, text] of Object.entries(texts)) {
      await page.selectOption("#start-from", name);
      await page.waitForSelector("text=This code came with the link");
      await page.waitForSelector(`.cm-content:has-text('${text}')`);
    }
    // The link has no example that the user did not change.
    await page.selectOption("#start-from", "fusion");
    await page.waitForSelector(".cm-content >> text=fuse-silu");
    expect(await page.locator("text=This code came with the link").count()).toBe(0);
    expect(await page.locator("text=Restore the example").count()).toBe(0);
    await page.selectOption("#start-from", "clamp");
    await page.click("text=Restore the example");
    await page.waitForSelector(".cm-content >> text=relu-to-clamp");
    expect(studio.errors.length).toBe(errors);
    await page.close();
  });

  test("a link has the passes behind a text, and runs all of them when the reader says so", async () => {
    const page = await studio.open("#/digits/decompose/1");
    await page.waitForSelector('.title:has-text("after decompose")');
    await page.click("#tab-code");
    await page.waitForSelector(".cm-content");
    await run(page);
    await page.waitForSelector("text=relu-to-clamp: +0 −0 ~");
    await page.click("#tab-passes");
    await page.fill("#pipeline", "cse,dce");
    await page.click("text=Run from here");
    await page.waitForSelector(".steps li:nth-child(5)");
    const steps = () => page.locator(".steps li button").allInnerTexts();
    const names = (all: readonly string[]) => all.map((one) => one.replace(/ [+\dn].*$/, ""));
    const before = names(await steps());
    await page.locator("#scrub").fill("3");
    await expect
      .poll(() => decodeURIComponent(page.url()))
      .toMatch(/#\/digits\/decompose\/3\/.*\/[\w-]{100,}$/);
    await page.waitForTimeout(500);
    await page.reload();
    await page.waitForSelector("text=The link has 2 steps that did not run");
    await page.waitForSelector('.title:has-text("after decompose")');
    expect(await axeProblems(page)).toEqual([]);
    // A second reload, before they run, loses nothing.
    await page.waitForTimeout(500);
    await page.reload();
    await page.click("text=Run the steps of the link");
    await page.locator("text=Run the steps of the link").waitFor({ state: "detached" });
    await page.click("#tab-passes");
    await page.waitForSelector("text=Step 3 of 4");
    expect(names(await steps())).toEqual(before);
    await page.close();
  });

  test("a link to an exported model has the passes that ran on it", async () => {
    const page = await studio.open();
    await page.click("text=write a model in TypeScript");
    await page.waitForSelector(".cm-content >> text=nn.Module");
    await run(page);
    await page.waitForSelector('.title:text-is("Net")');
    await page.click("#tab-passes");
    await page.fill("#pipeline", "decompose,cse");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".steps li:nth-child(3)");
    await expect.poll(() => page.url()).toMatch(/#\/\/\/2\/\/[\w-]{100,}$/);
    await page.waitForTimeout(500);
    await page.reload();
    await page.click("text=Run the steps of the link");
    await page.click("#tab-passes");
    await page.waitForSelector("text=Step 2 of 2");
    expect(await page.innerText(".title")).toContain("Net");
    await page.close();
  });

  test("texts that are too long for the address are named where they are written and copied", async () => {
    const page = await openCode("Digits");
    await write(page, `// ${"long ".repeat(41_000)}`);
    await page.waitForSelector(".playground >> text=longer than 200,000 characters");
    await page.click("#tab-passes");
    await page.click("text=Export");
    await page.waitForSelector("details >> text=longer than 200,000 characters");
    expect(await page.innerText("section:has-text('As a link') pre")).toMatch(/#\/digits$/);
    await page.context().grantPermissions(["clipboard-write"]);
    await page.click('[aria-label="Copy: As a link"]');
    await page.waitForSelector("text=copied, without the code of the playground");
    await page.close();
  });

  test("a model needs no file, and its link opens the text that made it", async () => {
    const page = await studio.open();
    await page.click("text=write a model in TypeScript");
    await page.waitForSelector(".cm-content >> text=nn.Module");
    await run(page);
    await page.waitForSelector('.title:text-is("Net")');
    await page.click("#tab-passes");
    await page.click("text=Export");
    const link = page.locator("section:has-text('As a link') pre");
    await expect.poll(() => link.innerText()).toMatch(/#\/\/\/0\/\/[\w-]{100,}$/);
    const address = await link.innerText();
    await page.close();
    const reader = await studio.open(address.slice(address.indexOf("#")));
    await reader.waitForSelector("text=This code came with the link");
    expect(await reader.locator(".title").count()).toBe(0);
    await run(reader);
    await reader.waitForSelector('.title:text-is("Net")');
    await reader.close();
  });

  test("names a part that nodes do not have, once", async () => {
    const page = await openCode("Digits");
    const body = "e.replaceNode('relu', { traget: 'aten.neg.default' });";
    await write(page, pass(`    return program.with({ graph: edit(program.graph, (e) => { ${body} }) });`));
    await run(page);
    await page.waitForSelector('role=alert >> text=a node has no part "traget"');
    const shown = await page.innerText("role=alert");
    expect(shown).toContain('did you mean "target"');
    expect(shown.split('pass "own"')).toHaveLength(2);
    await page.close();
  });

  test("a decomposition and a model make versions and programs", async () => {
    const page = await openCode("GPT");
    await page.selectOption("#start-from", "decomposition");
    await run(page);
    await page.waitForSelector("text=decompose: +");
    await page.selectOption("#start-from", "model");
    await run(page);
    await page.waitForSelector("text=exported Net");
    expect(await page.innerText(".title")).toBe("Net");
    await page.close();
  });

  test("marks what is wrong in a text, with line and column", async () => {
    const page = await openCode("Digits");
    await write(page, "const a = 1;\nlet b = ;\n");
    await run(page);
    await page.waitForSelector("text=Syntax error in line 2, column 9");
    await page.waitForSelector(".cm-lintRange-error");
    await write(page, pass("    throw new TypeError('not today');"));
    await run(page);
    await page.waitForSelector("role=alert >> text=not today");
    expect(await page.innerText("role=alert")).toContain("PASS_FAILED in line 5");
    await write(
      page,
      pass(
        "    return program.with({ graph: edit(program.graph, (e) => { e.replaceNode('relu', { meta: {} }); }) });",
      ),
    );
    await run(page);
    await page.waitForSelector("role=alert >> text=INVALID_PROGRAM");
    expect(await page.getAttribute("role=alert >> a", "href")).toContain("errors.md#invalid_program");
    await page.close();
  });

  test("an endless loop is stopped, and the page goes on", async () => {
    const page = await openCode("Digits");
    await write(page, pass("    for (;;);"));
    await run(page);
    await page.click("text=Stop");
    await page.waitForSelector("text=canceled");
    await page.click("#tab-passes");
    await page.fill("#pipeline", "decompose");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".steps");
    await page.close();
  });

  test("completes names of the API", async () => {
    const page = await openCode("Digits");
    await write(
      page,
      'import { definePass } from "sconce";\ndefinePass({ name: "a", doc: "b", run: (program) => program });',
    );
    await page.keyboard.press("Control+End");
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
    await page.keyboard.type(".graphSig");
    await page.waitForSelector(".cm-tooltip-autocomplete >> text=graphSignature");
    await page.close();
  });

  test("what the user writes can ask no server", async () => {
    const page = await openCode("Digits");
    await write(
      page,
      "await fetch('/examples/digits.pt2').then(() => console.log('came'), () => console.log('did not come'));\nexport default { name: 'a' };",
    );
    await run(page);
    await page.waitForSelector("text=did not come");
    await page.close();
  });

  test("says why it is off under a policy without blob: scripts", async () => {
    const before = studio.errors.length;
    const page = await openCode("Digits", { isStrict: true });
    await page.waitForSelector("text=The playground is off");
    expect(await page.innerText(".playground .warning")).toContain("script-src 'self' blob:");
    expect(await page.isDisabled("text=Run the code")).toBe(true);
    // The browser reports the attempt.
    const reported = studio.errors.splice(before);
    expect(reported.every((text) => text.includes("Content Security Policy") || text.includes("blob:"))).toBe(
      true,
    );
    await page.close();
  });

  test.each(["light", "dark"] as const)("is accessible in %s colors", async (colorScheme) => {
    const page = await openCode("Digits", { colorScheme });
    expect(await axeProblems(page)).toEqual([]);
    await write(page, "let b = ;");
    await run(page);
    await page.waitForSelector("role=alert");
    expect(await axeProblems(page)).toEqual([]);
    await page.close();
  });

  test("reports nothing as an error of the page", () => {
    expect(studio.errors.filter((text) => !text.includes("connect-src"))).toEqual([]);
  });
});
