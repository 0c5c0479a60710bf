import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { readFaultsFile } from '../../src/cli/faults-file.ts';
import { contracts } from '../../src/api/contract.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { finish, project, start, trueup } from './process.ts';

/** Files of faults as users write them. */

const fault = '{ on: postgres.create, before: drop }';

/** What is said of a file: line and column, message, remedy. */
async function said(text: string | Buffer): Promise<string[]> {
  const file = join(project({}), 'faults.yaml');
  writeFileSync(file, text);
  return (await told(file)).map((line) => line.replaceAll(file, 'faults.yaml'));
}

async function told(file: string): Promise<string[]> {
  try {
    await readFaultsFile('/', file);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    expect(error.failure).toBe('usage');
    return error.diagnostics.map(({ position, message, remedy }) => {
      const at = position === undefined ? '' : `${position.line}:${position.column} `;
      return `${at}${message} -> ${remedy ?? 'NO REMEDY'}`;
    });
  }
  return [];
}

const seeDocs = 'docs/faults.md shows what can stand here.';
const wrong = (rest: string) => `faults:\n  - { on: GET, ${rest} }\n`;

test('every word of the file is taken', async () => {
  const text = `seed: 7
faults:
  - { on: postgres.create, at: 2, before: { delay: 1.5s } }
  - { on: [postgres.*, "*.update"], at: [1, 3], times: 1, before: { answer: 429, retryAfter: 1m } }
  - { on: GET, every: 5, before: { page: 502 } }
  - { on: POST, chance: 0.5%, after: { answer: 400, delay: 10ms } }
  - { on: "*", after: { cut: length } }
  - { on: GET, after: { drip: 2s, hide: { name: a } } }
  - { on: POST, after: { unseen: 5s, do: postgres.update, with: { postgresId: $postgresId } } }
  - { on: project.create, late: 60s }
  - { on: GET, chance: 30%, oneOf: [{ before: drop }, { after: { drop: true } }, { late: 1s }] }
`;
  const file = join(project({ 'faults.yaml': text }), 'faults.yaml');
  const plan = await readFaultsFile('/', file);
  expect(plan.seed).toBe(7);
  expect(plan.faults).toHaveLength(9);
  expect(plan.faults[0]).toEqual({ on: ['postgres.create'], at: [2], before: { delay: 1_500 } });
  expect(plan.faults[1]).toMatchObject({ before: { answer: 429, retryAfter: 60_000 } });
  expect(plan.faults[3]?.chance).toBeCloseTo(0.005);
});

test('the words of a profile are taken, and suggested, in place of those of the API document', async () => {
  const { names } = contracts.dokploy;
  const edit = 'do: github.update, with: { githubId: $githubId, sourceType: github, name: github }';
  const text = `faults: [{ on: ["github.*", "*.saveGiteaProvider", GET], after: { ${edit} } }]`;
  const file = join(project({ 'faults.yaml': text, 'wrong.yaml': text.replace('github.*', 'gitub.*') }), 'faults.yaml');
  const plan = await readFaultsFile('/', file, names);
  expect(plan.faults).toEqual([
    {
      on: ['github.*', '*.saveGiteaProvider', 'GET'],
      after: { do: 'github.update', with: { githubId: '$githubId', sourceType: 'github', name: 'github' } },
    },
  ]);
  const wrong = readFaultsFile('/', file.replace('faults.yaml', 'wrong.yaml'), names);
  await expect(wrong).rejects.toMatchObject({ diagnostics: [{ remedy: 'Did you mean github.*?' }] });
});

test('a key that holds its value shows up to there', async () => {
  const [told = ''] = await said(wrong('token:hunter2'));
  expect(told).toContain('has no token:… -> ');
  expect(told).not.toContain('hunter2');
});

