import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { command as drift } from '../../src/cli/commands/drift.ts';
import { command as plan } from '../../src/cli/commands/plan.ts';
import { apiKey } from '../cli/place.ts';
import { project, trueup } from '../cli/process.ts';

/**
 * Reports have the same bytes however a manifest is written and a run goes: a comment or a stored report that changes,
 * changes because the plan did. Only the places in files differ where lines and files do.
 */

const servers: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

const secret = 'canary-7f3a-secret';
const env = { TRUEUP_API_KEY: apiKey, TRUEUP_SECRET_DB: secret };
const numbers = Array.from({ length: 12 }, (_none, at) => at + 1);

/** Blocks and keys in an order of their own. */
type Order = <T>(values: readonly T[]) => T[];
const asWritten: Order = (values) => [...values];
const backwards: Order = (values) => values.toReversed();

function redises(image: string, order: Order, left: readonly number[]): string {
  const blocks = left.map((at) => {
    const fields = [`dockerImage: "${image}"`, 'databasePassword: "${secret:DB}"', `description: number ${at}`];
    return `      r${at}: { ${order(fields).join(', ')} }\n`;
  });
  return `    redis:\n${order(blocks).join('')}`;
}

function stack(tag: string, order: Order): string {
  const fields = [
    `        source: { type: raw, composeFile: "services: { web: { image: nginx:${tag}, env_file: .env } }" }\n`,
    `        env: { ${order([`TAG: "${tag}"`, 'PASSWORD: "${secret:DB}"', `REGION: eu-${tag}`]).join(', ')} }\n`,
    `        domains: { ${order(['a', 'b', 'c'].map((name) => `${name}.example.com: { serviceName: web, port: ${tag}0 }`)).join(', ')} }\n`,
  ];
  return `    compose:\n      shop:\n${order(fields).join('')}`;
}

const production = (parts: readonly string[]) => `environments:\n  production:\n${parts.join('')}`;
const after = (order: Order) => [stack('2', order), redises('redis:8.2', order, numbers.slice(2))];

/** A project with changes, hot fixes, deletions, data at risk and warnings. */
async function changed() {
  const emulator: Emulator = createEmulator({ profile: 'standard', apiKey });
  const server = await serve(emulator);
  servers.push(server);
  const head = `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n`;
  const folder = project(head + production([stack('1', asWritten), redises('redis:8', asWritten, numbers)]));
  const run = (...args: readonly string[]) => trueup([...args, '-C', folder], { env, cwd: folder });
  expect((await run('apply', '--auto-approve', '--adopt')).code).toBe(0);
  for (const row of Object.values(emulator.world.tables.redis))
    await emulator.act('redis.update', { redisId: row['redisId'], description: 'by hand' });
  return { folder, head, run };
}

/** Without places in files. */
function placeless(text: string): string {
  return text
    .replaceAll(/"position": \{[^}]*\}/g, '"position"')
    .replaceAll(/"uri": "[^"]*"/g, '"uri"')
    .replaceAll(/"region": \{[^}]*\}/g, '"region"')
    .replaceAll(/ file="[^"]*"/g, '')
    .replaceAll(/(?:[\w./-]+\.yaml)(?::\d+)+/g, 'PLACE')
    .replaceAll(/`PLACE`(?:, `PLACE`)*/g, 'PLACES')
    .replaceAll(/^#? *differing.*$/gm, '');
}

/** The words of a report whatever their order: a plan has that of the manifest. */
function unordered(text: string): string[] {
  return text
    .replaceAll(/<\/?system-out>/g, '\n')
    .split(/,?\n|, /)
    .map((word) => word.trim())
    .toSorted();
}

/** The formats of a plan that name everything, and not the first ten of it. */
const whole = ['json', 'sarif', 'junit'];

const commands = [
  ['plan', Object.keys(plan.formats), ['plan']],
  ['drift', Object.keys(drift.formats), ['drift', '--no-remember']],
] as const;

describe.each(commands)('a report of %s has the same bytes', (command, formats, words) => {
  it('in two runs, one request at a time and 16', async () => {
    const { run } = await changed();
    for (const format of formats) {
      const [once, again, many] = [
        await run(...words, '--format', format, '--connections', '1'),
        await run(...words, '--format', format, '--connections', '1'),
        await run(...words, '--format', format, '--connections', '16'),
      ];
      expect(again, format).toEqual(once);
      expect(many, format).toEqual(once);
      expect(once.out).not.toContain('canary');
    }
  });

  it('but for places, with blocks and keys in another order, and in other files', async () => {
    const { folder, head, run } = await changed();
    const write = (files: Readonly<Record<string, string>>) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    };
    const all = async () => {
      const found = new Map<string, string>();
      for (const format of formats.filter((name) => command !== 'plan' || whole.includes(name)))
        found.set(format, placeless((await run(...words, '--format', format)).out));
      return new Map([...found].map(([format, text]) => [format, command === 'plan' ? unordered(text) : text]));
    };
    write({ 'trueup.yaml': head + production(after(asWritten)) });
    const usual = await all();
    expect(String(usual.get('json'))).toContain(command === 'plan' ? '"action": "delete"' : '"is": "drifted"');
    if (command === 'drift') expect(String(usual.get('markdown'))).toContain('#### New (');
    write({ 'trueup.yaml': head + production(after(backwards).toReversed()) });
    expect(await all()).toEqual(usual);
    for (const [first, second] of [
      ['a.yaml', 'b.yaml'],
      ['z.yaml', 'c.yaml'],
    ] as const) {
      const [shop = '', caches = ''] = after(asWritten);
      write({ 'trueup.yaml': `${head}include: ["*.part.yaml"]\n` });
      write({ [`${first}.part.yaml`]: production([shop]), [`${second}.part.yaml`]: production([caches]) });
      expect(await all()).toEqual(usual);
      for (const name of [first, second]) rmSync(join(folder, `${name}.part.yaml`));
    }
  });
});
