import type { Part } from './parts.ts';

/** Private keys in PEM, to the end of the text where nothing ends them; other whole blocks, such as certificates, are open. */
export function findKeysInPem(text: string, found: Part[], open: Part[]): void {
  const begin = '-----BEGIN ';
  for (let at = text.indexOf(begin); at !== -1; at = text.indexOf(begin, at + 1)) {
    if (text.slice(at, at + 64).includes('PRIVATE KEY')) {
      const end = text.indexOf('-----END ', at);
      const behind = end === -1 ? -1 : text.indexOf('-----', end + 9);
      const to = behind === -1 ? text.length : behind + 5;
      found.push([at, to]);
      at = to - 1;
    } else {
      const to = endOfBlock(text, at);
      if (to !== undefined) open.push([at, to]);
    }
  }
}

/** Where a block in PEM ends that holds nothing but base64 and headers; none if it is no such block. */
function endOfBlock(text: string, at: number): number | undefined {
  blockBegin.lastIndex = at;
  const label = blockBegin.exec(text)?.[1];
  if (label === undefined) return undefined;
  const from = blockBegin.lastIndex;
  const to = text.indexOf('-----', from);
  const end = `-----END ${label}-----`;
  if (to === -1 || !text.startsWith(end, to)) return undefined;
  const body = text.slice(from, to).replace(blockHeader, '');
  return /[^A-Za-z\d+/=\s\\]|\\(?![nr])/.test(body) ? undefined : to + end.length;
}

const blockBegin = /-----BEGIN ([A-Z\d][A-Z\d ]{0,63})-----/y;
/** Headers of PEM and OpenPGP. */
const blockHeader = /^[ \t]{0,64}(?:Version|Comment|Hash|Charset|MessageID|Proc-Type|DEK-Info):[^\n]{0,128}$/gm;
