import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { finish, project, start, trueupProcess } from '../cli/process.ts';

/** The real program, killed while it watches a service after a deployment; the next one ends what it began. */

const apiKey = 'right-key';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const isOrder = (operation: string) => /\.(?:re)?deploy$/.test(operation);

test(
  'a process that is killed in a watch, while it asks an address or in a restore leaves the rest to the next one',
  { timeout: 300_000 },
  async () => {
    const site = { status: 200, asked: 0 };
    const web = createServer((_request, response) => {
      site.asked += 1;
      response.writeHead(site.status).end();
    }).listen(0);
    await once(web, 'listening');
    const { port } = web.address() as AddressInfo; // it listens on TCP
    const emulator = createEmulator({ apiKey, profile: 'dokploy' });
    const server = await serve(emulator);
    const folder = project('');
    const args = ['apply', '--auto-approve', '--adopt', '--in-flight-timeout', '1', '-C', folder];
    const options = { env: { TRUEUP_API_KEY: apiKey } };
    const write = (version: string): void => {
      const file = `services: { web: { image: "web:${version}", healthcheck: { test: curl } } }`;
      const probe = `localhost: { serviceName: web, port: 80, probe: { port: ${port}, within: 20s } }`;
      const block = `shop: { source: { type: raw, composeFile: '${file}' }, health: { within: 5s }, deploy: { onFailure: restore }, domains: { ${probe} } }`;
      const environments = `environments:\n  production:\n    compose:\n      ${block}\n`;
      writeFileSync(
        join(folder, 'trueup.yaml'),
        `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n${environments}`,
      );
    };
    /** The operations since the beginning of the last process. */
    let begin = 0;
    const sent = () => emulator.log.slice(begin).map(({ operation }) => operation);
    const orders = () => sent().filter(isOrder).length;
    const running = async () => {
      begin = emulator.log.length;
      return trueupProcess(args, options);
    };
    const killed = async (when: () => boolean, laterMs: number): Promise<void> => {
      [begin, site.asked] = [emulator.log.length, 0];
      const child = start(args, options);
      const ended = finish(child);
      while (!when() && child.exitCode === null) await pause(5);
      await pause(laterMs);
      child.kill('SIGKILL');
      const { code, out, err } = await ended;
      expect(code, `${out}${err}`).toBe(null);
    };
    const isWatching = () =>
      sent().lastIndexOf('docker.getContainersByAppNameMatch') > sent().findIndex(isOrder) && orders() > 0;
    const nothing = async (): Promise<void> => {
      const { code, out } = await running();
      expect([code, out.includes('No changes.'), orders()], out).toEqual([0, true, 0]);
    };

    write('1-will-healthy-after-1s');
    expect((await running()).code).toBe(0);
    const moments = [
      ['before it holds', 200, isWatching],
      ['while its address is asked', 503, () => site.asked > 1],
      ['in the rest of its watch', 200, () => site.asked > 0],
    ] as const;
    for (const [at, [name, status, when]] of moments.entries()) {
      write(`${at + 2}-will-healthy-after-2s`);
      site.status = status;
      await killed(when, 300);
      site.status = 200;
      const next = await running();
      // What was deployed is watched, and not deployed once more.
      expect([next.code, orders()], `${name}\n${next.out}${next.err}`).toEqual([0, 0]);
      await nothing();
    }
    const restoring = [
      ['at a write of a restore', () => sent().filter((one) => one === 'compose.update').length > 1],
      ['at the deployment of a restore', () => orders() > 1],
    ] as const;
    for (const [at, [name, when]] of restoring.entries()) {
      write(`${at * 2 + 5}-will-exit-1-after-1s`);
      await killed(when, 0);
      const next = await running();
      expect([next.code, orders()], `${name}\n${next.out}${next.err}`).toEqual([1, 0]);
      expect(`${next.out}${next.err}`, name).toMatch(
        /the former version was deployed again|did not finish: the platform has/,
      );
      write(`${at * 2 + 6}-will-healthy-after-1s`);
      const repaired = await running();
      expect([repaired.code, orders()], `${name}\n${repaired.out}${repaired.err}`).toEqual([0, 1]);
      await nothing();
    }
    await server.close();
    web.close();
  },
);
