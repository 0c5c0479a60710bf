import type * as z from 'zod';
import { cleanText } from './answer.ts';
import { attempts } from './attempts.ts';
import { type Call, fail } from './failed-call.ts';
import { type ServedOperation, requiredOf } from './contract.ts';
import type { Endpoint } from './endpoint.ts';
import type { Failure, InputIssue } from './platform-error.ts';
import type { Names } from './translate.ts';
import type { WireRequest } from './wire.ts';

/**
 * Checks an input by the contract, and makes the request in the names of the wire.
 *
 * @throws {PlatformError} `not executed`, when the platform has no such operation, or the input does not fit it.
 */
export function buildRequest(
  call: Call,
  served: ServedOperation | undefined,
  {
    input,
    apiKey,
    names,
  }: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly apiKey: string;
    readonly names?: Names | undefined;
  },
): WireRequest {
  const refuse = (failure: Failure, event: string, issues: readonly InputIssue[] = [], remedy?: string) =>
    fail(call, { failure, outcome: 'not executed', event, issues, remedy });

  if (served === undefined) throw refuse('invalid', 'the platform has no such operation');
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw refuse(
      'authentication',
      'the API key is empty, or contains a space, a line break or a character outside ASCII',
    );
  }
  const text = call.isWrite ? jsonOf(input) : undefined;
  const issues = checkInput(call, served.endpoint, { input, text, names });
  if (issues.length > 0) throw refuse('invalid', 'the input does not fit the operation', issues);

  const path = `/api/${served.path}`;
  const members = (names?.data(input) ?? input) as typeof input; // translated, it is still an object
  const headers = { accept: 'application/json', 'x-api-key': apiKey };
  if (!call.isWrite) return { method: 'GET', path: path + buildQuery(members), headers, body: undefined };

  const body = members === input && text !== undefined ? text : JSON.stringify(members);
  const bytes = Buffer.byteLength(body);
  if (bytes > attempts.request.maxBytes) {
    throw refuse(
      'too large',
      `the body has ${bytes} bytes, and the platform takes at most ${attempts.request.maxBytes}`,
    );
  }
  return { method: 'POST', path, headers: { 'content-type': 'application/json', ...headers }, body };
}

/** An input as JSON; undefined when it cannot be written so. */
function jsonOf(input: Readonly<Record<string, unknown>>): string | undefined {
  try {
    return JSON.stringify(input);
  } catch {
    return undefined;
  }
}

/** The input of a call; of a write, `text` is its JSON. */
interface Input {
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string | undefined;
  readonly names: Names | undefined;
}

/** What of an input does not fit, in the words of the platform. */
function checkInput(call: Call, endpoint: Endpoint, { input, text, names }: Input): readonly InputIssue[] {
  const word = (name: string): string => names?.member(name) ?? name;
  const issues: InputIssue[] = [];
  const parsed = endpoint.input.safeParse(input);
  for (const issue of parsed.error?.issues ?? []) {
    const at = issue.path.map((step) => word(String(step)));
    if (issue.code === 'unrecognized_keys') {
      // The platform drops names it does not know without a word.
      for (const key of issue.keys) issues.push({ path: [...at, word(key)].join('.'), message: 'is not a member' });
    } else {
      issues.push({ path: at.join('.'), message: inWords(issue, names) });
    }
  }
  if (call.isWrite) {
    if (text === undefined) issues.push({ path: '', message: 'cannot be written as JSON' });
  } else {
    for (const name of requiredOf(endpoint)) {
      // An empty query value counts as missing on the platform.
      if (input[name] === '') issues.push({ path: word(name), message: 'must not be empty' });
    }
  }
  return issues.map(({ path, message }) => ({
    path: cleanText(path, call.redact),
    message: cleanText(message, call.redact),
  }));
}

/** The message of an issue; values that the platform calls otherwise are named by its words. */
function inWords({ message, path }: z.core.$ZodIssue, names: Names | undefined): string {
  if (names === undefined) return message;
  const member = String(path.at(-1) ?? '');
  return message.replaceAll(/"([a-z0-9_]+)"/g, (_, value: string) => `"${names.value(member, value)}"`);
}

function buildQuery(input: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || value === null || value === '') continue;
    query.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
