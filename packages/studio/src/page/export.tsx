/** @file The shown version as files, and the way to it as a link, commands and a script. */
import { useEffect, useState } from "preact/hooks";
import type { SaveFormat } from "../engine/protocol.js";
import { partsUpTo } from "./branches.js";
import { Code } from "./code.js";
import { saveFile } from "./save-file.js";
import { sessionText } from "./session-text.js";
import type { StudioState } from "./state.js";

const FORMATS: readonly (readonly [SaveFormat, string])[] = [
  ["pt2", ".pt2 for PyTorch"],
  ["sir", "IR text with tensors"],
  ["json", "JSON IR"],
];

/** What can be taken along from the page. */
export function Export({ state }: { readonly state: StudioState }) {
  const branch = state.branches.shown.value;
  if (branch === undefined) return null;
  const { commands, script, files } = sessionText(branch, partsUpTo(branch, state.step.value));
  const stem = branch.fileName.replace(/\.\w+$/, "");
  const save = async (format: SaveFormat) => {
    const version = state.version.value;
    if (version === undefined) return;
    const file = await state.work(`Write ${stem}.${format}`, "save", [version, format, stem]);
    if (file !== undefined) saveFile(file, `${stem}.out.${format}`);
  };
  return (
    <details>
      <summary>Export</summary>
      <p>The shown version as a file:</p>
      <div class="row">
        {FORMATS.map(([format, title]) => (
          <button key={format} type="button" onClick={() => void save(format)}>
            {title}
          </button>
        ))}
      </div>
      <Link state={state} />
      <Copied title="As commands" text={commands} />
      <Copied title="As a script" text={script} />
      {files.map(({ name, source }) => (
        <p key={name}>
          They need{" "}
          <button type="button" class="link" onClick={() => saveFile(new Blob([source]), name)}>
            {name}
          </button>
          , a text of the playground.
        </p>
      ))}
    </details>
  );
}

/** The address of the view, or why there is none. */
function Link({ state }: { readonly state: StudioState }) {
  const { value: branch } = state.branches.shown;
  const short = state.link();
  const [link, setLink] = useState(short);
  useEffect(() => {
    let isLast = true;
    // The text of the playground is compressed in the background.
    const made = short === undefined || branch === undefined ? undefined : state.wholeLink();
    void Promise.resolve(made).then((whole) => isLast && setLink(whole));
    return () => {
      isLast = false;
    };
  }, [state, branch, short]);
  const own = branch?.parts.findIndex(({ source }) => source !== undefined) ?? -1;
  if (link === undefined) return <p class="muted">{noLinkText(branch?.source !== undefined)}</p>;
  return (
    <div>
      <Copied title="As a link" text={new URL(link, location.href).href} />
      {own >= 0 && (
        <p class="muted">
          The link has the text of the playground. The page that opens it shows the text, and runs it when the
          reader presses “Run the text”.
          {own < branch!.parts.length - 1 && " What ran after that text is not in the link."}
        </p>
      )}
    </div>
  );
}

/** Why a program has no link. */
const noLinkText = (isModel: boolean): string =>
  isModel
    ? "There is no link: the program was exported from a text of the playground. Send the text, model.ts."
    : "There is no link: the page does not keep files of this machine.";

function Copied({ title, text }: { readonly title: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <section>
      <p>
        {title}{" "}
        {navigator.clipboard !== undefined && (
          <button type="button" class="link" aria-label={`Copy: ${title}`} onClick={copy}>
            {isCopied ? "copied" : "copy"}
          </button>
        )}
      </p>
      <Code text={text} />
    </section>
  );
}
