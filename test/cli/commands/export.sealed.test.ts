import { generateIdentity, identityToRecipient } from 'age-encryption';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { seal } from '../../../src/secrets/sources/sealed.ts';
import { exportCommand, planCommand } from '../asked.ts';
import { places } from '../place.ts';

/** `trueup export` in a stage whose secrets are sealed. */

const place = places();
const own = 'canary-own-4711';
const sections = `environments:
  production:
    redis: { cache: { dockerImage: "redis:8", databasePassword: "\${secret:CACHE}" } }
`;

/** A stage with one secret, and a database beside it that no file declares. */
async function stage() {
  const { emulator, folder, run, rewrite, requests } = await place(sections, { secrets: { CACHE: own } });
  const identity = await generateIdentity();
  vi.stubEnv('TRUEUP_AGE_IDENTITY', identity);
  vi.stubEnv('TRUEUP_SECRET_CACHE', own);
  const recipient = await identityToRecipient(identity);
  rewrite(`environment: production
secrets: [{ sealed: secrets/production.env, recipients: [${recipient}] }]
redis:
  cache: { dockerImage: "redis:8", databasePassword: "\${secret:CACHE}" }
`);
  const input = {
    name: 'more',
    environmentId: 'env_prj_1',
    databasePassword: 'canary-more-0815',
    dockerImage: 'redis:8',
  };
  await emulator.act('redis.create', input);
  requests();
  const texts = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => readFileSync(join(folder, path), 'utf8'))
      .join('\n');
  return { folder, recipient, run, texts, sealedFile: join(folder, 'secrets/production.env') };
}

test('seals the values into the sealed file of the stage, and then plans nothing', async () => {
  const { folder, run, texts, sealedFile } = await stage();
  const ran = await run(exportCommand({ unmanaged: true, withSecrets: sealedFile }));
  expect([ran.err, ran.exit]).toEqual(['', 'done']);
  expect(ran.out).toContain('sealed: it can be in git.');
  expect(texts()).not.toContain('canary');
  expect(readFileSync(sealedFile, 'utf8')).toMatch(/^PRODUCTION_MORE_DATABASE_PASSWORD=age:/m);
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).not.toContain('production.env');
  expect(existsSync(join(folder, 'secrets.env.example'))).toBe(false);
  expect((await run(planCommand({}))).out).toContain('No changes');
});

test('keeps what the sealed file has, and gives a new value a name of its own', async () => {
  const { folder, recipient, run, sealedFile } = await stage();
  const there = `# sealed for ${recipient}\nPRODUCTION_MORE_DATABASE_PASSWORD=${await seal('PRODUCTION_MORE_DATABASE_PASSWORD', 'a', [recipient])}\n`;
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(sealedFile, there);
  const flags = { unmanaged: true, withSecrets: sealedFile } as const;
  expect((await run(exportCommand({ ...flags, ageRecipient: ['age1abc'] }))).err).toContain(
    'the recipients of a sealed file stand in the manifest',
  );
  expect(readFileSync(sealedFile, 'utf8')).toBe(there);
  const ran = await run(exportCommand(flags));
  expect([ran.err, ran.exit]).toEqual(['', 'done']);
  const names = readFileSync(sealedFile, 'utf8').match(/^\w+(?==age:)/gm);
  expect(names).toHaveLength(2);
  expect(readFileSync(sealedFile, 'utf8')).toContain(there.split('\n')[1]);
});

test('without a file for values, it says how to seal each', async () => {
  const { folder, run, texts } = await stage();
  expect((await run(exportCommand({ unmanaged: true }))).exit).toBe('done');
  expect(texts()).not.toContain('canary');
  const example = readdirSync(folder).find((name) => name.endsWith('.example')) ?? '';
  expect(readFileSync(join(folder, example), 'utf8')).toContain('trueup secret set PRODUCTION_MORE_DATABASE_PASSWORD');
});
