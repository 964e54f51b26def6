/** @file Controls that several parts of the page have. */
import { useRef } from "preact/hooks";

/** A button that asks for programs. */
export function FileButton(props: {
  readonly id: string;
  readonly title: string;
  readonly open: (files: readonly File[]) => void;
  readonly isMultiple?: boolean;
}) {
  const { id, title, open, isMultiple = false } = props;
  const input = useRef<HTMLInputElement>(null);
  const opened = () => {
    const files = [...(input.current?.files ?? [])];
    if (files.length === 0) return;
    open(files);
    // The same file may be chosen again.
    input.current!.value = "";
  };
  return (
    <span>
      <button type="button" onClick={() => input.current?.click()}>
        {title}
      </button>
      <input
        ref={input}
        id={id}
        type="file"
        accept=".pt2,.zip,.sir,.ir,.txt,.json,.safetensors"
        multiple={isMultiple}
        hidden
        aria-label={title}
        onChange={opened}
      />
    </span>
  );
}

/** A slider over steps, from 0 on. */
export function Slider(props: {
  readonly id: string;
  readonly label: string;
  readonly most: number;
  readonly value: number;
  readonly choose: (value: number) => void;
}) {
  const { id, label, most, value, choose } = props;
  return (
    <div>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={most}
        value={value}
        onInput={(event) => choose(Number(event.currentTarget.value))}
      />
    </div>
  );
}
