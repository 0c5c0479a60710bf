/** Bytes that come in pieces, with room for more: an object for each of many small pieces would take more than the limit of bytes. */
export class GrowingBytes {
  #room = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    if (size > this.#room.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#room.length));
      this.#room.copy(larger, 0, 0, this.#size);
      this.#room = larger;
    }
    this.#room.set(piece, this.#size);
    this.#size = size;
  }

  /** All of them; no copy. */
  whole(): Buffer {
    return this.#room.subarray(0, this.#size);
  }
}

/** Reads the body of an answer; undefined: it has more bytes, and the rest is not read. */
export async function readAtMost(
  { body }: { readonly body: AsyncIterable<Uint8Array> | null },
  maxBytes: number,
): Promise<Buffer | undefined> {
  const bytes = new GrowingBytes();
  for await (const part of body ?? []) {
    if (bytes.size + part.length > maxBytes) return undefined;
    bytes.add(part);
  }
  return bytes.whole();
}
