import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { redacted } from '../../src/secrets/secret.ts';
import { project, trueup } from '../cli/process.ts';

/** Which secrets are redacted, in which forms, and what is not. */

const secret = `tok-9fK2/x8+Qz7"Lm4&vR1'hJ6<eB3`;

const bytesOf = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);
const base64 = (text: string) => bytesOf(text).toString('base64');
const html = (text: string, names: Readonly<Record<string, string>>) =>
  text.replaceAll(/[&<>"']/g, (sign) => `&${names[sign] ?? ''};`);
const common = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
const small = (text: string) => text.replaceAll(/%../g, (code) => code.toLowerCase());
const form = new URLSearchParams({ a: secret }).toString().slice(2);

/** How a secret may stand in a text from elsewhere. */
const forms: Readonly<Record<string, string>> = {
  'as it is': secret,
  JSON: JSON.stringify(secret),
  'JSON with escaped slashes': JSON.stringify(secret).replaceAll('/', String.raw`\/`),
  'JSON of Go': JSON.stringify(secret).replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  'HTML with &#39;': html(secret, { ...common, "'": '#39' }),
  'HTML with &#x27;': html(secret, { ...common, "'": '#x27' }),
  'HTML with &#34;': html(secret, { ...common, '"': '#34', "'": '#39' }),
  XML: html(secret, { ...common, "'": 'apos' }),
  'a part of a URL': encodeURIComponent(secret),
  'a part of a URL in small letters': small(encodeURIComponent(secret)),
  'a whole URL': encodeURI(secret),
  'a form': form,
  'a form in small letters': small(form),
  base64: base64(secret),
  'base64 without padding': base64(secret).replace(/=+$/, ''),
  'base64 for URLs': bytesOf(secret).toString('base64url'),
  'base64 behind one byte': base64(`:${secret}`),
  'base64 behind two bytes': base64(`u:${secret}`),
  'base64 before other bytes': base64(`${secret}:x`),
};

/** Parts of a form of five signs that stand in a text. */
function shown(form: string, text: string): string[] {
  const parts = form
    .split(/[^\u0021-\u007e]/)
    .flatMap((part) => Array.from(part, (_sign, at) => part.slice(at, at + 5)));
  return [...new Set(parts)].filter((part) => part.length === 5 && text.includes(part));
}

const all = Object.entries(forms);
const env = { TRUEUP_API_KEY: 'right-key-4711', TRUEUP_SECRET_UNUSED: secret };
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

/** Serves an emulator whose answers are changed. */
async function serving(around: (emulator: Emulator) => Emulator = (emulator) => emulator): Promise<string> {
  const server = await serve(around(createEmulator({ profile: 'standard', apiKey: env.TRUEUP_API_KEY })));
  open.push(server);
  return server.url;
}

/** What a run printed for each form: `line` finds it by the number of the form. */
type Printed = (index: number) => string;

describe(`S20: a secret is hidden in ${all.length} forms`, () => {
  describe.each<[place: string, run: () => Promise<Printed>]>([
    ['an error of the platform', errors],
    ['the field of a row, in a plan', rows],
    ['a line of a log', logs],
  ])('S20: in %s', (_place, run) => {
    let printed: Printed = () => '';
    beforeAll(async () => {
      printed = await run();
    }, 60_000);

    it.each(all.map(([name, form], index) => [name, form, index] as const))('S20: %s', (_name, form, index) => {
      const text = printed(index);
      expect(text).toContain(redacted);
      expect(shown(form, text)).toEqual([]);
    });
  });
});

async function errors(): Promise<Printed> {
  let turn = 0;
  const url = await serving((emulator) => ({
    ...emulator,
    send: () =>
      Promise.resolve({
        status: 400,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message: `the value ${all[turn]?.[1] ?? ''} is odd`, code: 'BAD_REQUEST' }),
      }),
  }));
  const cwd = mkdtempSync(join(tmpdir(), 'trueup-redaction-'));
  const said: string[] = [];
  for (turn = 0; turn < all.length; turn++) {
    const { out, err } = await trueup(['call', 'user.get'], { cwd, env: { ...env, TRUEUP_URL: url } });
    said.push(out + err);
  }
  return (index) => said[index] ?? '';
}

