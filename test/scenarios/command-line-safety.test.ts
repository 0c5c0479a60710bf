import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WireAnswer } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { seedWorld } from '../../src/emulator/world.ts';
import { addKey, addPerson } from '../emulator/people.ts';
import { documentsOf, finish, project, start, trueup } from '../cli/process.ts';

/** What the command line refuses, and what it waits for. */

const key = { TRUEUP_API_KEY: 'right-key' };
const bare: WireAnswer = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"Unauthorized"}',
};

/** A folder over a platform of its own that answers some requests itself; POSTs as they are carried out. */
async function place(refuses: (operation: string, sent: number) => WireAnswer | undefined = () => undefined) {
  const world = seedWorld();
  addPerson(world, 'worker', { accessedProjects: ['prj_1'], accessedEnvironments: ['env_prj_1'] });
  addKey(world, 'key-of-the-worker', 'worker', { metadata: JSON.stringify({ organizationId: 'org_1' }) });
  const emulator = createEmulator({ profile: 'standard', world, apiKey: key.TRUEUP_API_KEY });
  const { send } = emulator;
  const sent: string[] = [];
  emulator.send = (request) => {
    const operation = request.path.replace(/^\/api\/|\?.*$/g, '');
    sent.push(operation);
    const refusal = refuses(operation, sent.length);
    return refusal === undefined ? send(request) : Promise.resolve(refusal);
  };
  const server = await serve(emulator);
  const folder = project({});
  return {
    sent,
    close: () => server.close(),
    write: (sections: string) =>
      writeFileSync(
        join(folder, 'trueup.yaml'),
        `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n${sections}`,
      ),
    run: (...args: string[]) => trueup([...args, '-C', folder], { env: key }),
    start: (...args: string[]) => start([...args, '-C', folder], { env: key }),
    as: (apiKey: string, ...args: string[]) => trueup([...args, '-C', folder], { env: { TRUEUP_API_KEY: apiKey } }),
    posts: () => emulator.log.splice(0).flatMap(({ method, operation }) => (method === 'POST' ? [operation] : [])),
    isLocked: () => existsSync(join(folder, '.trueup/lock')),
  };
}

const stack = (hosts: readonly number[]): string =>
  `environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        domains: { ${hosts.map((host) => `h${host}.example.com: { serviceName: web }`).join(', ')} }
`;
const twelve = Array.from({ length: 12 }, (_, at) => at);

describe('an apply', () => {
  it('deletes many of a kind only with --allow-mass-delete; plan reports that', async () => {
    const made = await place();
    made.write(stack(twelve));
    expect((await made.run('apply', '--auto-approve')).code).toBe(0);
    made.write(stack([0]));
    made.posts();
    const planned = await made.run('plan');
    expect(planned.code).toBe(0);
    expect(planned.out).toContain('warning[mass-deletion]');
    expect(planned.out).toContain('11 of 12 resources of the kind domain (92 %)');
    const refused = await made.run('apply', '--auto-approve', '--allow-data-loss', '--adopt');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('error[mass-deletion]');
    expect(refused.err).toContain('-> Look whether that is meant. If it is, apply needs --allow-mass-delete.');
    expect(made.posts()).toEqual([]);
    const json = await made.run('apply', '--auto-approve', '--format', 'json');
    expect(documentsOf(json).at(-1)).toMatchObject({ exitCode: 1, diagnostics: [{ code: 'mass-deletion' }] });
    const done = await made.run('apply', '--auto-approve', '--allow-mass-delete');
    expect(done.code).toBe(0);
    expect(made.posts().filter((operation) => operation === 'domain.delete')).toHaveLength(11);
    await made.close();
  });

  it('never deletes everything; destroy does, without any limit', async () => {
    const made = await place();
    made.write(stack(twelve));
    expect((await made.run('apply', '--auto-approve')).code).toBe(0);
    made.write('');
    made.posts();
    const planned = await made.run('plan');
    expect(planned.code).toBe(1);
    expect(planned.out).toContain('error[deletes-everything]');
    const flags = ['--auto-approve', '--allow-data-loss', '--allow-mass-delete', '--adopt'];
    const refused = await made.run('apply', ...flags);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('use trueup destroy');
    expect(made.posts()).toEqual([]);
    expect((await made.run('destroy', '--auto-approve')).code).toBe(0);
    expect(made.posts()).toContain('compose.delete');
    await made.close();
  });

  it('with the key of a member without access is refused, and the error names the missing right', async () => {
    const made = await place();
    made.write(stack([0]));
    expect((await made.run('apply', '--auto-approve')).code).toBe(0);
    made.posts();
    const refused = await made.as('key-of-the-worker', 'apply', '--auto-approve', '--adopt');
    expect(refused).toMatchObject({ code: 4, out: '' });
    expect(refused.err).toContain('error[hidden]');
    expect(refused.err).toContain('a member needs the service in accessedServices');
    expect(made.posts()).toEqual([]);
    await made.close();
  });
});

