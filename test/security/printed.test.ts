import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { printed } from '../../src/render/printable.ts';
import { planText, open as openProject } from '../../src/index.ts';
import { project, trueup } from '../cli/process.ts';

/** What Trueup prints commands neither a terminal nor a runner of a pipeline, wherever the text comes from. */

/** What terminals obey, or do not show. */
const signs: Readonly<Record<string, string>> = {
  ESC: '\u001B[2J',
  'C0 control': '\u0007',
  'carriage return': '\r',
  DEL: '\u007F',
  'C1 control': '\u009B31m',
  NEL: '\u0085',
  'right-to-left override': '\u202E',
  'right-to-left isolate': '\u2067',
  'Arabic letter mark': '\u061C',
  'zero-width space': '\u200B',
  'zero-width joiner between letters': 'a\u200Db',
  'word joiner': '\u2060',
  'invisible plus': '\u2064',
  'soft hyphen': '\u00AD',
  'Mongolian vowel separator': '\u180E',
  'variation selector behind a letter': 'a\uFE0F',
  'tag character': '\u{E0041}',
  'language tag': '\u{E0001}',
  'variation selector of the supplement': 'a\u{E0100}',
  'Hangul filler': '\u3164',
  'Hangul choseong filler': '\u115F',
  'Hangul jungseong filler': '\u1160',
  'halfwidth Hangul filler': '\uFFA0',
  'interlinear annotation': '\uFFF9x\uFFFAy\uFFFB',
  'byte order mark': '\uFEFF',
  'line separator': '\u2028',
  'paragraph separator': '\u2029',
};

/** What runners obey, as text of one line. */
const commands: Readonly<Record<string, string>> = {
  '##[ at the start': '##[add-mask]x',
  '##[ within a line': 'see ##[set-output name=a]b',
  '###[': '###[section]x',
  '##vso[': '##vso[task.setvariable variable=PATH]/tmp',
  '##vso[ within a line': 'x ##vso[task.prependpath]/tmp',
  '##teamcity[': "##teamcity[setParameter name='a' value='b']",
};

/** What runners obey at the start of a line. */
const atStart: Readonly<Record<string, string>> = {
  '::name::': '::add-mask::x',
  '::name with words::': '::set-output name=a::b',
  'behind spaces': '   ::stop-commands::x',
  'behind a tab': '\t::add-path::x',
  'behind a wide space': '\u3000::add-path::x',
};

const hostile = [...Object.values(signs), ...Object.values(commands)].map((one) => `x${one}y`);
const severalLines = Object.values(atStart)
  .map((one) => `first\n${one}`)
  .join('\n');

const obeyed =
  /[\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]|(?![\n\t])\p{Cc}|##[\w.-]*\[|(?:^|\n)\s*::[a-z]/giu;
/** What of a text a terminal or a runner would obey. */
const obeyedIn = (text: string) => text.match(obeyed) ?? [];

const apiKey = 'right-key-4711';
const env = { TRUEUP_API_KEY: apiKey, HOSTILE: severalLines };
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

/** What the platform answers to these requests instead. */
const instead = new Map<string, { readonly status: number; readonly body: unknown }>();
let url = '';
let folder = '';

beforeAll(async () => {
  const emulator = createEmulator({ profile: 'standard', apiKey });
  const send: Emulator['send'] = (request) => {
    const other = [...instead].find(([path]) => request.path.includes(path))?.[1];
    if (other === undefined) return emulator.send(request);
    const headers = { 'content-type': 'application/json' };
    return Promise.resolve({ status: other.status, headers, body: JSON.stringify(other.body) });
  };
  const server = await serve({ ...emulator, send });
  open.push(server);
  url = server.url;
  folder = project({
    'trueup.yaml': `trueup: 1
platform: { url: "${url}" }
project: prj_1
environments:
  production:
    postgres: { main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: x1 } }
    compose:
      ${JSON.stringify(hostile.join(' '))}:
        description: ${JSON.stringify(severalLines)}
        source: { type: raw, composeFile: "services: { a: { image: a } }" }
outputs: { hostile: ${JSON.stringify(`${hostile.join('\n')}\n${severalLines}`)} }
`,
  });
});

it.each(['markdown', 'sarif', 'junit'])('S8: no text from elsewhere commands a runner, in %s', async (format) => {
  const mistaken = project(`trueup: 1\nplatform: emulator\nproject: prj_1\n${JSON.stringify(hostile.join(' '))}: 1\n`);
  for (const words of [
    ['plan', '-C', folder],
    ['plan', '-C', mistaken],
    ['drift', '--no-remember', '-C', folder],
  ]) {
    const { out, err } = await trueup([...words, '--format', format], { env });
    expect(out, words.join(' ')).not.toBe('');
    expect([...obeyedIn(out), ...obeyedIn(err)]).toEqual([]);
  }
});

