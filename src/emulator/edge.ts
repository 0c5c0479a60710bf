import type { Names } from '../api/translate.ts';
import { onceFor } from '../api/once.ts';
import { bareAnswers } from '../api/vocabulary.ts';
import type { WireAnswer, WireRequest } from '../api/wire.ts';
import { publishedDocument } from './openapi-answer.ts';
import { routeOf, servedOperations } from './served.ts';

/** What answers requests. */
type Answering<A extends WireAnswer> = (request: WireRequest) => Promise<A>;

/** The edge between a platform in the words of Dokploy and those who speak the words of a profile. */
export interface Edge {
  /**
   * The same platform in the words of the profile: what is asked is in its words, and so is the answer. A word of Dokploy
   * that the profile has another one for is unknown, as on a platform of the profile.
   */
  readonly speak: <A extends WireAnswer>(answering: Answering<A>) => Answering<A>;
  /** An operation by its path in the profile. */
  readonly operation: (name: string) => string;
  /** A text about requests and answers, in the words of the profile. */
  readonly text: (text: string) => string;
}

/** The edge to the words of a profile; undefined: they are those of Dokploy. */
export function createEdge(names: Names | undefined): Edge {
  if (names === undefined) return { speak: (answering) => answering, operation: (name) => name, text: (text) => text };
  return edgeTo(names);
}

const edgeTo = onceFor((names: Names): Edge => {
  const words = wordsOf(names);
  return {
    operation: names.operation,
    text: words.text,
    speak: (answering) => async (request) => {
      const [, path = '', query = ''] = /^\/api\/([^?]*)\??(.*)$/s.exec(request.path) ?? [];
      if (path.startsWith(batch)) return speakInBatch(answering, request, words);
      const operation = words.operationAt(path);
      if (operation === undefined) return answering(request);
      const asked = query === '' ? '' : `?${queryInWords(query, names)}`;
      const body = request.body === undefined ? undefined : retold(request.body, names.data);
      const answer = await answering({ ...request, path: `/api/${operation}${asked}`, body });
      // The description of the platform is in its words already.
      if (operation === publishedDocument && answer.status < 400) return answer;
      const isJson = answer.headers['content-type'] === 'application/json';
      const retell = answer.status >= 400 ? words.error : words.answerTo(operation);
      return isJson ? { ...answer, body: inItsTexts(retold(answer.body, retell)) } : answer;
    },
  };
});

/** The words of a profile for what goes over the wire. */
interface Words extends Names {
  /** The operation at a path in the profile, in any case of letters; undefined: it has another form than an operation. */
  readonly operationAt: (path: string) => string | undefined;
  readonly answerTo: (operation: string) => (answer: unknown) => unknown;
  /** A text of the platform's own. */
  readonly text: (text: string) => string;
  /** An error: its texts name things, its issues name members, and its details name the operation. */
  readonly error: (error: unknown) => unknown;
}

function wordsOf(names: Names): Words {
  const operations = [...servedOperations, publishedDocument];
  const byPath = new Map(operations.map((operation) => [names.operation(operation).toLowerCase(), operation]));
  const member = (name: string): string => Object.keys(names.data({ [name]: null }) as object)[0] ?? name; // an object
  const text = textInWords(names, member);
  const error = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((item) => error(item, key));
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value);
      return Object.fromEntries(entries.map(([name, inner]) => [member(name), error(inner, name)] as const));
    }
    if (typeof value !== 'string') return value;
    return key === 'path' && value.includes('.') ? names.operation(value) : text(value);
  };
  return {
    ...names,
    operationAt: (path) => {
      const operation = byPath.get(path.toLowerCase());
      // An operation by its name in Dokploy is none here.
      return operation ?? (routeOf(path) === undefined ? undefined : names.operation(path));
    },
    // The description of the platform is in its words already.
    answerTo: (operation) => (answer) =>
      operation === publishedDocument ? answer : names.data(answer, bareAnswers.get(operation)),
    text,
    error: (value) => error(value),
  };
}

const batch = 'trpc/';

/** Translates a request for many reads, and each part of its answer. */
async function speakInBatch<A extends WireAnswer>(
  answering: Answering<A>,
  request: WireRequest,
  words: Words,
): Promise<A> {
  const [, paths = '', query = ''] = /^\/api\/trpc\/([^?]*)\??(.*)$/s.exec(request.path) ?? [];
  const operations = paths.split(',').map((path) => {
    const operation = words.operationAt(path) ?? path;
    // In a batch the case of letters counts.
    return words.operation(operation) === path ? operation : words.operation(path);
  });
  const parameters = new URLSearchParams(query);
  const input = parameters.get('input');
  if (input !== null) parameters.set('input', retold(input, words.data));
  const path = `/api/${batch}${operations.join(',')}?${parameters.toString()}`;
  const body = request.body === undefined ? undefined : retold(request.body, words.data);
  const answer = await answering({ ...request, path, body });
  const part = (item: unknown, index: number): unknown => {
    const { result } = item as { result?: { data: { json: unknown } } }; // the form of every answer to a batch
    if (result === undefined) return words.error(item);
    const retell = words.answerTo(operations[index] ?? '');
    return { result: { data: { ...result.data, json: retell(result.data.json) } } };
  };
  const retell = (given: unknown): unknown => (Array.isArray(given) ? given.map(part) : part(given, 0));
  return { ...answer, body: inItsTexts(retold(answer.body, retell)) };
}

function queryInWords(query: string, { data }: Names): string {
  const pairs = [...new URLSearchParams(query)].flatMap((pair) => {
    return Object.entries(data(Object.fromEntries([pair])) as Record<string, string>); // translated, it is still an object
  });
  return new URLSearchParams(pairs).toString();
}

/** A JSON text with other content; the same text when it is no JSON. */
function retold(text: string, retell: (content: unknown) => unknown): string {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return text;
  }
  return JSON.stringify(retell(content));
}

/**
 * Replaces words in a text of the platform's own: those of Dokploy, and members of the input that Dokploy has under other
 * words.
 */
function textInWords(names: Names, member: (name: string) => string): (text: string) => string {
  const values = ['sourceType', 'buildType', 'certificateType'];
  const host = (given: string): string => {
    const named = names.member(given.toLowerCase());
    return given.startsWith(given.charAt(0).toUpperCase()) ? named.charAt(0).toUpperCase() + named.slice(1) : named;
  };
  const word = (token: string): string => {
    const value = values.map((holder) => names.value(holder, token)).find((one) => one !== token);
    const named = value ?? (/^[a-z]+$/.test(token) ? token : member(token));
    return named === token ? token.replaceAll(/github|gitlab|bitbucket|gitea/gi, host) : named;
  };
  return (text) => text.replaceAll(/[A-Za-z]\w*/g, word).replaceAll('/etc/dokploy/', '/etc/platform/');
}

/** What a platform of the profile writes into texts of its own, beside its words: the folder where it lives, and its name. */
function inItsTexts(answer: string): string {
  return answer
    .replaceAll('"logPath":"/etc/dokploy/', '"logPath":"/etc/platform/')
    .replaceAll('"type":"Dokploy"', '"type":"Platform"');
}