test.each([
  ['', '1:1 faults.yaml is empty -> It begins with faults: and a list, as docs/faults.md shows.'],
  ['- 1\n', `1:1 the file: takes a map of seed and faults -> ${seeDocs}`],
  ['null\n', `1:1 the file: takes a map of seed and faults -> ${seeDocs}`],
  ['seed: 1\n', `1:1 faults: takes a list of faults -> ${seeDocs}`],
  ['seed: x\nfaults: []\n', `1:7 seed: takes a whole number -> ${seeDocs}`],
  ['fault: []\nfaults: []\n', '1:1 the file: has no fault -> Did you mean faults?'],
  ['faults: [drop]\n', `1:10 a fault: takes a map of on and what goes wrong -> ${seeDocs}`],
  ['faults:\n  - { before: drop }\n', `2:5 on: takes an operation, or a list of those -> ${seeDocs}`],
  [wrong('bfore: drop'), '2:16 a fault: has no bfore -> Did you mean before?'],
  [wrong('before: { dely: 1s }'), '2:26 before: has no dely -> Did you mean delay?'],
  [wrong('oneOf: [{ wrong: 1 }]'), '2:26 oneOf: has no wrong -> It takes before, after, late.'],
  [wrong('before: dorp'), `2:24 before: takes drop, or a map of what goes wrong -> ${seeDocs}`],
  [wrong('before: { delay: 2 }'), `2:33 before.delay: takes a time such as 500ms, 2s or 1m -> ${seeDocs}`],
  [wrong('before: { delay: 2h }'), `2:33 before.delay: takes a time such as 500ms, 2s or 1m -> ${seeDocs}`],
  [wrong('late: 61m'), `2:22 late: takes 60m at most -> ${seeDocs}`],
  [wrong('before: { answer: 200 }'), `2:34 before.answer: takes an HTTP status from 400 to 599 -> ${seeDocs}`],
  [wrong('after: { answer: 502 }'), `2:33 after.answer: takes one of 400, 401, 403, 404, 409, 415, 500 -> ${seeDocs}`],
  [wrong('after: { cut: half }'), `2:30 after.cut: takes json, length or reset -> ${seeDocs}`],
  [wrong('after: { hide: 3 }'), `2:31 after.hide: takes all, or a map of what the hidden rows hold -> ${seeDocs}`],
  [wrong('at: 0, before: drop'), `2:20 at: takes a whole number from 1, or a list of those -> ${seeDocs}`],
  [wrong('at: [1, x], before: drop'), `2:24 at: takes a whole number from 1 -> ${seeDocs}`],
  [wrong('chance: 30, before: drop'), `2:24 chance: takes a share such as 30% -> ${seeDocs}`],
  [wrong('chance: 130%, before: drop'), `2:24 chance: takes 100% at most -> ${seeDocs}`],
  [wrong('at: 1, every: 2, before: drop'), `2:5 a fault: at and every cannot stand together -> ${seeDocs}`],
  [wrong('times: 1'), `2:5 a fault: does not say what goes wrong: before, after or late -> ${seeDocs}`],
  [wrong('late: 1s, before: drop'), `2:5 a fault: late stands alone -> ${seeDocs}`],
  [wrong('oneOf: [{ late: 1s }], before: drop'), `2:5 a fault: oneOf and before cannot stand together -> ${seeDocs}`],
  [wrong('before: {}'), `2:24 before: says nothing -> ${seeDocs}`],
  [wrong('before: { retryAfter: 1s }'), `2:24 before: retryAfter goes with answer -> ${seeDocs}`],
  [wrong('before: { answer: 500, page: 500 }'), `2:24 before: answer and page cannot stand together -> ${seeDocs}`],
  [wrong('after: { with: { a: 1 } }'), `2:23 after: with goes with do -> ${seeDocs}`],
  [
    wrong('before: drop, after: drop'),
    `2:5 a fault: has an after that never comes, because before has drop -> ${seeDocs}`,
  ],
  [
    'faults:\n  - { on: postgers.create, before: drop }\n',
    '2:11 on: the platform has no postgers.create -> Did you mean postgres.create?',
  ],
  [
    'faults:\n  - { on: [GET, postgers.*], before: drop }\n',
    '2:17 on: the platform has no postgers.* -> Did you mean postgres.*?',
  ],
  [
    wrong('after: { do: postgres.updat }'),
    '2:29 after.do: the platform has no postgres.updat -> Did you mean postgres.update?',
  ],
  [
    wrong('oneOf: [{ after: { do: "*" } }]'),
    expect.stringContaining(
      '2:39 oneOf.after.do: the platform has no * -> It takes an operation such as postgres.create',
    ),
  ],
])('%j is an error with its position and a remedy', async (text, expected) => {
  expect(await said(text)).toEqual([expected]);
});