const formats = ['text', 'json'];

describe.each(formats)('S8: no text from elsewhere commands a terminal or a runner, in %s', (format) => {
  const run = (...words: string[]) => trueup([...words, '--format', format, '-C', folder], { env });
  const quiet = ({ out, err }: { out: string; err: string }) =>
    expect([...obeyedIn(out), ...obeyedIn(err)]).toEqual([]);

  it('S8: from the manifest, in a plan and in a mistake', async () => {
    const planned = await run('plan');
    expect(planned.out).toContain('add-mask');
    quiet(planned);
    const mistaken = project(
      `trueup: 1\nplatform: emulator\nproject: prj_1\n${JSON.stringify(hostile.join(' '))}: 1\n`,
    );
    const { out, err } = await trueup(['validate', '--format', format, '-C', mistaken], { env });
    expect(out + err).toContain('add-mask');
    quiet({ out, err });
  });

  it('S8: from an error of the platform', async () => {
    instead.set('user.get', {
      status: 400,
      body: { message: `${severalLines} ${hostile.join(' ')}`, code: 'BAD_REQUEST' },
    });
    const { out, err } = await run('call', 'user.get');
    instead.clear();
    expect(out + err).toContain('set-output');
    quiet({ out, err });
  });

  it('S8: from an answer of the platform, to call', async () => {
    instead.set('user.get', { status: 200, body: { name: severalLines, [hostile.join(' ')]: hostile } });
    const { out, err } = await run('call', 'user.get');
    instead.set('user.get', { status: 200, body: `${severalLines}\n${hostile.join('\n')}` });
    const text = await run('call', 'user.get');
    instead.clear();
    quiet({ out, err });
    quiet(text);
    expect(JSON.parse(out)).toEqual({ name: severalLines, [hostile.join(' ')]: hostile });
    expect(JSON.parse(text.out)).toBe(`${severalLines}\n${hostile.join('\n')}`);
  });

  it('S8: from a name of a file and from the environment', async () => {
    const path = `${hostile.join('')}.yaml`;
    for (const [name, missing] of [
      [path, 'there is no folder'],
      [path.replaceAll('/', '-'), 'there is no file'],
    ] as const) {
      const { out, err } = await trueup(['plan', '--format', format, '-C', folder, '-f', name], { env });
      expect(out + err).toContain(missing);
      quiet({ out, err });
    }
    const text = project(
      `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: { description: "\${env:HOSTILE}" } }\noutputs: { a: "\${env:HOSTILE}" }\n`,
    );
    const shown = await trueup(['plan', '--format', format, '-C', text], { env });
    expect(shown.code).toBe(0);
    quiet(shown);
  });

  it('S8: from a log and an output, whose values stay the same in JSON', async () => {
    expect((await trueup(['apply', '--auto-approve', '-C', folder], { env })).code).toBe(0);
    instead.set('postgres.readLogs', { status: 200, body: `${severalLines}\n${hostile.join('\n')}` });
    const logs = await run('logs', 'production.postgres.main');
    instead.clear();
    expect(logs.out).toContain('add-mask');
    quiet(logs);
    const output = await run('output', 'hostile');
    quiet(output);
    quiet(await run('status'));
    quiet(await run('state', 'list'));
    const value = `${hostile.join('\n')}\n${severalLines}`;
    if (format === 'json') expect(JSON.parse(output.out)).toMatchObject({ outputs: { hostile: { value } } });
    else expect(output.out).toContain('\\u001b[2J');
  });
});

describe('S8: --raw prints a text exactly as it is', () => {
  it('S8: of an output, an answer and a log', async () => {
    expect((await trueup(['apply', '--auto-approve', '-C', folder], { env })).code).toBe(0);
    const value = `${hostile.join('\n')}\n${severalLines}`;
    expect((await trueup(['output', 'hostile', '--raw', '-C', folder], { env })).out).toBe(`${value}\n`);
    instead.set('user.get', { status: 200, body: value });
    expect((await trueup(['call', 'user.get', '--raw', '-C', folder], { env })).out).toBe(`${value}\n`);
    instead.set('user.get', { status: 200, body: { a: value } });
    expect((await trueup(['call', 'user.get', '--raw', '-C', folder], { env })).out).toBe(
      `${JSON.stringify({ a: value }, null, 2)}\n`,
    );
    instead.set('postgres.readLogs', { status: 200, body: '\u001B[31mred\u001B[0m\n' });
    const logs = ['logs', 'production.postgres.main', '-C', folder];
    expect((await trueup([...logs, '--raw'], { env })).out).toBe('\u001B[31mred\u001B[0m\n');
    expect((await trueup(logs, { env })).out).toBe('red\n');
    instead.clear();
  });

  it('S8: and is refused beside --format json, which changes no value, and without the name of one output', async () => {
    for (const words of [
      ['output', 'hostile'],
      ['call', 'user.get'],
      ['logs', 'production.postgres.main'],
    ]) {
      const { code, out } = await trueup([...words, '--raw', '--format', 'json', '-C', folder], { env });
      expect(code).toBe(1);
      expect(out).toContain('--raw prints text');
    }
    expect((await trueup(['output', '--raw', '-C', folder], { env })).err).toContain(
      '--raw needs the name of one output',
    );
  });
});

