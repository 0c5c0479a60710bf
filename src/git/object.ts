import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { read, readdir } from '../files/read.ts';
import { readRegularFile, withRegularFile } from '../files/regular-file.ts';

/**
 * The tree of a commit: the digest of all that it has, in hexadecimal. Reads loose objects and packs, and runs no program.
 * Undefined: the commit is not there, is stored as a difference from another one, or has an unknown form. Never throws.
 * @param git the folder with `objects`
 */
export async function treeOfCommit(git: string, id: string): Promise<string | undefined> {
  const commit = (await looseCommit(git, id)) ?? (await packedCommit(git, id).catch(() => undefined));
  return /^tree ([0-9a-f]{40}|[0-9a-f]{64})\n/.exec(commit ?? '')?.[1];
}

/** The beginning of a commit has its tree. Bytes. */
const maxBytes = 64 * 1024;

async function looseCommit(git: string, id: string): Promise<string | undefined> {
  const path = join(git, 'objects', id.slice(0, 2), id.slice(2));
  const packed = await readRegularFile(path, maxBytes).catch(() => undefined);
  const [head, text] = packed === undefined ? [] : inflated(packed).split('\0', 2);
  return head !== undefined && /^commit \d+$/.test(head) ? text : undefined;
}

async function packedCommit(git: string, id: string): Promise<string | undefined> {
  const folder = join(git, 'objects/pack');
  const indexes = (await readdir(folder)).filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name));
  for (const name of indexes.slice(0, maxPacks)) {
    const at = await withRegularFile(join(folder, name), (file) => offsetIn(file, Buffer.from(id, 'hex')));
    if (at === undefined) continue;
    return withRegularFile(join(folder, name.replace(/idx$/, 'pack')), (file) => commitAt(file, at));
  }
  return undefined;
}

/** Git packs again long before there are so many. */
const maxPacks = 1_000;

/** The place of an object in the pack of an index of version 2: https://git-scm.com/docs/gitformat-pack */
async function offsetIn(file: number, id: Buffer): Promise<number | undefined> {
  const fanout = 8;
  const head = await bytesAt(file, 0, fanout + 1024);
  if (head.length < fanout + 1024 || head.readUInt32BE(0) !== 0xff744f63 || head.readUInt32BE(4) !== 2)
    return undefined;
  const first = id[0] ?? 0;
  const total = head.readUInt32BE(fanout + 255 * 4);
  let from = first === 0 ? 0 : head.readUInt32BE(fanout + (first - 1) * 4);
  let to = head.readUInt32BE(fanout + first * 4);
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const order = id.compare(await bytesAt(file, fanout + 1024 + middle * id.length, id.length));
    if (order === 0) {
      const place = await bytesAt(file, fanout + 1024 + total * (id.length + 4) + middle * 4, 4);
      // The highest bit leads to a pack of more than 2 GB.
      const at = place.length === 4 ? place.readUInt32BE(0) : 0x80000000;
      return at < 0x80000000 ? at : undefined;
    }
    if (order < 0) to = middle;
    else from = middle + 1;
  }
  return undefined;
}

/** A commit that stands whole at a place of a pack. */
async function commitAt(file: number, at: number): Promise<string | undefined> {
  const bytes = await bytesAt(file, at, maxBytes);
  const type = ((bytes[0] ?? 0) >> 4) & 7;
  let begin = 1;
  while (((bytes[begin - 1] ?? 0) & 0x80) !== 0 && begin < 10) begin++;
  return type === 1 ? inflated(bytes.subarray(begin)) : undefined;
}

/** Its beginning; empty: it is not compressed in a known form. */
function inflated(bytes: Buffer): string {
  try {
    return inflateSync(bytes, { maxOutputLength: maxBytes }).toString('utf8');
  } catch {
    return '';
  }
}

async function bytesAt(file: number, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await read(file, Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
