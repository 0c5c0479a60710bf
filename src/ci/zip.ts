import { inflateRawSync } from 'node:zlib';

/** Largest file that is unpacked. Bytes. */
const maxBytes = 64 * 1024 * 1024;

const endOfDirectory = 0x06054b50;
const entryOfDirectory = 0x02014b50;
const localHeader = 0x04034b50;

/**
 * The content of the one file of an archive, as the artifacts of GitHub are.
 * The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 *
 * @throws {Error} when it is no such archive.
 */
export function readSingleFile(archive: Buffer, name: string): Buffer {
  try {
    return unpack(archive, name);
  } catch (error) {
    throw new Error(`the artifact is not an archive with the file ${name} and no other`, { cause: error });
  }
}

function unpack(archive: Buffer, name: string): Buffer {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  check(end >= 0 && archive.readUInt32LE(end) === endOfDirectory && archive.readUInt16LE(end + 10) === 1);
  const entry = archive.readUInt32LE(end + 16);
  check(archive.readUInt32LE(entry) === entryOfDirectory);
  const method = archive.readUInt16LE(entry + 10);
  const packed = archive.readUInt32LE(entry + 20);
  const length = archive.readUInt32LE(entry + 24);
  const nameLength = archive.readUInt16LE(entry + 28);
  check(archive.toString('utf8', entry + 46, entry + 46 + nameLength) === name && length <= maxBytes);
  const header = archive.readUInt32LE(entry + 42);
  check(archive.readUInt32LE(header) === localHeader);
  const from = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const content = archive.subarray(from, from + packed);
  check(content.length === packed && (method === 0 || method === 8));
  const file = method === 0 ? content : inflateRawSync(content, { maxOutputLength: maxBytes });
  check(file.length === length);
  return file;
}

function check(isAsExpected: boolean): void {
  if (!isAsExpected) throw new Error('unexpected form');
}