describe('an overloaded platform', () => {
  it('gets fewer requests at a time, which is told once; the apply succeeds, and then plans nothing', async () => {
    const gateway: WireAnswer = { status: 503, headers: {}, body: 'Service Unavailable' };
    const made = await place((operation, sent) =>
      /\.(get|byProjectId|one)$/.test(operation) && sent % 2 === 0 ? gateway : undefined,
    );
    made.write(stack(twelve));
    for (const args of [
      ['apply', '--auto-approve'],
      ['plan', '--detailed-exitcode'],
    ]) {
      const done = await made.run(...args);
      expect(done).toMatchObject({ code: 0 });
      expect(done.err.match(/^note: .*$/gm)).toEqual([
        'note: the platform does not keep up, or limits requests: Trueup sends at most 2 requests at a time, and more again while it answers well.',
      ]);
    }
    await made.close();
  });
});

describe('a platform that no longer accepts the key in the middle of an apply', () => {
  it('makes the apply wait with a message; nothing is sent twice, and the apply succeeds', async () => {
    let since: number | undefined;
    const made = await place((_operation, sent) => {
      if (sent < 12) return undefined;
      since ??= Date.now();
      return Date.now() - since < 1_500 ? bare : undefined;
    });
    made.write(stack(twelve));
    const done = await made.run('apply', '--auto-approve');
    expect(done).toMatchObject({ code: 0 });
    expect(done.err).toMatch(
      /the platform no longer accepts the API key \(401 after \d+ good answers\): waiting up to 600 s\n/,
    );
    expect(done.err).toMatch(/the platform accepts requests again after \d+ s\n/);
    const posts = made.posts();
    expect(posts.filter((operation) => operation === 'compose.create')).toHaveLength(1);
    expect(posts.filter((operation) => operation === 'domain.create')).toHaveLength(12);
    expect((await made.run('plan', '--detailed-exitcode')).code).toBe(0);
    await made.close();
  });

  it('ends the wait when the run is interrupted; the state is saved, and the next run does the rest', async () => {
    let isShut = true;
    const made = await place((_operation, sent) => (sent >= 12 && isShut ? bare : undefined));
    made.write(stack(twelve));
    const child = made.start('apply', '--auto-approve');
    let isStopped = false;
    child.stderr.on('data', (text: string) => {
      // The lines of what failed say it again.
      if (isStopped || !text.includes('no longer accepts')) return;
      isStopped = child.kill('SIGINT');
    });
    const stopped = await finish(child);
    expect(stopped.code).toBe(6);
    expect(stopped.err).toContain('stopping after the requests in flight');
    expect(stopped.out).toContain('and the run was interrupted while it waited');
    expect(made.isLocked()).toBe(false);
    isShut = false;
    expect((await made.run('apply', '--auto-approve')).code).toBe(0);
    const posts = made.posts();
    expect(posts.filter((operation) => operation === 'compose.create')).toHaveLength(1);
    expect(posts.filter((operation) => operation === 'domain.create')).toHaveLength(12);
    await made.close();
  });
});