async function rows(): Promise<Printed> {
  const compose = (description: string, index: number) =>
    `      shop-${index}: { description: ${JSON.stringify(description)}, deploy: never, source: { type: raw, composeFile: "services: { a: { image: a } }" } }\n`;
  const url = await serving();
  const manifest = (state: string, described: (form: string) => string) =>
    `trueup: 1\nplatform: { url: "${url}" }\nproject: prj_1\nenvironments:\n  production:\n    compose:\n${all
      .map(([, form], index) => compose(described(form), index))
      .join('')}${state}`;
  const folder = project(manifest('', (form) => `it is ${form.replaceAll('\0', '\u0001')}`));
  expect((await trueup(['apply', '--auto-approve', '-C', folder], { env })).code).toBe(0);
  writeFileSync(
    join(folder, 'trueup.yaml'),
    manifest('', () => 'another'),
  );
  const { out, err } = await trueup(['plan', '-C', folder, '--format', 'json'], { env });
  expect(err).toBe('');
  const { actions } = JSON.parse(out) as { actions: { address: string; changes: unknown }[] };
  const { out: text } = await trueup(['plan', '-C', folder], { env });
  const blocks = text.split(/\n(?=\s*~ )/);
  return (index) => {
    const action = actions.find(({ address }) => address === `production.compose.shop-${index}`);
    const block = blocks.find((one) => one.includes(`shop-${index}:`)) ?? '';
    return `${JSON.stringify(action?.changes)}\n${block}`.replaceAll('"is":"hidden"', redacted);
  };
}

async function logs(): Promise<Printed> {
  let log = '';
  const url = await serving((emulator) => ({
    ...emulator,
    send: async (request) =>
      request.path.includes('postgres.readLogs')
        ? { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(log) }
        : emulator.send(request),
  }));
  const folder = project(
    `trueup: 1\nplatform: { url: "${url}" }\nproject: prj_1\nenvironments:\n  production:\n    postgres:\n      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: x1 }\n`,
  );
  await trueup(['apply', '--auto-approve', '-C', folder], { env });
  log = all.map(([, form], index) => `line ${index} says ${form} and ends\n`).join('');
  const { out } = await trueup(['logs', 'production.postgres.main', '-C', folder], { env });
  const lines = out.split(/\n(?=line \d+ says)/);
  return (index) => lines[index] ?? '';
}

describe('S7: a secret that the manifest does not mention is known', () => {
  const manifest = (command: string, more = '') => `trueup: 1
platform: emulator
project: prj_1
${more}environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: x1, command: "${command}" }
`;
  const value = 'tok-7f3a9c1e5b';

  it.each([
    ['the environment', '', {}, { TRUEUP_SECRET_T: value }],
    ['a file of secrets', 'secrets: [{ file: secrets.env }]\n', { 'secrets.env': `T=${value}\n` }, {}],
  ])('S7: from %s, where the state that knew it is not used', async (_source, more, files, secrets) => {
    const folder = project({ ...files, 'trueup.yaml': manifest('postgres -c x=${secret:T}', more) });
    expect((await trueup(['apply', '--auto-approve', '-C', folder], { env: secrets })).code).toBe(0);
    const world = readFileSync(join(folder, '.trueup/emulator.json'), 'utf8');
    const elsewhere = project({
      ...files,
      'trueup.yaml': manifest('postgres -c x=y', more),
      '.trueup/emulator.json': world,
    });
    for (const format of ['text', 'json']) {
      const { code, out, err } = await trueup(['plan', '-C', elsewhere, '--format', format], { env: secrets });
      expect(code).toBe(0);
      expect(out).toContain('command');
      expect(out + err).not.toContain('tok-7f3a');
    }
  });

  it.each([
    ['TRUEUP_API_KEY', value, value],
    ['GITHUB_TOKEN', value, value],
    ['TRUEUP_STATE_KEY', value, value],
    ['TRUEUP_STATE_URL', `postgres://shop:${value}@db/trueup`, value],
    ['TRUEUP_STATE_URL', `postgres://db/trueup?user=a&password=${value}`, value],
    ['AWS_SECRET_ACCESS_KEY', value, value],
    ['AWS_SESSION_TOKEN', value, value],
    ['HTTPS_PROXY', `http://me:${value}@proxy:3128`, value],
    ['http_proxy', `me:${value}@proxy:3128`, value],
    ['ALL_PROXY', `socks5://me:of@${value}@proxy:1080`, `of@${value}`],
  ])('S7: from %s', async (name, text, hidden) => {
    const url = await serving((emulator) => ({
      ...emulator,
      send: () =>
        Promise.resolve({
          status: 400,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ message: `it was called with ${hidden}`, code: 'BAD_REQUEST' }),
        }),
    }));
    const { err } = await trueup(['call', 'user.get'], {
      env: { TRUEUP_API_KEY: 'x1', TRUEUP_URL: url, [name]: text },
    });
    expect(err).toContain('it was called with (');
    expect(err).not.toContain(hidden);
  });
});

