import type { Json } from '../../src/formats/json.ts';
import { randomOf } from './guesses.ts';

/** Secrets that checks would transform, and what nobody may see of them. Shares no code with the engine. */

const letters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** What a check would take for a value of its own sort; `t` gives a new random word each time, `n` digits. */
const forms: Readonly<Record<string, (t: () => string, n: () => string) => string>> = {
  'a word': (t) => t(),
  'a host in capitals': (t) => `${t()}.${t().toUpperCase()}.Example.COM`,
  'a number in hexadecimal': (_, n) => `0x${Number(n()).toString(16).toUpperCase()}`,
  'a number': (_, n) => n(),
  'a number with a point': (_, n) => `${n()}.${n()}`,
  'a text with blanks around it': (t) => `  ${t()} `,
  'a list': (t) => `${t()},${t()};${t()}`,
  'a path': (t) => `/${t()}/../${t()}/./${t()}/`,
  'an address': (t) => `HTTPS://${t()}:${t()}@${t()}.Example.com:8443/${t()}?a=${t()}#${t()}`,
  'the address of a database': (t) => `postgres://${t()}:${t()}@${t()}.example.com:5432/${t()}`,
  'an image': (t) => `${t().toLowerCase()}.example.com/${t().toLowerCase()}/${t().toLowerCase()}:${t()}`,
  'a schedule': (_, n) => `${n()} 3 * * *`,
  'an amount': (_, n) => `${n()}Mi`,
  JSON: (t, n) => JSON.stringify({ [t()]: t(), a: [t(), Number(n())] }),
  YAML: (t) => `${t()}: ${t()} # ${t()}`,
  'a list of YAML': (t) => `[${t()}, ${t()}]`,
  'an alias': (t) => `*${t()}`,
  'a line of an env': (t) => `${t()}=${t()}`,
  lines: (t) => `${t()}\n${t()}\n${t()}\n`,
  'an e-mail': (t) => `${t()}@${t()}.example.com`,
  'a private key': (t) =>
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${t()}${t()}${t()}\n-----END OPENSSH PRIVATE KEY-----\n`,
  'an address of messages': (t) => `https://hooks.example.com/${t()}`,
};

/** A secret in one of these forms. */
export interface Leaf {
  readonly form: string;
  readonly value: string;
  /** What nobody may see, in lower case. */
  readonly parts: readonly string[];
}

/** The secrets: one of each form, others for each seed. */
export function leavesOf(seed: number): readonly Leaf[] {
  const random = randomOf(seed);
  const text = (signs: string, length: number) =>
    Array.from({ length }, () => signs[Math.floor(random() * signs.length)]).join('');
  return Object.entries(forms).map(([form, write]) => {
    const words: string[] = [];
    const kept = (word: string) => {
      words.push(word);
      return word;
    };
    // A word in letters only could be one of the manifest; digits could be a time.
    const value = write(
      () => kept(`${text(letters, 5)}7${text(letters, 6)}`),
      () => kept(`6${text('123456789', 7)}`),
    );
    const trimmed = value.trim();
    const number = trimmed === '' ? Number.NaN : Number(trimmed);
    const all = [value, trimmed, ...words, ...(Number.isNaN(number) ? [] : [String(number)])];
    return {
      form,
      value,
      parts: [...new Set(all.map((part) => part.toLowerCase()))].filter(({ length }) => length >= 6),
    };
  });
}

/** What the texts of a trail show of some secrets, in any case, and where: the beginning of a secret is enough. */
export function shownIn(trail: readonly (readonly [what: string, text: string])[], leaves: readonly Leaf[]): string[] {
  const parts = leaves.flatMap((leaf) => leaf.parts);
  const forms = [...new Set(parts.flatMap((part) => [part, JSON.stringify(part).slice(1, -1)]))];
  return trail.flatMap(([what, text]) => {
    const small = text.toLowerCase();
    return forms.flatMap((form) => {
      const at = small.indexOf(form);
      return at === -1 ? [] : [`${what}: …${text.slice(Math.max(0, at - 80), at + form.length + 40)}…`];
    });
  });
}

/** A value for a field that takes such examples, with an expression in each of its texts. */
export function valueWith(example: unknown, expression: string, isMap: boolean): Json {
  if (isMap) return { A: expression, URL: `https://a.example.com/${expression}/b`, OTHER: 'c' };
  if (typeof example !== 'object' || example === null) return expression;
  const filled = JSON.stringify(example, (_key, value: unknown) => (typeof value === 'string' ? expression : value));
  return (filled.includes(expression) ? JSON.parse(filled) : expression) as Json;
}

/** Texts of compose files that hold a secret in a place of its own. */
export const composeTexts: Readonly<Record<string, (secret: string) => string>> = {
  'in an image': (secret) => `services:\n  web:\n    image: ${secret}\n`,
  'in the tag of an image': (secret) => `services:\n  web:\n    image: nginx:${secret}\n`,
  'in a map of an environment': (secret) =>
    `services:\n  web:\n    image: nginx\n    environment:\n      A: ${secret}\n`,
  'in quotes': (secret) => `services:\n  web:\n    image: nginx\n    environment: { A: '${secret}', B: "${secret}" }\n`,
  'in a list of an environment': (secret) => `services:\n  web:\n    image: nginx\n    environment: [A=${secret}]\n`,
  'in a command': (secret) => `services:\n  web:\n    image: nginx\n    command: run --with ${secret}\n`,
  'in a block': (secret) => `services:\n  web:\n    image: nginx\n    command: |\n      ${secret}\n`,
  'in a port': (secret) => `services:\n  web:\n    image: nginx\n    ports: ["${secret}:80"]\n`,
  'in a key': (secret) => `services:\n  web:\n    image: nginx\n    environment:\n      ${secret}: a\n`,
  'in the name of a service': (secret) => `services:\n  ${secret}:\n    image: nginx\n`,
  'in the name of a volume': (secret) =>
    `services:\n  web:\n    image: nginx\n    volumes: ["${secret}:/data"]\nvolumes:\n  ${secret}: {}\n`,
  'in a comment': (secret) => `services:\n  web:\n    image: nginx # ${secret}\n`,
  'in a container name': (secret) => `services:\n  web:\n    image: nginx\n    container_name: ${secret}\n`,
  'in a label': (secret) =>
    `services:\n  web:\n    image: nginx\n    labels:\n      - traefik.http.routers.a.rule=Host(\`${secret}\`)\n`,
  'at its end': (secret) => `services:\n  web:\n    image: nginx\n${secret}`,
};
