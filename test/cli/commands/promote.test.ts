import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { finish, project, start, trueup } from '../process.ts';

/** Values of one root file in another, and the plan with them. */

const root = 'trueup: 1\nplatform: emulator\nproject: { name: shop }\ninclude: [shop.yaml]\n';
const files = {
  'staging.yaml': `${root}variables: { tag: 1.10, hosts: [a.example.com, b], replicas: 2 } # of staging\n`,
  'production.yaml': `${root}variables:\n  replicas: 3\n  tag: "1.9" # the release\n`.replaceAll('\n', '\r\n'),
  'shop.yaml': `variables:
  tag: { promote: true }
  hosts: { type: list, promote: true, default: [] }
  replicas: { type: number, max: 4, default: 1 }
  API_TOKEN: { promote: true, default: '' }
environments:
  production:
    application:
      web: { source: { type: docker, image: "nginx:\${var:tag}" }, replicas: "\${var:replicas}", env: { TAG: "\${var:tag}" } }
`,
};
const promoted = files['production.yaml'].replace('"1.9"', '1.10') + '  hosts: [a.example.com, b]\r\n';

function made(more: Readonly<Record<string, string>> = {}) {
  const folder = project({ ...files, ...more });
  return {
    folder,
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    run: (args: readonly string[], env: Record<string, string> = {}) =>
      trueup(['promote', '-C', folder, ...args], { env }),
  };
}

const both = ['staging.yaml', 'production.yaml'];

