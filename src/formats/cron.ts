/**
 * Cron expressions as the platform reads them. It takes any text, and never runs what node-schedule cannot read. Source of
 * the rules: cron-parser 4.9, which node-schedule uses. Refused beyond that: fewer than five fields, and steps longer than
 * their field, which cron-parser fills in or ignores.
 */

interface CronField {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names of numbers, from the least. */
  readonly names?: readonly string[];
  /** Forms that only this field has. */
  readonly others?: RegExp;
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const day: CronField = { name: 'day', least: 1, most: 31, others: /^(\?|L)$/ };
const month: CronField = { name: 'month', least: 1, most: 12, names: months };
const fields: readonly CronField[] = [
  { name: 'second', least: 0, most: 59 },
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  day,
  month,
  { name: 'weekday', least: 0, most: 7, names: weekdays, others: /^(\?|[0-7]L|[0-7]#[1-5])$/ },
];
const words = ['@hourly', '@daily', '@weekly', '@monthly', '@yearly'];
const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The reason why the platform never runs an expression, such as `hour must be 0 to 23, got 25`; undefined for a good one. */
export function cronProblem(expression: string): string | undefined {
  if (expression.startsWith('@')) {
    return words.includes(expression) ? undefined : `a word must be one of ${words.join(', ')}`;
  }
  if (/^\s|\s$|[^\S ]/.test(expression)) return 'white space must be single spaces between the fields';
  const parts = expression.split(/ +/);
  if (parts.length !== 5 && parts.length !== 6) {
    const count = expression === '' ? 0 : parts.length;
    return `it must have five fields (minute hour day month weekday), or six with the second first, got ${count}`;
  }
  const used = fields.slice(-parts.length);
  for (const [index, field] of used.entries()) {
    const problem = fieldProblem(field, parts[index] ?? '');
    if (problem !== undefined) return problem;
  }
  return dayProblem(parts.at(-3) ?? '', parts.at(-2) ?? '');
}

function fieldProblem(field: CronField, text: string): string | undefined {
  if (text.includes('#') && text.includes(',')) return `${field.name} with # must stand alone, got ${quoted(text)}`;
  for (const item of text.split(',')) {
    const problem = itemProblem(field, item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function itemProblem(field: CronField, item: string): string | undefined {
  const { name, least, most, names = [], others } = field;
  const [range = '', step, ...more] = item.split('/');
  if (more.length > 0 || (step !== undefined && !isIn(Number(/^\d+$/.exec(step)?.[0]), 1, most))) {
    return `the step of ${name} must be 1 to ${most}, got ${quoted(item.slice(range.length + 1))}`;
  }
  if (range === '*') return undefined;
  if (step === undefined && others?.test(inDigits(field, item)) === true) return undefined;
  const ends = range.split('-');
  const bounds = ends.map((end) => numberOf(field, end));
  const wrong = ends.length > 2 ? range : ends.find((_end, index) => !isIn(bounds[index], least, most));
  if (wrong !== undefined) {
    const orNames = names.length === 0 ? '' : ` or ${names[0] ?? ''} to ${names.at(-1) ?? ''}`;
    return `${name} must be ${least} to ${most}${orNames}, got ${quoted(wrong)}`;
  }
  const [first = 0, last = first] = bounds;
  return first > last ? `${name} must be a range that rises, got ${quoted(range)}` : undefined;
}

/** A day that its only month never has. */
function dayProblem(days: string, monthText: string): string | undefined {
  const only = numberOf(month, monthText);
  const most = only === undefined ? undefined : daysInMonth[only - 1];
  const firsts = days.split(',').map((item) => numberOf(day, item.split(/[-/]/)[0] ?? ''));
  if (most === undefined || !firsts.every((first) => first !== undefined && first > most)) return undefined;
  return `day must be 1 to ${most} in month ${monthText}, got ${days}`;
}

/** The number of a digit or a name; undefined for anything else. */
function numberOf(field: CronField, text: string): number | undefined {
  const digits = inDigits(field, text);
  return /^\d+$/.test(digits) ? Number(digits) : undefined;
}

/** Text with the name at its beginning as a number. */
function inDigits({ names = [], least }: CronField, text: string): string {
  const at = names.indexOf(text.slice(0, 3).toUpperCase());
  return at === -1 ? text : `${at + least}${text.slice(3)}`;
}

function isIn(value: number | undefined, least: number, most: number): boolean {
  return value !== undefined && value >= least && value <= most;
}

function quoted(text: string): string {
  return /^\d+$/.test(text) ? text : JSON.stringify(text);
}
