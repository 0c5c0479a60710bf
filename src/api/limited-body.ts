/** Reads the body of an answer; undefined: it has more bytes, and the rest is not read. */
export async function readAtMost({ body }: Pick<Response, 'body'>, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
