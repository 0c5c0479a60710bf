import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Operation } from '../api/contract.ts';
import { membersOf } from '../api/members.ts';
import { Stop, stop } from '../diagnostics/diagnostic.ts';
import { reasonOf, remedyForDisk } from '../diagnostics/disk-errors.ts';
import { systemCode } from '../diagnostics/system-code.ts';
import { memberMeant, valueMeant } from '../operate/called-operation.ts';
import { isObject } from '../formats/json.ts';
import { shownKey } from '../manifest/problem.ts';
import { usage } from './settle-options.ts';
import type { Process } from './process.ts';

type Input = Readonly<Record<string, unknown>>;

/** Builds the input of a call from --input and from words such as `name=shop`, with the types of the contract. */
export async function readInput(
  operation: Operation,
  {
    json,
    words,
    process,
  }: {
    json: string | undefined;
    words: readonly string[];
    process: Pick<Process, 'cwd' | 'stdin'>;
  },
): Promise<Input> {
  const read = createReader(process);
  const members = new Map<string, unknown>();
  const add = (written: string, given: unknown): void => {
    const name = memberMeant(operation, written);
    const value = valueMeant(name, given);
    if (members.has(name))
      throw stop('usage', 'defined-twice', `${shownKey(name)} is given twice`, { remedy: 'Remove one of the two.' });
    members.set(name, value);
  };
  if (json !== undefined) {
    const remedy = 'Write --input \'{"name": "shop"}\'.';
    const whole = parseJson('--input', await readText(json === '-' ? '@-' : json, read), remedy);
    if (!isObject(whole)) throw stop('usage', 'wrong-type', '--input is not a JSON object', { remedy });
    for (const [name, value] of Object.entries(whole)) add(name, value);
  }
  for (const [index, word] of words.entries()) {
    const { name, isRaw, written } = splitWord(word, index);
    const text = await readText(written, read);
    add(name, isRaw ? parseJson(shownKey(name), text) : convert(operation, memberMeant(operation, name), text));
  }
  return Object.fromEntries(members);
}

/** Splits a word into name and value. Errors do not quote the word: it may be a secret without its name. */
function splitWord(word: string, index: number): { name: string; isRaw: boolean; written: string } {
  const at = word.indexOf('=');
  const name = word.slice(0, at).replace(/:$/, '');
  if (at === -1 || name === '') {
    throw usage(
      `word ${index + 1} after the operation is not member=value`,
      'Write name=shop, or port:=8080 for JSON.',
    );
  }
  return { name, isRaw: word[at - 1] === ':', written: word.slice(at + 1) };
}

function convert(operation: Operation, name: string, text: string): unknown {
  const member = membersOf(operation).find((item) => item.name === name);
  // The check against the contract refuses unknown members.
  if (member === undefined) return text;
  const { types } = member;
  const takes = (...wanted: readonly string[]) => wanted.some((type) => types.includes(type));
  if (takes('string')) {
    if (text !== 'null' || !takes('null')) return text;
    throw stop('usage', 'wrong-type', `${name}=null is ambiguous: no value, or the text "null"`, {
      remedy: `Write ${name}:=null for no value, ${name}:='"null"' for the text.`,
    });
  }
  if (text === 'null' && takes('null')) return null;
  if (takes('boolean')) return text === 'true' ? true : text === 'false' ? false : text;
  if (takes('number', 'integer')) return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
  return parseJson(name, text);
}

/** Parses JSON. The error leaves out the parser's reason, which quotes the text. */
function parseJson(
  name: string,
  text: string,
  remedy = `Write it in quotes for the shell: ${name}:='["a", "b"]'.`,
): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw stop('usage', 'wrong-type', `${name} is not JSON`, { remedy });
  }
}

/** The value as written, or the content of `@file` or `@-` (standard input); a single line without its line end. */
async function readText(written: string, read: (from: string) => Promise<Uint8Array>): Promise<string> {
  if (!written.startsWith('@')) return written;
  const from = written.slice(1);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await read(from));
    return /^[^\r\n]*\r?\n$/.test(text) ? text.replace(/\r?\n$/, '') : text;
  } catch (error) {
    if (error instanceof Stop) throw error;
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'does not exist',
      ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text',
    };
    const asText = `A value that begins with @ names a file; write member:='"@…"' for the text itself.`;
    const why = reasons[systemCode(error)] ?? `cannot be read (${reasonOf(error)})`;
    throw stop('usage', 'file-unreadable', `${from} ${why}`, { remedy: remedyForDisk(error) ?? asText });
  }
}

/** Reads files, and standard input once. */
function createReader({ stdin, cwd }: Pick<Process, 'cwd' | 'stdin'>): (from: string) => Promise<Uint8Array> {
  let isTaken = false;
  return async (from) => {
    if (from !== '-') return readFileSync(resolve(cwd(), from));
    if (isTaken) throw usage('standard input can be read only once', 'Use a file for one of the two.');
    isTaken = true;
    return buffer(stdin);
  };
}
