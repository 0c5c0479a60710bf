/** The text of some bytes, or the place of the first that are not UTF-8, as a clause. */
type Decoded = { readonly text: string } | { readonly problem: string };

/** Decodes UTF-8; a byte order mark stays. Replaces nothing: what is written instead would count as drift. Never throws. */
export function decodeUtf8(bytes: Uint8Array): Decoded {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    const before = Buffer.from(bytes.subarray(0, firstWrong(bytes)))
      .toString('utf8')
      .split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    return { problem: `is not UTF-8 text (line ${before.length}, column ${column})` };
  }
}

/** The number of bytes before the first that are not UTF-8. */
function firstWrong(bytes: Uint8Array): number {
  const again = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), 'utf8');
  const at = bytes.findIndex((byte, index) => byte !== again[index]);
  return at === -1 ? bytes.length : at;
}

/** A text as its byte order mark, '' without one, and what stands behind it. */
export function splitMark(text: string): readonly [mark: string, body: string] {
  const length = text.startsWith('\uFEFF') ? 1 : 0;
  return [text.slice(0, length), text.slice(length)];
}

/** A text without its byte order mark. */
export function withoutMark(text: string): string {
  return splitMark(text)[1];
}