describe('trueup promote', () => {
  test('copies the values as they are written, and plans the second file', async () => {
    const { folder, read, run } = made();
    const planOf = async (file: string) => (await trueup(['plan', '-C', folder, '-f', file])).out;
    const staging = await planOf('staging.yaml');
    const { code, out, err } = await run(both);
    expect(code).toBe(0);
    expect(read('production.yaml')).toBe(promoted);
    expect(read('staging.yaml')).toBe(files['staging.yaml']);
    expect(read('shop.yaml')).toBe(files['shop.yaml']);
    expect(err).toContain(
      'Promoted 2 values from staging.yaml to production.yaml:\n  tag: 1.9 -> 1.10\n  hosts: (none) -> [a.example.com, b]\n',
    );
    expect(out).toContain('source.image: nginx:1.10');
    expect(out).toBe(await planOf('production.yaml'));
    expect(await planOf('staging.yaml')).toBe(staging);
    const again = await run([...both, '--no-plan']);
    expect(again).toEqual({ code: 0, out: '', err: 'production.yaml has the values of staging.yaml already.\n' });
  });

  test('of some variables, and shows the plan without writing', async () => {
    const { folder, read, run } = made();
    const { code, out, err } = await run([...both, 'tag', '--dry-run']);
    expect(code).toBe(0);
    expect(err).toContain(
      'Would promote 1 value from staging.yaml to production.yaml; nothing was written:\n  tag: 1.9 -> 1.10\n',
    );
    expect(out).toContain('source.image: nginx:1.10');
    expect(read('production.yaml')).toBe(files['production.yaml']);
    await run([...both, 'tag', '--no-plan']);
    expect(read('production.yaml')).toBe(files['production.yaml'].replace('"1.9"', '1.10'));
    expect((await trueup(['plan', '-C', folder, '-f', 'production.yaml'])).out).toBe(out);
  });

  test.each([
    [['staging.yaml', 'shop.yaml'], {}, 1, 'shop.yaml is no root file'],
    [['shop.yaml', 'staging.yaml'], {}, 1, 'shop.yaml is no root file'],
    [['staging.yaml', './staging.yaml'], {}, 1, 'the two files are the same'],
    [['staging.yaml', 'none.yaml'], {}, 3, 'there is no file none.yaml'],
    [[...both, 'tga'], {}, 1, 'staging.yaml has no variable tga -> Did you mean tag?'],
    [
      [...both, 'replicas'],
      {},
      1,
      'replicas is declared without promote: true -> Add promote: true to its declaration.',
    ],
    [[...both, 'API_TOKEN'], {}, 1, 'cannot promote API_TOKEN: staging.yaml gives it no value; nothing was written'],
    [
      both,
      { TRUEUP_VAR_tag: 'b' },
      1,
      'cannot promote tag: TRUEUP_VAR_tag covers the value of staging.yaml; nothing was written -> Unset TRUEUP_VAR_tag.',
    ],
    [
      [...both, '--var', 'tag=b'],
      {},
      1,
      'cannot promote tag: --var tag covers the value of staging.yaml; nothing was written -> Run trueup promote without --var tag.',
    ],
  ])('refuses %j with %j', async (args, env, exit, message) => {
    const { folder, read, run } = made();
    const before = readdirSync(folder);
    const { code, err } = await run([...args, '--no-plan'], env);
    expect(err.replaceAll(/\n\s+/g, ' ')).toContain(message);
    expect(code).toBe(exit);
    for (const name of Object.keys(files)) expect(read(name)).toBe(files[name as keyof typeof files]);
    expect(readdirSync(folder)).toEqual(before);
  });

  test('refuses a value that a file of values covers, or that the second file does not take', async () => {
    const { folder, read, run } = made({
      'values.yaml': 'tag: c\n',
      'other.yaml': `${root.replace('shop.yaml', 'other-shop.yaml')}variables: { tag: 1.9 }\n`,
      'other-shop.yaml': 'variables: { tag: { pattern: "1[.]9" }, hosts: { type: list, default: [] } }\n',
    });
    const covered = await run([...both, '--no-plan', '--var-file', join(folder, 'values.yaml')]);
    expect([covered.code, covered.err.replaceAll(/\n\s+/g, ' ')]).toEqual([
      1,
      expect.stringContaining('values.yaml covers the value of staging.yaml'),
    ]);
    const wrong = await run(['staging.yaml', 'other.yaml', '--no-plan']);
    expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('other.yaml:5:19')]);
    expect(wrong.err).toContain('the variable tag must match 1[.]9 as a whole, got "1.10"');
    expect(read('other.yaml')).toContain('{ tag: 1.9 }');
  });

  test('gives the second file the value that it lacks', async () => {
    const { read, run } = made({ 'production.yaml': root });
    expect((await run([...both, 'tag'])).code).toBe(0);
    expect(read('production.yaml')).toBe(`${root}variables:\n  tag: 1.10\n`);
  });

  test('plans the second file with the variables of its stage only', async () => {
    const shop = files['shop.yaml'].replace('env: {', 'env: { PW: "${secret:PW}",');
    const { run } = made({ 'shop.yaml': shop });
    const secret = (stage: string) => ({ [`TRUEUP__${stage}__SECRET_PW`]: 'correct-horse' });
    const other = await run([...both, '--dry-run'], secret('STAGING'));
    expect([other.code, other.out + other.err]).toEqual([1, expect.stringContaining('PW')]);
    expect((await run([...both, '--dry-run'], secret('PRODUCTION'))).code).toBe(0);
  });

  test('follows no link out of the repository to the second file in a pipeline', async () => {
    const { folder, read, run } = made({
      'job/README.md': 'x',
      'other/production.yaml': root,
      'other/shop.yaml': files['shop.yaml'],
    });
    execFileSync('git', ['-C', join(folder, 'job'), 'init', '-q']);
    symlinkSync('../other', join(folder, 'job', 'infra'));
    const args = ['staging.yaml', 'job/infra/production.yaml', '--no-plan'];
    const { code, err } = await run(args, { CI: 'true' });
    expect([code, err.replaceAll(/\n\s+/g, ' ')]).toEqual([1, expect.stringContaining('leads out of its repository')]);
    expect(read('other/production.yaml')).toBe(root);
    expect((await run(args)).code).toBe(0);
  });

  test('leaves a value that only has other quotes', async () => {
    const other = `${root}variables: { tag: "1.10", hosts: ['a.example.com', b] }\n`;
    const { read, run } = made({ 'production.yaml': other });
    const { code, err } = await run([...both, '--no-plan']);
    expect([code, err]).toEqual([0, 'production.yaml has the values of staging.yaml already.\n']);
    expect(read('production.yaml')).toBe(other);
  });

  test('shows no value that may be secret', async () => {
    const { run } = made({ 'staging.yaml': `${root}variables: { tag: a, API_TOKEN: hunter2-canary-7f3a }\n` });
    const { out, err } = await run([...both, 'API_TOKEN']);
    expect(err).toContain('API_TOKEN: (none) -> (sensitive)');
    expect(out + err).not.toContain('canary');
  });
});

test('a kill leaves the file as it was, or as it is to be', async () => {
  const { folder, read } = made();
  const seen = new Set<string>();
  for (let at = 0; at < 12; at++) {
    writeFileSync(join(folder, 'production.yaml'), files['production.yaml']);
    const child = start(['promote', '-C', folder, ...both, 'tag', '--no-plan']);
    const ended = finish(child);
    await pause(at * 120);
    child.kill('SIGKILL');
    await ended;
    seen.add(read('production.yaml'));
  }
  const [before, after] = [files['production.yaml'], files['production.yaml'].replace('"1.9"', '1.10')];
  expect([...seen].filter((text) => text !== before && text !== after)).toEqual([]);
  writeFileSync(join(folder, 'production.yaml'), before);
  expect((await finish(start(['promote', '-C', folder, ...both, 'tag', '--no-plan']))).code).toBe(0);
  expect(read('production.yaml')).toBe(after);
  expect(readdirSync(folder).toSorted()).toEqual(
    ['.trueup', 'production.yaml', 'shop.yaml', 'staging.yaml'].filter((name) => readdirSync(folder).includes(name)),
  );
});
