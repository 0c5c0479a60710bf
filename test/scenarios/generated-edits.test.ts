import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { differingAddresses } from '../../src/manifest/differing.ts';
import { readTree } from '../../src/manifest/read-tree.ts';
import { sameTree } from '../../src/edit/same-tree.ts';
import { driftAdoptCommand, planCommand } from '../cli/asked.ts';
import { apiKey, documentIn, places } from '../cli/place.ts';
import { edit } from '../support/drifting.ts';
import { project, trueup } from '../cli/process.ts';
import { type Handwritten, handwritten, handwrittenValues } from '../support/handwritten.ts';
import { stageIn } from '../support/stages.ts';

/** Files as people write them: what edits them changes the bytes that it means, and no other stage. */

const place = places();
const repositories = Array.from({ length: 10 }, (_, seed) => [seed] as const);
const each = 20;

/** A text in which nothing was taken away but what `values` replaces. */
function isGrown(before: string, after: string): boolean {
  let at = 0;
  for (const character of after) if (character === before[at]) at += 1;
  return at === before.length;
}

const lineBreaks = (text: string) => [...new Set(text.match(/\r?\n/g))];
const comments = (text: string) => text.match(/#.*$/gm);

function expectEdited({ name, isShared, from, values }: Handwritten, before: string, after: string): void {
  if (isShared) {
    expect(after, name).toBe(before);
    return;
  }
  const meant: readonly (readonly [string, string])[] = from === 'changes' ? [values[1]] : values;
  const replaced = meant.reduce<string>((text, [old, fresh]) => text.replace(old, fresh), before);
  if (from === 'template')
    expect(
      isGrown(replaced, after) &&
        after.replace(/,? *memoryLimit: 1Gi/, '').replace(/\r?\n\s*(?=\r?\n|$)/, '').length <= replaced.length,
      `${replaced}\n---\n${after}`,
    ).toBe(true);
  else expect(after).toBe(replaced);
  expect(lineBreaks(after)).toEqual(lineBreaks(before));
}

describe.each(repositories)('repository %i', (seed) => {
  test('drift adopt', async () => {
    const { root, files, all } = handwritten(seed, each);
    const applied = all.map(({ name, from, values: [memory, variable] }) => {
      const limit = { block: memory[0], template: '256Mi', changes: '200Mi' }[from];
      return `      ${name}: { dockerImage: redis:8, databasePassword: '\${secret:PW}', memoryLimit: ${limit}, env: { A: ${variable[0]}, C: c } }\n`;
    });
    const at = await place(`environments:\n  staging:\n    redis:\n${applied.join('')}`, {
      secrets: { PW: 'canary-4711' },
    });
    const put = (name: string, text: string) => {
      mkdirSync(dirname(join(at.folder, name)), { recursive: true });
      writeFileSync(join(at.folder, name), text);
    };
    const read = (name: string) => readFileSync(join(at.folder, name), 'utf8');
    for (const [name, text] of files) put(name, text);
    at.rewrite(root);
    put(
      'production.yaml',
      `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironment: production\ninclude: [templates.yaml, shared/*.yaml]\n`,
    );
    const production = () => stageIn(at.folder, 'production.yaml');
    const [rootBefore, productionBefore] = [read('trueup.yaml'), await production()];
    for (const { name, env } of all)
      await edit({ emulator: at.emulator, apiKey }, 'redis.update', {
        redisId: at.idOf(`staging.redis.${name}`),
        memoryLimit: String(2 ** 30),
        env,
      });
    const ran = await at.run(driftAdoptCommand([], { all: true }));
    expect(ran).toMatchObject({ exit: 'done', err: '' });
    for (const one of all) {
      const file = `${one.isShared ? 'shared' : 'own'}/${one.name}.yaml`;
      expectEdited(one, files.get(file) ?? '', read(file));
    }
    expect(read('templates.yaml')).toBe(files.get('templates.yaml'));
    const [before, after] = [rootBefore, read('trueup.yaml')].map((text) => {
      const tree = readTree('', text, []);
      return {
        text,
        tree:
          tree?.is === 'map'
            ? { ...tree, entries: new Map([...tree.entries].filter(([key]) => key !== 'changes')) }
            : tree,
      };
    });
    expect(sameTree(before?.tree, after?.tree)).toBe(true);
    expect(isGrown((before?.text ?? '').replaceAll('200Mi', ''), after?.text ?? '')).toBe(true);
    expect([comments(after?.text ?? ''), lineBreaks(after?.text ?? '')]).toEqual([
      comments(before?.text ?? ''),
      ['\n', ...(lineBreaks(root)[0] === '\r\n' ? ['\r\n'] : [])],
    ]);
    expect(differingAddresses(productionBefore, await production())).toEqual([]);
    const planned = documentIn(await at.run(planCommand({}), { format: 'json' }));
    const actions = planned.format === 'trueup/plan' ? planned.actions.map(({ action }) => action) : [];
    expect(new Set(actions)).toEqual(new Set(['no-op', 'deploy']));
  });
});

const shop = `variables:
  tag: { promote: true, default: none }
  replicas: { type: number, default: 1 }
  name: {}
redis: { cache: { dockerImage: "redis:\${var:tag}", databasePassword: "\${var:name}-\${var:replicas}" } }
`;

test.each(repositories)('promote copies a value between files as people write them (%i)', async (start) => {
  for (let seed = start * each; seed < (start + 1) * each; seed++) {
    const { source, target, expected, tag } = handwrittenValues(seed);
    const folder = project({ 'staging.yaml': source, 'production.yaml': target, 'shop.yaml': shop });
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const before = await stageIn(folder, 'production.yaml');
    const ran = await trueup(['promote', '-C', folder, 'staging.yaml', 'production.yaml', '--no-plan']);
    expect(ran.code, ran.err).toBe(0);
    const text = read('production.yaml');
    if (expected === undefined) expect(isGrown(target, text) && text.length < target.length + 24, text).toBe(true);
    else expect(text).toBe(expected);
    expect([lineBreaks(text), comments(text)]).toEqual([lineBreaks(target), comments(target)]);
    expect([read('staging.yaml'), read('shop.yaml')]).toEqual([source, shop]);
    const after = await stageIn(folder, 'production.yaml');
    expect(differingAddresses(before, after)).toEqual(['production.redis.cache']);
    const tags = [...after.variables].map(([name, { value }]) => [name, 'written' in value ? value.written : value]);
    expect(Object.fromEntries(tags)).toEqual({ tag, replicas: '3', name: 'x' });
  }
});
