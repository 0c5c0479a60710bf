import * as z from 'zod';
import { type Json, isObject } from './json.ts';

/**
 * A unit in which the platform takes whole numbers. A number without a unit is what the platform means by it; with one
 * (`512Mi`) Trueup writes the number that the platform takes.
 */
export interface Unit {
  /** Several of it, in words: `bytes`. */
  readonly plural: string;
  /** How many of it each ending of an amount stands for, from the largest. */
  readonly endings: Readonly<Record<string, number>>;
  /** Amounts: decimal numbers with an ending. As a regular expression without `^` and `$`. */
  readonly pattern: string;
  /** The sentence for docs and messages, behind "must be". */
  readonly words: string;
  readonly example: string;
  /** The platform keeps the number as text. */
  readonly isText: boolean;
  /** The least that anybody means, as a number and as a reason. */
  readonly least: { readonly amount: number; readonly because: string };
  /** A number of it as people write it. */
  readonly show: (amount: number) => string;
}

const second = 1_000_000_000;
const binary = { Ti: 2 ** 40, Gi: 2 ** 30, Mi: 2 ** 20, Ki: 2 ** 10 };
const times = { d: 86_400 * second, h: 3_600 * second, m: 60 * second, s: second, ms: 1e6, us: 1e3, ns: 1 };
const decimal = String.raw`\d+(\.\d+)?`;

/** All units, by the word that a field's declaration has for it. */
export const units = {
  bytes: {
    plural: 'bytes',
    endings: binary,
    pattern: `${decimal}(Ki|Mi|Gi|Ti)B?`,
    words: 'a number of bytes, or an amount with Ki, Mi, Gi or Ti such as 512Mi',
    example: '512Mi',
    isText: true,
    // Source: `validateResources` of swarmkit, for limits and reservations.
    least: { amount: 4 * 2 ** 20, because: 'Docker takes 4Mi or more' },
    show: (amount) => largestWhole(amount, binary) ?? `${amount} bytes`,
  },
  nanocpus: {
    plural: 'billionths of a core',
    endings: { ' cores': second, ' core': second, m: second / 1_000, '': second },
    // A number without a point is what the platform means: billionths.
    pattern: String.raw`\d+\.\d+|${decimal}( cores?|m)`,
    words: 'a number of billionths of a core, or cores such as 1.5, 500m or "2 cores"',
    example: '500m',
    isText: true,
    least: { amount: second / 1_000, because: 'Docker takes 1m or more' },
    show: (amount) => {
      const cores = (amount / second).toFixed(9).replace(/\.?0+$/, '');
      return `${cores} ${cores === '1' ? 'core' : 'cores'}`;
    },
  },
  nanoseconds: {
    plural: 'nanoseconds',
    endings: times,
    pattern: `(${decimal}(ns|us|ms|s|m|h|d))+`,
    words: 'a number of nanoseconds, or a duration such as 30s, 1m30s or 500ms',
    example: '30s',
    isText: false,
    least: { amount: 1e6, because: 'Docker measures in milliseconds' },
    show: showDuration,
  },
} as const satisfies Record<string, Unit>;

/** The unit of a field, or the units of members of its value, by name. */
export type FieldUnit = keyof typeof units | Readonly<Record<string, keyof typeof units>>;

/** Reads a duration such as `30s` or `1h30m`. In nanoseconds; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  return new RegExp(`^(${units.nanoseconds.pattern})$`).test(text) ? readAmount(units.nanoseconds, text) : undefined;
}

/** The schema of a number in a unit: it takes amounts too, and gives the number as the platform has it. */
export function amountIn(name: keyof typeof units): z.ZodType {
  const unit: Unit = units[name];
  const must = `must be ${unit.words}`;
  const amount = z
    .string({ error: must })
    .regex(new RegExp(`^(${unit.isText ? String.raw`\d+|` : ''}${unit.pattern})$`), { error: must, abort: true })
    .refine((text) => isPlain(text) || readAmount(unit, text) !== undefined, {
      message: `must be a whole number of ${unit.plural}`,
      abort: true,
    })
    .transform((text) =>
      isPlain(text) ? text : unit.isText ? String(readAmount(unit, text)) : readAmount(unit, text),
    );
  return unit.isText ? amount : z.union([z.number(), amount], { error: must });
}

/** A value with every number that has a unit as people write it; the rest as it is. */
export function inUnits(unit: FieldUnit | undefined, value: Json): Json {
  if (unit === undefined) return value;
  if (typeof unit === 'string') return shown(units[unit], value);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const own = Object.hasOwn(unit, name) ? unit[name] : undefined;
      return [name, own === undefined ? member : shown(units[own], member)];
    }),
  );
}

/** The numbers in a value that are less than anybody means, each with the path of the member that holds it. */
export function tooSmall(unit: FieldUnit, value: Json): { path: readonly string[]; amount: number; unit: Unit }[] {
  const numbers: [path: readonly string[], unit: Unit, value: Json | undefined][] =
    typeof unit === 'string'
      ? [[[], units[unit], value]]
      : Object.entries(unit).map(([name, own]) => [
          [name],
          units[own],
          isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
        ]);
  return numbers.flatMap(([path, own, found]) => {
    const amount = typeof found === 'string' ? Number(found) : found;
    const isSmall = typeof amount === 'number' && amount > 0 && amount < own.least.amount;
    return isSmall ? [{ path, amount, unit: own }] : [];
  });
}

function isPlain(text: string): boolean {
  return /^\d+$/.test(text);
}

/** The sum of the parts of an amount; undefined when it is no whole number, or one that JSON does not carry. */
function readAmount({ endings }: Unit, text: string): number | undefined {
  let sum = 0n; // in billionths: the longest fraction that can be a whole number of anything here
  for (const [, whole = '', fraction = '', ending = ''] of text.matchAll(/(\d+)(?:\.(\d+))?( ?[A-Za-z]*)/g)) {
    const factor = endings[Object.hasOwn(endings, ending) ? ending : ending.replace(/B$/, '')];
    if (factor === undefined || fraction.length > 9) return undefined;
    sum += BigInt(whole + fraction.padEnd(9, '0')) * BigInt(factor);
  }
  const amount = sum / 1_000_000_000n;
  const isExact = amount * 1_000_000_000n === sum && amount <= BigInt(Number.MAX_SAFE_INTEGER);
  return isExact ? Number(amount) : undefined;
}

/** Text that is no number is shown with what the platform makes of it: the digits that it begins with. */
function shown(unit: Unit, value: Json): Json {
  if (typeof value === 'string' && !isPlain(value)) {
    const digits = /^\s*\d+/.exec(value)?.[0].trim();
    return `${value} as text (${digits === undefined ? 'no number' : `${digits} ${unit.plural}`})`;
  }
  const amount = typeof value === 'string' ? Number(value) : value;
  return Number.isSafeInteger(amount) && Number(amount) > 0 ? unit.show(Number(amount)) : value;
}

function largestWhole(amount: number, endings: Readonly<Record<string, number>>): string | undefined {
  const found = Object.entries(endings).find(([, factor]) => amount % factor === 0);
  return found === undefined ? undefined : `${amount / found[1]}${found[0]}`;
}

/** In hours, minutes, seconds and smaller, without those of which there is none: `1m30s`. */
function showDuration(nanoseconds: number): string {
  let rest = nanoseconds;
  const parts = Object.entries(times).flatMap(([ending, factor]) => {
    if (ending === 'd' || rest < factor) return [];
    const count = Math.floor(rest / factor);
    rest -= count * factor;
    return [`${count}${ending}`];
  });
  return parts.join('');
}
