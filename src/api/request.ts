import { cleanText } from './answer.ts';
import { attempts } from './attempts.ts';
import { type Call, fail } from './call.ts';
import { endpointOf, isOperation, requiredMembers } from './contract.ts';
import type { Failure, InputIssue } from './errors.ts';
import type { WireRequest } from './wire.ts';

/** Checks an input by the contract and makes the request of it; throws when it does not fit. */
export function buildRequest(call: Call, input: Readonly<Record<string, unknown>>, apiKey: string): WireRequest {
  const refuse = (failure: Failure, event: string, issues: readonly InputIssue[] = [], remedy?: string) =>
    fail(call, { failure, outcome: 'not executed', event, issues, remedy });

  if (!isOperation(call.operation)) throw refuse('invalid', 'the platform has no such operation');
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw refuse('authentication', 'the API key is empty or holds a space, a line break or another odd character');
  }
  const issues = checkInput(call, input);
  if (issues.length > 0) throw refuse('invalid', 'the input does not fit the operation', issues);

  const path = `/api/${call.operation}`;
  const headers = { accept: 'application/json', 'x-api-key': apiKey };
  if (!call.isWrite) return { method: 'GET', path: path + buildQuery(input), headers, body: undefined };

  const body = JSON.stringify(input);
  const bytes = Buffer.byteLength(body);
  if (bytes > attempts.request.mostBytes) {
    throw refuse(
      'too large',
      `its body has ${bytes} bytes and the platform takes ${attempts.request.mostBytes} at most`,
    );
  }
  return { method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' }, body };
}

function checkInput(call: Call, input: Readonly<Record<string, unknown>>): readonly InputIssue[] {
  if (!isOperation(call.operation)) return [];
  const issues: InputIssue[] = [];
  const parsed = endpointOf(call.operation).input.safeParse(input);
  for (const issue of parsed.error?.issues ?? []) {
    const at = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      // The platform drops names it does not know without a word.
      for (const key of issue.keys) issues.push({ path: [...at, key].join('.'), message: 'is not a member' });
    } else {
      issues.push({ path: at.join('.'), message: issue.message });
    }
  }
  if (call.isWrite) {
    try {
      JSON.stringify(input);
    } catch {
      issues.push({ path: '', message: 'cannot be written as JSON' });
    }
  } else {
    for (const name of requiredMembers(call.operation)) {
      // An empty query value counts as missing on the platform.
      if (input[name] === '') issues.push({ path: name, message: 'must not be empty' });
    }
  }
  return issues.map(({ path, message }) => ({
    path: cleanText(path, call.redact),
    message: cleanText(message, call.redact),
  }));
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
