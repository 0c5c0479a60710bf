import { mask } from './sealed.ts';

/** Replaces the secrets of a run in text that came from elsewhere. */
export interface Redactor {
  /** Remembers a secret; values of fewer than six characters are too common to replace. */
  readonly add: (secret: string) => void;
  readonly redact: (text: string) => string;
}

/**
 * Makes the redactor of one run. It knows a secret as it is, line by line, escaped for JSON (once and twice) and for
 * URLs, and within base64 of any alignment. Its time depends on the length of the text and not on how many it knows.
 */
export function createRedactor(): Redactor {
  const known = new Set<string>();
  const added = new Set<string>();
  let waiting: string[] = [];
  /** The forms by their first characters. */
  const byStart = new Map<string, string[]>();
  const remember = (form: string) => {
    if (form.length < shortest || known.has(form)) return;
    known.add(form);
    const start = form.slice(0, shortest);
    const forms = byStart.get(start);
    if (forms === undefined) byStart.set(start, [form]);
    else forms.push(form);
  };
  return {
    add: (secret) => {
      if (secret.length < shortest || added.has(secret)) return;
      added.add(secret);
      waiting.push(secret);
    },
    redact: (text) => {
      for (const secret of waiting) {
        for (const line of new Set([secret, ...secret.split(/\r\n|\r|\n/)])) {
          if (line.length >= shortest) for (const form of formsOf(line)) remember(form);
        }
      }
      waiting = [];
      let clean = '';
      let from = 0;
      let hiddenFrom = -1;
      let hiddenTo = 0;
      const close = () => {
        if (hiddenFrom === -1) return;
        clean += text.slice(from, hiddenFrom) + mask;
        from = hiddenTo;
        hiddenFrom = -1;
      };
      for (let at = 0; at + shortest <= text.length; at++) {
        const forms = byStart.get(text.slice(at, at + shortest));
        if (forms === undefined) continue;
        let end = 0;
        for (const form of forms) if (at + form.length > end && text.startsWith(form, at)) end = at + form.length;
        if (end === 0) continue;
        // Two that overlap are hidden as one: a rest of either would tell too much.
        if (at >= hiddenTo) {
          close();
          hiddenFrom = at;
        }
        hiddenTo = Math.max(hiddenTo, end);
      }
      close();
      return clean + text.slice(from);
    },
  };
}

const shortest = 6;

function formsOf(text: string): string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
  const strict = url.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const urls = [url, strict].flatMap((form) => [form, form.replaceAll('%20', '+')]);
  const base64 = [0, 1, 2].flatMap((shift) => withinBase64(text, shift));
  return [
    text,
    once,
    JSON.stringify(once).slice(1, -1),
    ...urls,
    ...urls.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** A text in base64 when so many other bytes stand before it in its group of three: followed by more, and at the end. */
function withinBase64(text: string, shift: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text, 'utf8')]);
  const first = Math.ceil((shift * 8) / 6);
  const padded = bytes.toString('base64').slice(first);
  const whole = padded.replace(/=+$/, '');
  return [whole.slice(0, Math.floor((bytes.length * 8) / 6) - first), whole, padded];
}