describe('a file that is no file of faults is one clear error', () => {
  it.each([
    ['no YAML', 'faults: [', 'Close it with ]'],
    ['a second document', 'faults: []\n---\nfaults: []\n', 'A file holds one document'],
    ['deep brackets', '['.repeat(100_000), 'levels deep'],
    ['aliases that multiply', bomb(), 'expand to more than'],
    ['NUL', `faults: ["\\0"]\n`, 'cannot be stored'],
    ['no text', Buffer.from([0xff, 0xfe, 0x00, 0xd8]), 'is not UTF-8 text'],
    ['too long', `# ${'x'.repeat(1_000_001)}\n`, 'the limit is 1000000'],
    ['too many faults', `faults: [${`${fault}, `.repeat(1_001)}]\n`, 'takes 1000 faults at most'],
  ])('%s', async (_what, text, words) => {
    const lines = await said(text);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(words);
    expect(lines[0]).not.toContain('NO REMEDY');
  });

  it('because there is none, or it is a folder', async () => {
    const folder = project({});
    expect(await told(join(folder, 'none.yaml'))).toEqual([expect.stringContaining('there is no file')]);
    expect(await told(folder)).toEqual([expect.stringContaining('is not a file')]);
    symlinkSync('circle.yaml', join(folder, 'circle.yaml'));
    expect(await told(join(folder, 'circle.yaml'))).toEqual([
      expect.stringMatching(/circle\.yaml cannot be read \(ELOOP: its links lead in a circle\).*Correct the link\./s),
    ]);
  });

  it('and a link to a file is that file', async () => {
    const folder = project({ 'faults.yaml': `faults: [${fault}]\n` });
    mkdirSync(join(folder, 'below'));
    symlinkSync('../faults.yaml', join(folder, 'below/link.yaml'));
    expect(await told(join(folder, 'below/link.yaml'))).toEqual([]);
  });
});

describe('trueup emulate --faults', () => {
  it('serves the faults, and reports each', async () => {
    const folder = project({
      'faults.yaml': 'faults: [{ on: environment.create, at: 1, after: drop }]\n',
    });
    const child = start(['emulate', '--port', '0', '--faults', join(folder, 'faults.yaml')]);
    const ended = finish(child);
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (text: string) => resolve(text)));
    const [, url = '', key = ''] = /^TRUEUP_URL=(\S+)\nTRUEUP_API_KEY=(\S+)\n$/.exec(line) ?? [];
    const make = (name: string) =>
      fetch(`${url}/api/environment.create`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ name, projectId: 'prj_1' }),
      });
    await expect(make('a')).rejects.toThrow();
    expect((await make('b')).status).toBe(200);
    const all = await fetch(`${url}/api/environment.byProjectId?projectId=prj_1`, { headers: { 'x-api-key': key } });
    expect(((await all.json()) as { name: string }[]).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['a', 'b']),
    );
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: 'environment.create: after: drop\n' });
  });

  it('ends with the position of a mistake, before it listens', async () => {
    const folder = project({ 'faults.yaml': 'faults:\n  - { on: compose.creat, before: drop }\n' });
    const run = await trueup(['emulate', '--port', '0', '--faults', 'faults.yaml'], { cwd: folder });
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain('faults.yaml:2:11');
    expect(run.err).toContain('Did you mean compose.create?');
  });

  it('is in the help, with an example', async () => {
    const { out } = await trueup(['emulate', '--help']);
    expect(out).toContain('--faults <file>');
    expect(out).toContain('trueup emulate --faults faults.yaml');
  });
});

/** Nine lines that would be a thousand million values. */
function bomb(): string {
  const lines = Array.from({ length: 9 }, (_, at) => {
    const name = String.fromCharCode(97 + at);
    const before = String.fromCharCode(96 + at);
    return `${name}: &${name} [${at === 0 ? 'x' : Array<string>(10).fill(`*${before}`).join(', ')}]\n`;
  });
  return `${lines.join('')}faults: []\n`;
}
