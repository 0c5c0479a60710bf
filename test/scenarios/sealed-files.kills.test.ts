import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { beforeAll, describe, expect, test } from 'vitest';
import { openSealed, readSealedFile } from '../../src/secrets/sources/sealed.ts';
import { project, trueup, trueupProcess } from '../cli/process.ts';
import { killedBefore } from '../support/killing.ts';
import { effort } from '../support/whole.ts';

/** Commands that write a sealed file: killed before each change of a file, and several at once. */

const people: { identity: string; recipient: string }[] = [];
beforeAll(async () => {
  for (let count = 0; count < 2; count++) {
    const identity = await generateX25519Identity();
    people.push({ identity, recipient: await identityToRecipient(identity) });
  }
});

const sealedFile = 'secrets/production.env';

const manifest = (recipients: number) => `trueup: 1
platform: emulator
project: shop
secrets: [{ sealed: ${sealedFile}, recipients: [${people
  .slice(0, recipients)
  .map(({ recipient }) => recipient)
  .join(', ')}] }]
generated: { A: {}, B: {}, C: {} }
environments: { production: {} }
`;

function place(recipients = 1) {
  const folder = project({ 'trueup.yaml': manifest(recipients), [sealedFile]: '' });
  const options = () => ({ input: 'the value', env: { TRUEUP_AGE_IDENTITY: people[0]?.identity ?? '' } });
  return {
    folder,
    read: () => readFileSync(join(folder, sealedFile), 'utf8'),
    run: (words: string) => trueup([...words.split(' '), '-C', folder], options()),
    runProcess: (words: string, env: Record<string, string> = {}) =>
      trueupProcess([...words.split(' '), '-C', folder], { ...options(), env: { ...options().env, ...env } }),
    drafts: () => readdirSync(folder).filter((name) => name.startsWith('.trueup-draft')),
  };
}

/** The values of a sealed file, all of which open. */
async function valuesIn(text: string): Promise<ReadonlyMap<string, string>> {
  const file = readSealedFile(Buffer.from(text));
  if ('problem' in file) throw new Error(file.problem);
  const values = new Map<string, string>();
  for (const [name, sealed] of file.values) {
    const opened = await openSealed(name, sealed, [people[0]?.identity ?? '']);
    if ('problem' in opened) throw new Error(opened.problem);
    values.set(name, opened.value);
  }
  return values;
}

describe('a command that is killed before a change of a file', () => {
  test.each([
    ['secret set NEW', 'secret generate', ['A', 'B', 'C', 'NEW']],
    ['secret generate', 'secret generate', ['A', 'B', 'C']],
    ['secret rotate A B', 'secret generate', ['A', 'B', 'C']],
    ['secret recipients', 'secret recipients', ['A', 'B', 'C']],
  ])('leaves the old sealed file or the new one, and no draft in the way: %s', async (words, prepared, names) => {
    let killed = 0;
    for (let moment = 0; ; moment += effort({ fast: 3, all: 1 })) {
      const { folder, read, run, runProcess, drafts } = place();
      if (words !== 'secret generate')
        expect((await run(prepared === 'secret recipients' ? 'secret generate' : prepared)).code).toBe(0);
      if (words === 'secret recipients') writeFileSync(join(folder, 'trueup.yaml'), manifest(2));
      const before = read();
      const { code } = await runProcess(words, killedBefore(moment, folder, /./));
      const after = read();
      const isOld = after === before;
      const values = await valuesIn(after);
      if (!isOld) expect([...values.keys()]).toEqual(names);
      if (code !== null) {
        expect([code, isOld]).toEqual([0, false]);
        break;
      }
      killed++;
      expect((await run(words)).code).toBe(0);
      expect([...(await valuesIn(read())).keys()]).toEqual(names);
      expect(drafts()).toEqual([]);
    }
    expect(killed).toBeGreaterThanOrEqual(effort({ fast: 2, all: 5 }));
  });
});

describe('commands at once', () => {
  const several = ['ONE', 'TWO', 'THREE', 'FOUR', 'FIVE', 'SIX'];

  test('each keep the lines of the others: in one process', async () => {
    const { read, run, drafts } = place();
    const ended = await Promise.all(several.map((name) => run(`secret set ${name}`)));
    expect(ended.map(({ code, err }) => [code, err])).toEqual(several.map(() => [0, '']));
    expect(await valuesIn(read())).toEqual(new Map(several.toSorted().map((name) => [name, 'the value'])));
    expect(drafts()).toEqual([]);
  });

  test('each keep the lines of the others: in processes of their own', async () => {
    const { read, runProcess } = place();
    const three = several.slice(0, 3);
    const ended = await Promise.all([
      ...three.map((name) => runProcess(`secret set ${name}`)),
      runProcess('secret generate'),
    ]);
    expect(ended.map(({ code, err }) => [code, err])).toEqual(ended.map(() => [0, '']));
    expect([...(await valuesIn(read())).keys()]).toEqual(['A', 'B', 'C', ...three.toSorted()]);
  });

  test('that generate the same name agree on one value', async () => {
    const { read, run } = place();
    const ended = await Promise.all([1, 2, 3].map(() => run('secret generate')));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(ended.filter(({ out }) => out.includes('generated A')).length).toBe(1);
    expect([...(await valuesIn(read())).keys()]).toEqual(['A', 'B', 'C']);
  });
});
