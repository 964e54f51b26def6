/** @file Files of `torch.save`: a pickle, and the storages of its tensors. */
import { bytesEntry, textEntry, type ZipContent, zipPieces } from "../zip/write.js";
import { PickleWriter, type Places, type PyValue } from "./write-pickle.js";

/** Yields the bytes that `torch.save` writes of a value, in pieces. */
export function* torchFilePieces(value: PyValue, places?: Places): Generator<Uint8Array, void> {
  const writer = new PickleWriter(places);
  const pickle = writer.write(value);
  const storages = [...writer.storages()].map(
    ({ key, storage }): ZipContent => bytesEntry(`data/${key}`, storage.bytes),
  );
  yield* zipPieces("archive", [
    bytesEntry("data.pkl", pickle),
    textEntry(".format_version", "1"),
    textEntry(".storage_alignment", "64"),
    textEntry("byteorder", "little"),
    ...storages,
    textEntry("version", "3\n"),
  ]);
}
