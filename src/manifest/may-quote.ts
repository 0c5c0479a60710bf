import { once } from '../api/once.ts';
import type { Kind } from '../kind/kind.ts';
import { withTop } from '../kind/top.ts';
import { writtenFields } from '../kind/written.ts';
import { maskValue } from '../secrets/looks-secret.ts';
import type { QuotingRule } from './quote.ts';
import { settingsShape } from './settings-shape.ts';

/** Settings whose values may be secrets. */
const closedSettings: ReadonlySet<string> = new Set(['secrets', 'variables', 'outputs', 'notify']);

/** Keys inside of settings and unions. */
const innerKeys: readonly string[] = [
  'url',
  'emulator',
  'profile',
  'backend',
  'schema',
  'bucket',
  'region',
  'prefix',
  'from',
  'to',
  'type',
];

/**
 * The rule for quoting lines of a manifest: a value shows when its key is a field that never holds a secret, no key around
 * it is a field that may, and the value looks like none.
 */
export function quotingRule(kinds: readonly Kind[]): QuotingRule {
  const keys = once(() => quotedKeys(kinds)); // a valid manifest needs none of it
  return {
    mayShow: (path, value) => {
      const { open, closed } = keys();
      const key = path.at(-1);
      return key !== undefined && open.has(key) && !path.some((step) => closed.has(step)) && !looksSecret(key, value);
    },
    mayShowKeys: (path) => {
      const { closed, named } = keys();
      return path.every((step, index) => !closed.has(step) || path.length - index <= (named.get(step) ?? 0));
    },
    isWord: (key) => keys().open.has(key) || keys().closed.has(key),
  };
}

/** The keys whose values may show, those whose may not, and how far below one of the latter keys show. */
function quotedKeys(kinds: readonly Kind[]) {
  const open = new Set([...Object.keys(settingsShape).filter((key) => !closedSettings.has(key)), ...innerKeys]);
  const closed = new Set(closedSettings);
  /** Closed keys below which keys show, and how far below: names, and in settings also the words below a name. */
  const named = new Map([...closedSettings].map((key) => [key, 2]));
  for (const kind of withTop(kinds)) {
    for (const link of Object.values(kind.parents)) {
      for (const [key, { is }] of writtenFields(kind, link)) if (is !== 'field') open.add(key);
    }
    const words = (kind.unions ?? []).flatMap(({ cases }) =>
      Object.values(cases).flatMap((fields) => Object.entries(fields)),
    );
    const keys = Object.entries(kind.fields).flatMap(([name, { written = name, also = name }]) =>
      [name, written, also].map((key) => [key, name] as const),
    );
    for (const [key, name] of [...keys, ...words]) {
      const field = kind.fields[name];
      (field?.secrecy === undefined ? open : closed).add(key);
      if (field?.map !== undefined) named.set(key, 1);
    }
  }
  return { open, closed, named };
}

/** Of a value that is written in quotes or not. */
function looksSecret(key: string, written: string): boolean {
  const value = written.replace(/^(["'])(.*)\1$/s, '$2');
  return maskValue(key, value) !== value;
}
