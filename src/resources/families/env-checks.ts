import { onceFor } from '../../api/once.ts';
import { didYouMean } from '../../diagnostics/closest.ts';
import { readEnvText } from '../../formats/env-text.ts';
import { hasMark } from '../../formats/secret-mark.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { imageIsWhole, variablesStay } from './stray-dollars.ts';
import { ignoredField } from './ignored-fields.ts';

interface Env {
  readonly entries: ReadonlyMap<string, string | undefined>;
  /** The service may have others. */
  readonly isOpen: boolean;
  /** What its text sets. */
  readonly text: ReadonlyMap<string, string> | undefined;
}

/** The variables in the env of a block, a map or a text, read once for all of its checks. */
export const envOf = onceFor(({ values, maps, unknown = [] }: CheckedResource): Env => {
  const map = maps['env'];
  const text = typeof values['env'] === 'string' ? readEnvText(values['env']) : undefined;
  return { entries: map?.entries ?? text ?? new Map(), isOpen: unknown.includes('env') || map?.isOwn === false, text };
});

/** What the platform makes of the image and the env of a service when it deploys it: variables, and lines of a text. */
export function envWorks(self: CheckedResource): readonly Problem[] {
  const { createEnvFile, composeType } = self.values;
  // Nothing reads the env of a compose without its .env file.
  const isRead = createEnvFile !== false || composeType === 'stack';
  const ofEnv = isRead ? [...refusedReferences(self), ...variablesStay(self, envOf(self).entries), ...lines(self)] : [];
  return [...imageIsWhole(self), ...ofEnv];
}

/** `${{NAME}}` is another variable of the same env, and the platform refuses what is none. Those above are checked elsewhere. */
function refusedReferences(self: CheckedResource): readonly Problem[] {
  const { address } = self;
  const { entries, isOpen } = envOf(self);
  const keys = [...entries.keys()];
  return [...entries].flatMap(([key, value = '']): Problem[] => {
    const names = [...value.matchAll(/\$\{\{(.*?)\}\}/g)].map(([, name = '']) => name);
    const wrong = names.find((name) => {
      if (/^(?:project|environment)\.|^vault\.[\w-]+\.[^}]/.test(name) || hasMark(name) || keys.includes(name))
        return false;
      return !isOpen || !/^[\w.-]+$/.test(name);
    });
    if (wrong === undefined) return [];
    return [
      {
        code: 'refused-expression',
        fails: true,
        address,
        field: 'env',
        ...refusal(self, { key, value, name: wrong }, keys),
      },
    ];
  });
}

/** What is wrong with `${{NAME}}` in the value of a key, and what to write. */
function refusal(
  self: CheckedResource,
  { key, value, name }: { readonly key: string; readonly value: string; readonly name: string },
  keys: readonly string[],
): Pick<Problem, 'message' | 'remedy'> {
  if (!self.shown(value, key).includes(`\${{${name}}}`)) {
    const message = `${key}: the platform refuses a \${{…}} in its value: this env has no variable of that name`;
    return { message, remedy: 'Write the name of a variable that is declared under env:.' };
  }
  const plain = name.trim();
  const message = `${key}: the platform refuses \${{${name}}}`;
  if (/^vault\./i.test(plain))
    return {
      message: `${message}: it names no secret of a vault`,
      remedy: 'Write ${{vault.PROVIDER.SECRET}}, without blanks.',
    };
  const [, above, rest] = /^(project|environment)\.([\w.-]+)$/i.exec(plain) ?? [];
  const otherwise = `Declare ${plain} under env:, or write \${var:NAME} for a variable of the manifest.`;
  const remedy =
    above === undefined
      ? didYouMean(plain, keys, otherwise)
      : `Write \${{${above.toLowerCase()}.${String(rest)}}}, without blanks and in small letters.`;
  return { message: `${message}: this env has no variable of that name`, remedy };
}

/** The lines of a text that set nothing, or set what a later one sets again. */
function lines(self: CheckedResource): readonly Problem[] {
  const { address, values } = self;
  const { env } = values;
  const read = envOf(self).text;
  if (typeof env !== 'string' || read === undefined) return [];
  const all = env.split('\n');
  const about = { code: 'env-line', address, field: 'env' } as const;
  const isText = (line: string) => /\S/.test(line) && !/^\s*(?:#|(?:export\s+)?[\w.-]+\s*[=:])/.test(line);
  const dropped = all.flatMap((line, index): Problem[] => {
    if (!isText(line) || !isSame(read, readEnvText(all.toSpliced(index, 1).join('\n')))) return [];
    return [
      {
        ...about,
        message: `line ${index + 1} sets no variable: the platform drops it`,
        remedy: 'Write NAME=value, or # before a comment.',
      },
    ];
  });
  const first = new Map<string, number>();
  const twice = all.flatMap((line, index): Problem[] => {
    const name = /^\s*(?:export\s+)?([\w.-]+)\s*=/.exec(line)?.[1];
    if (name === undefined || !read.has(name)) return [];
    const before = first.get(name);
    first.set(name, index);
    if (before === undefined || !isSame(read, readEnvText(all.toSpliced(before, 1).join('\n')))) return [];
    return [
      {
        ...about,
        message: `${name} stands in lines ${before + 1} and ${index + 1}: the later one counts`,
        remedy: 'Keep one of the two.',
      },
    ];
  });
  return [...dropped, ...twice];
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

/**
 * Finds variables of a database that take the place of its fields: `variables` says which the platform writes of which field, and it
 * writes those of the block behind them. Source: buildPostgres and others of v0.30.2.
 */
export function fieldsCount(self: CheckedResource, variables: Readonly<Record<string, string>>): readonly Problem[] {
  const { values, unknown = [] } = self;
  const { entries } = envOf(self);
  return Object.entries(variables).flatMap(([name, field]): Problem[] => {
    const value = entries.get(name);
    // A field that is a secret as a whole is compared with nothing.
    if (value === undefined || value === values[field] || value.includes('${{') || unknown.includes(field)) return [];
    const message = `${name} counts in place of ${field}: the platform writes that first`;
    return [ignoredField(self, 'env', { message, remedy: 'Write the same value in both.' })];
  });
}
