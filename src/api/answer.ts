import * as z from 'zod';
import type { InputIssue } from './platform-error.ts';
import type { WireAnswer } from './wire.ts';
import { parseJson, TooManyParts } from './parse-json.ts';
import { once } from './once.ts';

/** The body of a 2xx answer: data, or the reason why it is none. */
export type Data = { readonly isData: true; readonly data: unknown } | { readonly isData: false; readonly why: string };

/** Reads the body of a 2xx answer; an empty body is data too, namely undefined. Never throws. */
export function readData({ headers, body }: WireAnswer): Data {
  const type = headers['content-type']?.toLowerCase() ?? '';
  const text = body.trim();
  if (isMarkup(type, text)) return { isData: false, why: 'is a web page, not data' };
  if (text === '') return { isData: true, data: undefined };
  if (type.startsWith('text/plain')) return { isData: true, data: body };
  if (type !== '' && !type.includes('json')) return { isData: false, why: 'is neither JSON nor text' };
  try {
    return { isData: true, data: parseJson(text) };
  } catch (error) {
    return { isData: false, why: error instanceof TooManyParts ? error.message : 'is not complete JSON' };
  }
}

/** The content of an answer that is no success. */
export interface ErrorAnswer {
  /** Redacted, one line, cut; empty when there is none. */
  readonly message: string;
  readonly code: string | undefined;
  readonly issues: readonly InputIssue[];
  /** The subject of a 404: the thing asked for, the operation itself, or one of the two; undefined when neither. */
  readonly absence: 'thing' | 'operation' | 'either' | undefined;
  /** An object of JSON, as the platform answers; else a web page, or any other text. */
  readonly form: 'object' | 'page' | 'text';
}

const errorBody = once(() =>
  z.looseObject({
    message: z.string().optional().catch(undefined),
    error: z.string().optional().catch(undefined),
    code: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]{0,63}$/)
      .optional()
      .catch(undefined),
    issues: z.array(z.unknown()).optional().catch(undefined),
    data: z
      .looseObject({ path: z.string().optional().catch(undefined) })
      .optional()
      .catch(undefined),
  }),
);

const issueBody = once(() =>
  z.looseObject({
    path: z.array(z.union([z.string(), z.number()])).catch([]),
    message: z.string().catch('is not accepted'),
  }),
);

/** Reads the body of an answer that is no success: JSON with or without a code, text, or a web page. Never throws. */
export function readError({ headers, body }: WireAnswer, redact: (text: string) => string): ErrorAnswer {
  const type = headers['content-type']?.toLowerCase() ?? '';
  const text = body.trim();
  const nothing = { code: undefined, issues: [], absence: undefined };
  if (isMarkup(type, text)) return { ...nothing, form: 'page', message: cleanText(readTitle(redact(text)), redact) };

  const parsed = errorBody().safeParse(readJson(text));
  if (!parsed.success) {
    // JSON of another kind says nothing to a reader.
    return { ...nothing, form: 'text', message: /^[[{]/.test(text) ? '' : cleanText(text, redact) };
  }
  const { message = '', error = '', code, issues = [], data } = parsed.data;
  return {
    message: cleanText(message === '' ? error : message, redact),
    code,
    issues: issues.map((issue) => readIssue(issue, redact)),
    absence: findAbsence({ message, code, path: data?.path, hasDetails: data !== undefined }),
    form: 'object',
  };
}

/**
 * The platform answers 404 NOT_FOUND both for a thing and for an operation it does not have; the details of the
 * latter name no path. Taking the second for the first would make a resource look deleted. An answer without details
 * is all that the API document promises, and the document has it for things.
 */
function findAbsence(error: {
  message: string;
  code: string | undefined;
  path: string | undefined;
  hasDetails: boolean;
}): ErrorAnswer['absence'] {
  const isNotFound = error.code === 'NOT_FOUND';
  if (error.message !== 'Not found' || error.path !== undefined) return isNotFound ? 'thing' : undefined;
  return isNotFound && !error.hasDetails ? 'either' : 'operation';
}

function readIssue(issue: unknown, redact: (text: string) => string): InputIssue {
  const { path, message } = issueBody().catch({ path: [], message: 'is not accepted' }).parse(issue);
  return { path: cleanText(path.join('.'), redact), message: cleanText(message, redact) };
}

/** Longest text of a server that is shown. Characters. */
const maxText = 300;

/** Makes a text of the platform printable: redacted, without parts that may hold foreign secrets, one line, cut. Never throws. */
export function cleanText(text: string, redact: (text: string) => string): string {
  // Redacted before anything is taken away: half a secret would not be recognised.
  const whole = redact(text).slice(0, 65_536);
  const line = whole
    // A failed query is reported with its values.
    .replace(/\bparams:[\s\S]*/i, '')
    // A failed command is reported with its options, an address with its credentials.
    .replace(/(?<![\w-])([\w-]+=)(?:"[^"]*"|'[^']*'|[^\s"',;&]+)/g, (option: string, name: string) =>
      /secret|pass|token|key/i.test(name) ? `${name}***` : option,
    )
    .replace(/\/\/[^\s/@]+@/g, '//***@')
    // oxlint-disable-next-line no-control-regex -- terminal sequences and line breaks must not reach a terminal or a log
    .replace(/\u001b\[[0-9;?]*[a-z]/gi, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const shown = redact(line);
  return shown.length > maxText ? `${shown.slice(0, maxText - 1)}…` : shown;
}

function isMarkup(type: string, text: string): boolean {
  return type.includes('html') || /^<(?:!doctype|html|head|body|\?xml)/i.test(text);
}

function readTitle(page: string): string {
  return /<title[^>]{0,200}>([^<]{0,1000})/i.exec(page.slice(0, 65_536))?.[1] ?? '';
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
