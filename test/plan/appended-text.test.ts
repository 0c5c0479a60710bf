import { expect, test } from 'vitest';
import type { Wanted } from '../../src/manifest/wanted.ts';
import { withHidden } from '../../src/manifest/wanted.ts';
import { asPlatformHasIt } from '../../src/plan/appended-text.ts';
import { declared, kindNamed, referring, resourceOf, secretPart, textOf, wholeOf } from '../support/plan-values.ts';

/** The name of a service on the platform, which depends on fields of its compose. */

const compose = 'production.compose.shop';
const parentWith = (fields: Readonly<Record<string, Wanted>>) => resourceOf(kindNamed('compose'), compose, { fields });
const domain = (more: Readonly<Record<string, Wanted>> = {}) =>
  resourceOf(kindNamed('domain'), `${compose}.domains["a.b"]`, {
    parent: compose,
    fields: { serviceName: declared('web'), ...more },
  });
const nothing = () => undefined;
const random = { randomize: declared(true), suffix: declared('x1') };

test.each<[string, Readonly<Record<string, Wanted>>, Readonly<Record<string, unknown>> | undefined, string]>([
  ['what the parent declares', random, undefined, 'web-x1'],
  ['what the parent has on the platform and does not declare', {}, { randomize: true, suffix: 'y' }, 'web-y'],
  ['what it declares before what it has', { suffix: declared('x1') }, { randomize: true, suffix: 'y' }, 'web-x1'],
  ['nothing where the platform adds nothing', {}, { randomize: false, suffix: 'y' }, 'web'],
  ['nothing of a parent that is new and declares nothing', {}, undefined, 'web'],
])('a name is followed by %s', (_what, fields, row, expected) => {
  const { resource, notes } = asPlatformHasIt(domain(), parentWith(fields), row, nothing);
  const { serviceName } = resource.fields;
  expect(serviceName && wholeOf(serviceName)).toBe(expected);
  expect(serviceName?.appended).toBe(expected === 'web' ? undefined : expected.slice('web'.length));
  expect(notes).toEqual([]);
});

test('a resource that gets nothing stays the same object, as does one without a parent', () => {
  const own = domain();
  expect(asPlatformHasIt(own, undefined, undefined, nothing)).toEqual({ resource: own, notes: [] });
  expect(asPlatformHasIt(own, parentWith({}), undefined, nothing).resource).toBe(own);
});

test('a secret in the parent makes the name secret', () => {
  const { resource } = asPlatformHasIt(
    domain(),
    parentWith({ ...random, suffix: textOf(secretPart('SUFFIX', 'hidden')) }),
    undefined,
    nothing,
  );
  const { serviceName } = resource.fields;
  expect(serviceName).toMatchObject({ appended: '-hidden', isSecret: true });
  expect(serviceName && withHidden(serviceName, nothing, () => '(sensitive)')).toBe('web(sensitive)');
});

test('what is known only after apply is an error with both fields', () => {
  const suffix = referring({ address: 'production.redis.main', output: 'host' });
  const { notes } = asPlatformHasIt(domain(), parentWith({ ...random, suffix }), undefined, nothing);
  expect(notes).toMatchObject([
    {
      code: 'cannot-change',
      message: `serviceName: the name on the platform depends on suffix of ${compose}, which is not known before apply`,
      remedy: 'Write suffix without a reference.',
    },
  ]);
});
