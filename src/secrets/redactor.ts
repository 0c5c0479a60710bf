import { redacted } from './secret.ts';

/** Replaces the secrets of one session in text from elsewhere. It holds them until it is dropped with its session. */
export interface Redactor {
  /** Adds a secret. Values of fewer than six characters are too common to replace. */
  readonly add: (secret: string) => void;
  readonly redact: (text: string) => string;
}

/**
 * Makes the redactor of one session: a process that holds many projects makes one for each. It replaces a secret as it
 * is, line by line, the password of an address by itself, each escaped for JSON (once and twice), for URLs and for
 * HTML, and within base64 of any alignment. Its time depends on the length of the text, not on the number of secrets.
 * Never throws.
 */
export function createRedactor(): Redactor {
  const added = new Set<string>();
  let waiting: string[] = [];
  /** The forms by their first characters and their length. */
  const byStart = new Map<string, Map<number, Set<string>>>();
  const remember = (form: string) => {
    if (form.length < shortest) return;
    const start = form.slice(0, shortest);
    const lengths = byStart.get(start) ?? new Map<number, Set<string>>();
    if (lengths.size === 0) byStart.set(start, lengths);
    const forms = lengths.get(form.length);
    if (forms === undefined) lengths.set(form.length, new Set([form]));
    else forms.add(form);
  };
  return {
    add: (secret) => {
      if (secret.length < shortest || added.has(secret)) return;
      added.add(secret);
      waiting.push(secret);
    },
    redact: (text) => {
      for (const secret of waiting) {
        const lines = secret.split(/\r\n|\r|\n/).map((line) => line.trim());
        for (const part of new Set([secret, ...lines, ...passwordsIn(secret)])) {
          if (part.length >= shortest) for (const form of formsOf(part)) remember(form);
        }
      }
      waiting = [];
      let clean = '';
      let from = 0;
      let redactFrom = -1;
      let redactTo = 0;
      const close = () => {
        if (redactFrom === -1) return;
        clean += text.slice(from, redactFrom) + redacted;
        from = redactTo;
        redactFrom = -1;
      };
      for (let at = 0; at + shortest <= text.length; at++) {
        const lengths = byStart.get(text.slice(at, at + shortest));
        if (lengths === undefined) continue;
        let end = 0;
        for (const [length, forms] of lengths)
          if (at + length > end && forms.has(text.slice(at, at + length))) end = at + length;
        if (end === 0) continue;
        // Two that overlap are redacted as one: a rest of either would show part of a secret.
        if (at >= redactTo) {
          close();
          redactFrom = at;
        }
        redactTo = Math.max(redactTo, end);
      }
      close();
      return clean + text.slice(from);
    },
  };
}

const shortest = 6;

function formsOf(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const texts = [...new Set([text, json])];
  const once = [json, json.replace(/[\u0080-\uffff]/g, codeOf), json.replaceAll('/', String.raw`\/`)];
  const urls = texts.flatMap(withinUrl);
  const base64 = texts.flatMap((one) => [0, 1, 2].flatMap((shift) => withinBase64(one, shift)));
  return [
    text,
    ...once,
    ...once.map((one) => JSON.stringify(one).slice(1, -1)),
    ...urls,
    ...urls.map((one) => one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    ...withinHtml(text),
    ...base64,
    ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** The passwords of the addresses in a text, or who stands alone in place of one: whoever refuses it quotes it alone. */
function passwordsIn(text: string): string[] {
  const found = [...text.matchAll(/:\/\/(?:[^\s/:@]*:)?([^\s/@]+)@/g)].map(([, password = '']) => password);
  return [...found, ...found.map(decoded)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A text in an address: as a part of it, as the whole of it, and as a form writes it. */
function withinUrl(text: string): string[] {
  const whole = text.replace(/\p{Surrogate}/gu, '\uFFFD');
  const part = encodeURIComponent(whole);
  const strict = part.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([['', whole]]).toString().slice(1);
  const forms = [part, strict, form, encodeURI(whole)];
  return [...forms, ...forms.map((one) => one.replaceAll('%20', '+')), form.replaceAll('+', '%20')];
}

function withinHtml(text: string): string[] {
  const escaped = text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
  return ['&#39;', '&#x27;'].map((quote) => escaped.replaceAll("'", quote));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A character outside of ASCII, as some write it in JSON. */
function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A text in base64 when so many other bytes stand before it in its group of three: followed by more, and at the end. */
function withinBase64(text: string, shift: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text, 'utf8')]);
  const first = Math.ceil((shift * 8) / 6);
  const padded = bytes.toString('base64').slice(first);
  const whole = padded.replace(/=+$/, '');
  return [whole.slice(0, Math.floor((bytes.length * 8) / 6) - first), whole, padded];
}
