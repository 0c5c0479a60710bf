import { afterAll, describe, expect, test } from 'vitest';
import { explain } from '../../src/cli/run-command.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import type { World } from '../../src/emulator/world.ts';
import { seedWorld } from '../../src/emulator/world.ts';
import { apiKey } from '../cli/place.ts';
import { project, trueup } from '../cli/process.ts';
import { composeBody } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** A key of a member: the platform refuses some reads with a sentence, and some with the words of a refused key. */

const stack = `${head}environments:\n  production:\n    compose:\n      shop: { ${composeBody} }\n`;
const models = `${stack}ai:\n  main: { apiUrl: 'https://ai.example.test', apiKey: k, model: m, isEnabled: true }\n`;

/** The rights of a member who may use the project, and nothing of the organization. */
const rights = { role: 'member', accessedProjects: ['prj_1'], accessedEnvironments: ['env_prj_1'] };

function makeMember({ tables }: World, more: Row = {}): void {
  Object.assign(tables.member['member_1'] ?? {}, rights, { canCreateServices: true, canDeleteServices: true }, more);
}

/** A platform with a key of a member, on which an owner applied a manifest before. */
async function memberAfter(text: string | undefined): Promise<Bench> {
  const world = seedWorld();
  const made = bench({ emulate: { world } });
  if (text !== undefined) await made.apply(text);
  makeMember(world, { accessedServices: Object.keys(world.tables.compose) });
  made.requests('GET');
  return made;
}

async function problemsOf(work: Promise<unknown>) {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const { exit, diagnostics } = explain(error, String);
  expect(exit).toBe('authentication');
  return diagnostics;
}

describe('a key without the right to read the models', () => {
  test('plans and applies what is no model, and reads none', async () => {
    const made = await memberAfter(undefined);
    const { outcomes } = await made.apply(stack);
    expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
    expect((await made.plan(stack)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
    expect(made.requests('GET').filter((operation) => operation.startsWith('ai.'))).toEqual([]);
  });

  test('has an error at the block of a model, with the right that it lacks', async () => {
    const made = await memberAfter(undefined);
    const problems = await problemsOf(made.plan(models));
    expect(problems).toMatchObject([{ address: 'ai.main', severity: 'error', position: { line: 9 } }]);
    expect(problems[0]?.message).toContain('the API key has no right to this (401 Unauthorized from ai.getAll');
    expect(problems[0]?.remedy).toContain('A member needs the role owner or admin.');
    const reads = made.requests('GET');
    expect(reads.filter((operation) => operation === 'ai.getAll')).toHaveLength(2);
    expect(reads.filter((operation) => operation === 'user.get').length).toBeLessThanOrEqual(3);
  });

  test('has the error where only the state has the model', async () => {
    const made = await memberAfter(models);
    expect(await problemsOf(made.plan(stack))).toMatchObject([{ address: 'ai.main' }]);
  });
});

test('a key without the right to a list has an error at each block that needs it', async () => {
  const made = await memberAfter(undefined);
  const two = ['a', 'b'].map(
    (name) => `  ${name}: { apiUrl: 'https://ai.example.test', apiKey: k, model: m, isEnabled: true }`,
  );
  const problems = await problemsOf(made.plan(`${stack}ai:\n${two.join('\n')}\n`));
  expect(problems.map(({ address, position }) => [address, position?.line])).toEqual([
    ['ai.a', 9],
    ['ai.b', 10],
  ]);
});

describe('apply, with a key of a member who may not create services', () => {
  const servers: { close(): Promise<void> }[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  /** Applies two services at a platform, once it changed. */
  async function applied(change: (world: World) => void) {
    const emulator = createEmulator({ profile: 'standard', apiKey });
    const server = await serve(emulator);
    servers.push(server);
    change(emulator.world);
    const top = `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n`;
    const text = stack.replace(head, top) + '    redis:\n      cache: { databasePassword: correct-horse-1 }\n';
    return trueup(['apply', '-C', project(text), '--auto-approve', '--adopt'], { env: { TRUEUP_API_KEY: apiKey } });
  }

  test('ends with the exit code of the key, and does not say that a request may have had an effect', async () => {
    const { code, out } = await applied((world) => makeMember(world, { canCreateServices: false }));
    expect(out).toContain('A member needs canCreateServices');
    expect(out).toContain('The platform did not execute it.');
    expect(out).toContain('No change of the platform is known.');
    expect(out).not.toContain('may still have had an effect');
    expect(code).toBe(4);
  });
});