describe('S8: the edge', () => {
  it.each(Object.entries({ ...signs, ...commands, ...atStart }))(
    'S8: escapes %s, and JSON keeps its value',
    (_name, text) => {
      const document = JSON.stringify({ a: `x${text}y`, b: text }, null, 2);
      expect(obeyedIn(printed(document))).toEqual([]);
      expect(JSON.parse(printed(document))).toEqual(JSON.parse(document));
      expect(obeyedIn(printed(text))).toEqual([]);
      expect(obeyedIn(printed(`x\n${text}`, { hasColours: true }))).toEqual([]);
    },
  );

  it('S8: escapes half of a surrogate pair', () => {
    expect(printed('a\uD83Db\uDE80')).toBe('a\\ud83db\\ude80');
  });

  it('S8: keeps ordinary text, lines, tabs, scripts and emoji', () => {
    const text =
      'a: "b" -> c\n\t# d :: e, f::g(), ::1, [::1]:80\n ::1\n## Title [x]\nGrüße, 日本語, العربية, हिन्दी, 한국어, ✅ ❤️ 👩‍💻 👍🏽 🏳️‍🌈 — … “x”\n';
    expect(printed(text)).toBe(text);
  });

  it('S8: keeps the colours of Trueup where it has any, and no other sequence', () => {
    const text = '\u001B[1m\u001B[31mred\u001B[39m\u001B[22m \u001B[8mhidden';
    expect(printed(text, { hasColours: true })).toBe('\u001B[1m\u001B[31mred\u001B[39m\u001B[22m \\u001b[8mhidden');
    expect(obeyedIn(printed(text))).toEqual([]);
  });

  it('S8: is where the library prints, too', async () => {
    const made = await openProject(folder, { env });
    const plan = await made.plan();
    await made.close();
    expect(planText(plan)).toContain('No changes');
    expect(obeyedIn(planText(plan))).toEqual([]);
  });

  it('S8: takes a command at the start of what is printed for one at the start of a line', () => {
    expect(printed('::add-mask::x')).toBe('\\u003a:add-mask::x');
    expect(printed('##[x]')).toBe('\\u0023#[x]');
  });
});

describe('S8: a candidate of a completion', () => {
  it('S8: is left out when it would not print as it is', async () => {
    const stack = '{ source: { type: raw, composeFile: "services: { a: { image: a } }" } }';
    const place = project(
      `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments:\n  production:\n    compose: { plain: ${stack}, "b\\u202E": ${stack}, "c\\u200B": ${stack} }\n`,
    );
    const { out } = await trueup(['complete', '--', 'import', ''], { cwd: place });
    expect(out.split('\n').filter((line) => line.includes('compose'))).toEqual(['production.compose.plain']);
  });
});

it('S8: nothing is written to a stream but text that went through the edge', () => {
  const root = join(import.meta.dirname, '../../src');
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const makers = ['render/printable.ts'];
  const writers = new Map<string, string[]>();
  for (const name of sources) {
    const code = readFileSync(join(root, name), 'utf8').replaceAll(/^ *(?:\*|\/\*\*|\/\/).*$/gm, '');
    const found = code.match(/as Printed\b|\bconsole\.|node:process|\bunchanged\(|std(?:out|err)\.write\(/g) ?? [];
    if (found.length > 0 && !makers.includes(name)) writers.set(name, [...new Set(found)].toSorted());
  }
  // The streams of a `Process` take `Printed` only; `streams.ts` writes its own words to those of Node.
  expect(Object.fromEntries(writers)).toEqual({
    // Escapes each part of a command to the runner by itself.
    'ci/annotations.ts': ['unchanged('],
    'ci/ci-report.ts': ['stdout.write('],
    'ci/run-ci.ts': ['stderr.write(', 'stdout.write('],
    // Hands on what trueup printed.
    'ci/trueup.ts': ['stderr.write(', 'stdout.write(', 'unchanged('],
    'cli/candidates.ts': ['stdout.write('],
    'cli/live.ts': ['unchanged('],
    'cli/program.ts': ['stderr.write(', 'stdout.write('],
    // Echoes what people type, which readline did before by itself.
    'cli/prompt.ts': ['stdout.write(', 'unchanged('],
    'cli/streams.ts': ['stderr.write('],
    'cli/terminal.ts': ['unchanged('],
  });
});
