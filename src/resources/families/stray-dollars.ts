import { interpolate } from '../../compose/interpolate.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';

/** A reference without its `ref:`: `${postgres.main.host}`, also with an environment before it. */
const unmarked =
  /^\$\{((?:[\w-]+\.)?(?:application|compose|postgres|mysql|mariadb|mongo|redis|libsql)\.[\w-]+\.\w+)\}$/;

/** How to write what was meant by a `${…}` that nothing reads; undefined where that cannot be told. */
export function meantBy(written: string): string | undefined {
  const address = unmarked.exec(written)?.[1];
  return address === undefined ? undefined : `Write \${ref:${address}}.`;
}

/** Variables in the image of a service, where neither compose nor the platform nor Trueup fills them in. */
export function imageIsWhole(self: CheckedResource): readonly Problem[] {
  const { dockerImage } = self.values;
  const written = typeof dockerImage === 'string' ? /\$\{[^}]*\}|\$\w+/.exec(dockerImage)?.[0] : undefined;
  if (written === undefined) return [];
  const name = self.shown(/^\$\{?(\w+)/.exec(written)?.[1] ?? 'NAME');
  return [
    {
      code: 'stray-dollar',
      fails: true,
      address: self.address,
      field: 'dockerImage',
      message: `nothing fills in ${self.shown(written)}, and docker takes no image of that name`,
      remedy:
        meantBy(written) ?? `Write \${var:${name}}, and under variables: what it is, as in ${name}: { default: … }.`,
    },
  ];
}

/** Variables in the env of a service that stay as text: other keys of the same env, and references without `ref:`. */
export function variablesStay(
  self: CheckedResource,
  entries: ReadonlyMap<string, string | undefined>,
): readonly Problem[] {
  // Compose reads the .env file of a compose; to a stack the platform gives the values themselves.
  const isOfCompose = self.kind === 'compose' && self.values.composeType !== 'stack';
  return [...entries].flatMap(([key, value = '']): Problem[] => {
    if (!value.includes('$') || value.includes('${{')) return [];
    const about = { code: 'stray-dollar', address: self.address, field: 'env' } as const;
    const shown = self.shown(value, key);
    const reference = shown.match(/\$\{[\w.-]+\}/g)?.find((written) => meantBy(written) !== undefined);
    if (reference !== undefined) {
      const message = `${key}: ${reference} stays as text: a reference begins with ref:`;
      return [{ ...about, message, remedy: meantBy(reference) ?? '' }];
    }
    const names = interpolate(value, () => undefined).uses.map(({ name }) => name);
    const own = names.find((name) => name !== key && entries.has(name));
    const [first = own] = names;
    // A name that is not shown may be a part of a password with a `$`.
    const visible = new Set(interpolate(shown, () => undefined).uses.map((use) => use.name));
    const stays = (name: string): Problem => ({
      ...about,
      ...(visible.has(name)
        ? {
            message: `${key}: ${name} is not filled in: the service gets the text \${${name}}`,
            remedy: `Write \${{${name}}}: the platform puts the value of ${name} there.`,
          }
        : {
            message: `${key}: a variable in its value is not filled in: the service gets its name as text`,
            remedy: 'Write ${{NAME}}: the platform puts the value of that variable there.',
          }),
      ...(isOfCompose ? { when: { since: literal } } : {}),
    });
    const isFilled = (name: string): Problem => ({
      ...about,
      message: `${key}: this platform is older than ${literal}, and docker compose puts ${visible.has(name) ? `the variable ${name}` : 'a variable'} in place of the text`,
      remedy:
        entries.has(name) && visible.has(name)
          ? `Write \${{${name}}} for its value. For the text itself, upgrade the platform.`
          : `Upgrade the platform to ${literal}: an older one cannot pass a $ on.`,
      when: { before: literal },
    });
    return [
      ...(own === undefined ? [] : [stays(own)]),
      ...(first === undefined || !isOfCompose ? [] : [isFilled(first)]),
    ];
  });
}

/** From this version on the platform writes a `$` of a variable so that docker compose leaves it. */
const literal = '0.30.0';
