import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { adoptOnly } from '../../src/manifest/required.ts';
import { everything, notesOf, plansNothing } from '../support/faults.ts';
import type { Body, Stand } from '../support/kind-manifests.ts';
import { addressOf, manifestWith, stands, triedStands } from '../support/kind-manifests.ts';
import { production } from '../support/manifest-texts.ts';
import { kindBench } from '../support/kind-world.ts';
import { bench } from '../support/world.ts';

/** Keys that a creation needs, told before any request. */

/** What `validate` warns of, or the codes of the errors that come before it. */
async function checked(text: string): Promise<string[]> {
  const made = bench();
  try {
    const { resources } = await made.manifest(text);
    expect(made.emulator.log).toEqual([]);
    return adoptOnly(resources).map(({ severity, code, message }) => `${severity} ${code} ${message}`);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return error.diagnostics.map(({ severity, code, message }) => `${severity} ${code} ${message}`);
  }
}

/** The stands whose body can lack a key, with the key. */
const lacking = triedStands().flatMap((stand) =>
  Object.keys(stand.body).map((key) => {
    const { [key]: _, ...rest } = stand.body;
    return [`${stand.title} without ${key}`, stand, rest] as const;
  }),
);

describe('U3: a block that lacks what a creation needs', () => {
  test.each(stands().map((stand) => [stand.title, stand] as const))('is not %s', async (_title, stand) => {
    expect((await checked(manifestWith(stand, stand.body))).filter((text) => text.includes('adopt'))).toEqual([]);
  });

  test.each(lacking)('%s: validate warns of what plan refuses', async (_title, stand: Stand, body: Body) => {
    const text = manifestWith(stand, body);
    const early = await checked(text);
    if (early.some((line) => line.startsWith('error'))) return expect(early).not.toEqual([]);
    const made = kindBench();
    const refused = notesOf(await made.plan(text)).filter(
      ({ code, message }) => code === 'cannot-create' && message.includes('without'),
    );
    expect(early.filter((line) => line.includes(` ${addressOf(stand)} `))).toEqual(
      refused.map(({ message }) => `warning adopt-only ${message}: it can only adopt what the platform has`),
    );
    return undefined;
  });

  test('names databaseName, source and serviceName', async () => {
    const text = production(
      '    postgres: { main: { databaseUser: u, databasePassword: pw-1 } }\n' +
        '    application: { web: {} }\n' +
        '    compose: { shop: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, domains: { a.test: {} } } }\n',
    );
    expect(await checked(text)).toEqual([
      'warning adopt-only production.postgres.main cannot be created without databaseName: it can only adopt what the platform has',
      'warning adopt-only production.application.web cannot be created without source.type: it can only adopt what the platform has',
      'warning adopt-only production.compose.shop.domains["a.test"] cannot be created without serviceName: it can only adopt what the platform has',
    ]);
  });

  test('adopts an object that exists, and with id: it is not warned of', async () => {
    const made = bench();
    const about = { databaseUser: 'u', databasePassword: 'password-1', environmentId: 'env_prj_1' };
    const row = await made.emulator.act('postgres.create', { name: 'main', databaseName: 'd', ...about });
    const text = production('    postgres: { main: { description: x } }\n');
    await made.apply(text, everything);
    await plansNothing(made, text);
    const id = String((row as Record<string, unknown>)['postgresId']);
    expect(await checked(text.replace('description: x', `id: ${id}, description: x`))).toEqual([]);
  });
});
