import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { errorSections } from "./error-page.js";

const ROOT = new URL("../../../", import.meta.url);

/**
 * Words in capitals that are not error codes: kinds of the signature, dialects, dtypes of
 * safetensors, failures of drafts, and the like.
 */
const VOCABULARY = new Set(
  (
    "AUTO DYNAMIC STATIC CELU GELU SELU LSTM USER_INPUT PARAMETER BUFFER CONSTANT_TENSOR CUSTOM_OBJ TOKEN LOSS_OUTPUT BUFFER_MUTATION PARAMETER_MUTATION " +
    "GRADIENT_TO_PARAMETER GRADIENT_TO_USER_INPUT USER_INPUT_MUTATION ATEN CORE_ATEN EDGE TRAINING NO_COLOR BOOL BF16 NFC NFKC OVER " +
    "MISSING_FAKE_KERNEL DATA_DEPENDENT_ERROR GUARD_ADDED MISMATCHED_FAKE_KERNEL " +
    "GPTQ ASYMMETRIC SYMMETRIC SYMMETRIC_NO_CLIPPING_ERR BYTES FP16 FP32 FP64 INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 ECONNRESET F8_E4M3 F8_E4M3FNUZ F8_E5M2 F8_E5M2FNUZ F8_E8M0 PASS_MANAGER JSON NUMPY GGUF GIF8 RIFF TFL3 ET12 SIGINT SIGTERM SIGHUP ESPIPE EEXIST EPIPE ENOENT ENOTDIR EISDIR EACCES EPERM ENOSPC"
  ).split(" "),
);

/**
 * Every quoted word in capitals of four letters and more, types left out (a union says what may be,
 * not what is), and variables of the environment.
 */
async function codesOfSources(): Promise<Set<string>> {
  const codes = new Set<string>();
  for (const folder of await readdir(new URL("packages/", ROOT))) {
    const source = new URL(`packages/${folder}/src/`, ROOT);
    const files = await readdir(source, { recursive: true }).catch((): string[] => []);
    for (const file of files) {
      if (!file.endsWith(".ts") || /\.(test|fixture)\.ts$|(aten|other)-schemas\.ts$/.test(file)) continue;
      const text = (await readFile(new URL(file, source), "utf8")).replace(
        /\btype \w+ =[^;]*;|\benv\["\w+"\]/g,
        "",
      );
      for (const [, word] of text.matchAll(/"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)"/g)) {
        // `ERR_...` are codes of Node, `FST_ERR_...` of Fastify.
        if (word!.length >= 4 && !VOCABULARY.has(word!) && !/^(FST_)?ERR_/.test(word!)) codes.add(word!);
      }
    }
  }
  return codes;
}

const page = errorSections();

test("every error code of the sources has a section in docs/reference/errors.md, and no other", async () => {
  const sources = await codesOfSources();
  expect([...sources].filter((code) => !page.has(code)).sort()).toEqual([]);
  expect([...page.keys()].filter((code) => code.length >= 4 && !sources.has(code)).sort()).toEqual([]);
});

test.each([...page])(
  "the section %s has the meaning, the usual cause, the fix and an example",
  (code, text) => {
    const [heading, meaning, list, ...example] = text.split("\n\n");
    expect(heading).toBe(code);
    expect(meaning).toMatch(/\.$/);
    expect(list).toMatch(/^- \*\*Cause\*\*: .*\.\n- \*\*Fix\*\*: .*\.$/s);
    expect(example.join("\n\n")).toMatch(
      new RegExp(`^\`\`\`text\n(error )?${code}: .+(\\n {2}\\S.+)*\n\`\`\`$`),
    );
  },
);
