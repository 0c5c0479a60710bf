/** The form of the index of git: https://git-scm.com/docs/index-format */

/** An index of git. */
export interface Index {
  /** The digests that it tracks, by path as bytes. */
  readonly entries: ReadonlyMap<string, Buffer>;
  /** The digest of the tree that it is, in hexadecimal; undefined: something was added since git knew it. */
  readonly tree: string | undefined;
}

/** Reads an index of version 2, 3 or 4; undefined: it has another form, or a part of it is in another file. */
export function parseIndex(index: Buffer): Index | undefined {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  return readEntries(index, 20) ?? readEntries(index, 32);
}

/** undefined: the lengths that it tells do not fit, so digests have another length, or entries are in another file. */
function readEntries(index: Buffer, digestLength: number): Index | undefined {
  const version = index.readUInt32BE(4);
  const entries = new Map<string, Buffer>();
  let at = 12;
  let path = '';
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const start = at;
    at += 40 + digestLength;
    if (at + 4 > index.length) return undefined;
    const digest = index.subarray(at - digestLength, at);
    const flags = index.readUInt16BE(at);
    at += (flags & 0x4000) === 0 ? 2 : 4;
    let kept = 0;
    if (version === 4) {
      const cut = readNumber(index, at);
      kept = path.length - cut.value;
      at = cut.end;
    }
    const end = index.indexOf(0, at);
    if (end === -1 || kept < 0) return undefined;
    path = path.slice(0, kept) + index.toString('latin1', at, end);
    if (Math.min(path.length, 0xfff) !== (flags & 0xfff)) return undefined;
    entries.set(path, digest);
    at = version === 4 ? end + 1 : start + Math.ceil((end + 1 - start) / 8) * 8;
  }
  return isWhole(index, at, digestLength) ? { entries, tree: cachedTree(index, at, digestLength) } : undefined;
}

/** Whether only extensions and the digest of the index follow its entries, and none of them adds entries of another file. */
function isWhole(index: Buffer, from: number, digestLength: number): boolean {
  const end = index.length - digestLength;
  let at = from;
  while (at + 8 <= end) {
    // A split index: https://git-scm.com/docs/index-format#_split_index
    if (index.toString('latin1', at, at + 4) === 'link') return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}

/** A number of seven bits a byte, where each byte that another follows counts one more. */
function readNumber(index: Buffer, from: number): { value: number; end: number } {
  let at = from;
  let byte = index[at++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = index[at++] ?? 0;
    value = (value + 1) * 0x80 + (byte & 0x7f);
  }
  return { value, end: at };
}

/** The extension with the trees of the index: https://git-scm.com/docs/index-format#_cache_tree */
function cachedTree(index: Buffer, extensions: number, digestLength: number): string | undefined {
  for (let at = extensions; at + 8 <= index.length - digestLength; at += 8 + index.readUInt32BE(at + 4)) {
    if (index.toString('latin1', at, at + 4) !== 'TREE') continue;
    // The root has no name; a tree of unknown content counts -1 entries.
    const [, counts = ''] = /^\0(\d+ \d+\n)/.exec(index.toString('latin1', at + 8, at + 64)) ?? [];
    const from = at + 9 + counts.length;
    return counts === '' ? undefined : index.toString('hex', from, from + digestLength);
  }
  return undefined;
}
