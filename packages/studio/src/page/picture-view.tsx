/** @file Gray pictures of values. */
import { useEffect, useRef } from "preact/hooks";
import type { Picture } from "../engine/protocol.js";

/** A picture with what it shows, in words. */
export function PictureView(props: {
  readonly picture: Picture;
  readonly label: string;
  readonly style?: Readonly<Record<string, string>>;
}) {
  const { picture, label, style } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = picture;
  useEffect(() => {
    const { gray } = picture;
    const image = new ImageData(width, height);
    for (let i = 0; i < gray.length; i++) image.data.set([gray[i]!, gray[i]!, gray[i]!, 255], 4 * i);
    canvas.current!.getContext("2d")?.putImageData(image, 0, 0);
  }, [picture, width, height]);
  return (
    <canvas
      ref={canvas}
      width={width}
      height={height}
      role="img"
      aria-label={label}
      {...(style && { style: { ...style } })}
    />
  );
}
