import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { finish, project, start } from '../cli/process.ts';

/** A program that has said why it failed ends, although other requests wait for the platform. */

const json = { 'content-type': 'application/json' };
const user = '{"userId":"user_1","organizationId":"org_1","role":"owner","canAccessToTraefikFiles":false}';
const noSuchOperation = '{"message":"Not found","code":"NOT_FOUND","data":{"code":"NOT_FOUND","httpStatus":404}}';
const manifest = (url: string): string => `trueup: 1
platform: { url: "${url}" }
project: prj_1
environments: { production: {} }
members: { admin@example.test: { canAccessToAPI: true } }
`;

/** How long the program may take to end before it counts as one that stays. Milliseconds. */
const patienceMs = 15_000;

/** Runs a command while one read asks to wait, and another one fails for good as soon as the first one waits. */
async function whileOneWaits(args: readonly string[], paused: { status: number; retryAfter?: string }) {
  const requests: string[] = [];
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const operation = (request.url ?? '').replace(/^\/api\/|\?.*$/g, '');
    requests.push(operation);
    if (operation === 'settings.getDokployVersion') {
      response.writeHead(404, json).end(noSuchOperation);
    } else if (operation === 'user.get' && !requests.includes('paused')) {
      response.writeHead(200, json).end(user);
    } else if (operation === 'environment.byProjectId') {
      // First the good answer to user.get has to arrive.
      setTimeout(() => {
        const header = paused.retryAfter === undefined ? {} : { 'retry-after': paused.retryAfter };
        response.writeHead(paused.status, { ...json, ...header }).end('{"message":"wait"}');
        requests.push('paused');
        setTimeout(() => held.splice(0).forEach((other) => other.writeHead(403, json).end('{"message":"no"}')), 300);
      }, 300);
    } else if (operation === 'user.all') {
      held.push(response);
    } else {
      response.writeHead(paused.status, json).end('{"message":"wait"}');
    }
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const folder = project(manifest(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const child = start([...args, '--no-bulk', '-C', folder], { env: { TRUEUP_API_KEY: 'right-key' } });
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  const ended = await finish(child);
  clearTimeout(timer);
  server.closeAllConnections();
  server.close();
  return { ...ended, requests };
}

describe('a run that failed ends its process', () => {
  it.each([
    ['429', ['plan'], { status: 429, retryAfter: '60', failed: 'user.all' }],
    ['429', ['apply', '--auto-approve'], { status: 429, retryAfter: '60', failed: 'user.all' }],
    // A key with so few good answers may be used up, and is not waited for.
    ['401 without a code', ['plan'], { status: 401, failed: 'environment.byProjectId' }],
    ['401 without a code', ['apply', '--auto-approve'], { status: 401, failed: 'environment.byProjectId' }],
  ] as const)('although another read waits after a %s (trueup %s)', async (_answer, args, { failed, ...paused }) => {
    const { code, err, requests } = await whileOneWaits(args, paused);
    expect(requests).toContain('paused');
    expect(requests).toContain('user.all');
    expect(err).toContain(failed);
    expect(err).not.toContain('    at ');
    expect(code).toBe(4);
  });
});
