/** @file The shown version as files, and the way to it as a link, commands and a script. */
import { useEffect, useState } from "preact/hooks";
import type { SaveFormat } from "../engine/protocol.js";
import { type Branch, partsUpTo, textsOf } from "./branches.js";
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
  const hasLink = branch !== undefined && (branch.file !== "" || branch.own !== undefined);
  const short = hasLink ? state.link() : undefined;
  const [link, setLink] = useState(short);
  useEffect(() => {
    let isLast = true;
    // Texts of the playground are compressed in the background.
    void Promise.resolve(hasLink ? state.wholeLink() : undefined).then((whole) => isLast && setLink(whole));
    return () => {
      isLast = false;
    };
  }, [state, branch, short, hasLink]);
  if (link === undefined)
    return <p class="muted">There is no link: the page does not keep files of this machine.</p>;
  return (
    <div>
      <Copied title="As a link" text={new URL(link, location.href).href} />
      <p class="muted">{linkedText(state, branch!)}</p>
    </div>
  );
}

/** What a link says of the playground. */
function linkedText({ texts }: StudioState, branch: Branch): string {
  if (texts.isTooLong.value)
    return "The texts of the playground are too long for a link. Save them, and send the files.";
  const ran = textsOf(branch);
  if (ran.length === 0 && texts.changed.value.size === 0) return "";
  const first = branch.own === undefined ? branch.parts.findIndex(({ own }) => own !== undefined) : -1;
  const isWhole = ran.length === 0 || first === branch.parts.length - 1;
  return `The link has the code of the playground. The page that opens it shows the code, and runs it when the reader presses “Run the code”.${isWhole ? "" : " What ran after the first code is not in the link."}`;
}

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