describe('S7: a command line that cannot be followed', () => {
  it('S7: is reported without a secret of the environment', async () => {
    const { err } = await trueup(['plan', secret], { env });
    expect(err).toContain('error[usage]');
    expect(shown(secret, err)).toEqual([]);
  });
});

describe('S21: what is no secret is not redacted', () => {
  const manifest = (url: string) => `trueup: 1
platform: { url: "${url}" }
project: prj_1
environments:
  production:
    compose:
      worker:
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx:1.27\\n" }
        env: { TIER: production, HOST: shop.example.com, REGION: eu-central-1, KIND: worker, IMAGE: "nginx:1.27", PORT: "808080" }
        domains: { shop.example.com: { serviceName: web, port: 8080 } }
`;

  it('S21: values of env, in addresses, questions and errors of the platform', async () => {
    let fails = false;
    const url = await serving((emulator) => ({
      ...emulator,
      send: (request) =>
        fails && request.path.includes('compose.stop')
          ? Promise.resolve({
              status: 400,
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({
                message: 'cannot stop worker in production at shop.example.com, eu-central-1, nginx:1.27',
                code: 'BAD_REQUEST',
              }),
            })
          : emulator.send(request),
    }));
    const folder = project(manifest(url));
    expect((await trueup(['apply', '--auto-approve', '-C', folder], { env })).code).toBe(0);
    const asked = await trueup(['run', 'stop', 'production.compose.worker', '-C', folder], { env });
    expect(asked.err).toContain('stop production.compose.worker');
    fails = true;
    const failed = await trueup(['run', 'stop', 'production.compose.worker', '--yes', '-C', folder], { env });
    expect(failed.err).toContain('cannot stop worker in production at shop.example.com, eu-central-1, nginx:1.27');
    expect(asked.err + failed.out + failed.err).not.toContain(redacted);
  });

  it('S21: ordinary texts, beside two hundred secrets of all kinds', () => {
    const redactor = createRedactor();
    const random = (index: number) => bytesOf(`${index * 7919}-${index}`).toString('base64url');
    const kinds: readonly ((index: number) => string)[] = [
      (index) => `postgres://shop:${random(index)}@production-db.example.com:5432/production`,
      (index) => `production-${random(index)}`,
      (index) => `https://hooks.example.com/services/T${index}/B${random(index)}`,
      (index) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${random(index).repeat(3)}\n-----END OPENSSH PRIVATE KEY-----\n`,
      (index) => `AGE-SECRET-KEY-1${random(index).toUpperCase()}`,
      (index) => `compose-stack-${index}-password`,
      (index) => `correct-horse-battery-${index}`,
      (index) => String(20_251_100 + index),
      (index) => `Eu-Central-1.${random(index)}`,
      (index) => `trueup-state-${random(index)}`,
    ];
    for (let index = 0; index < 200; index++) redactor.add(kinds[index % kinds.length]?.(index) ?? '');
    const pages = [
      'README.md',
      'docs/commands.md',
      'docs/library.md',
      'docs/secrets.md',
      'docs/safety.md',
      'docs/json-output.md',
      'docs/diagnostics.md',
      'CHANGELOG.md',
    ];
    for (const page of pages) {
      const text = readFileSync(join(import.meta.dirname, '../..', page), 'utf8');
      for (const line of [text, ...text.split('\n')]) expect(redactor.redact(line)).toBe(line);
    }
  });
});
