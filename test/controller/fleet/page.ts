import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stackAddress } from '../../../src/controller/page/addresses.ts';
import { pages } from '../../../src/controller/page/pages.ts';
import { pageFor, startControllerDatabase } from '../../support/controller-pages.ts';
import { controllerDocuments, rowsOf } from '../../support/controller-rows.ts';

/** How long pages take where many stacks are enrolled, over HTTP and with a database that is used. */

const token = 'a-token-for-the-admin-of-everything-111';
const paths = ['/', stackAddress('sites:customers/site-0/trueup.yaml'), '/waves', '/sources', '/platforms', '/audit'];

/** Milliseconds until the first byte of each page: the middle one and the longest of so many requests. */
export async function firstBytes({ stacks, requests }: { readonly stacks: number; readonly requests: number }) {
  const database = await startControllerDatabase();
  try {
    const rows = rowsOf(database.pool, 'trueup_controller');
    const { plan } = await controllerDocuments();
    await rows.platform('north');
    await rows.source('sites');
    for (let at = 0; at < stacks; at++) {
      const id = `sites:customers/site-${at}/trueup.yaml`;
      await rows.stack({ id, labels: { customer: `c${at % 50}` }, isBehind: at % 10 === 0 });
      if (at % 10 === 0) await rows.plan(id, plan);
      for (let run = 0; run < 5; run++) await rows.run(id, { kind: 'drift', ending: 'in step' });
    }
    await database.rows('analyze');
    const app = pageFor(database.records, {
      parts: [pages],
      tokens: [{ name: 'all', token, role: 'admin', labels: {} }],
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const timed = (path: string) =>
      new Promise<number>((resolve, reject) => {
        const began = performance.now();
        const headers = { authorization: `Bearer ${token}`, accept: 'text/html', host: 'trueup.example.com' };
        get({ port, host: '127.0.0.1', path, headers }, (answer) => {
          answer.once('data', () => {
            const ms = performance.now() - began;
            if (answer.statusCode === 200) resolve(ms);
            else reject(new Error(`${path} answers ${answer.statusCode}`));
            answer.resume();
          });
        }).on('error', reject);
      });
    const figures: Record<string, { readonly middle: number; readonly longest: number }> = {};
    for (const path of paths) {
      const times: number[] = [];
      for (let at = 0; at < requests; at++) times.push(await timed(path));
      const sorted = times.map((ms) => Math.round(ms * 10) / 10).toSorted((a, b) => a - b);
      figures[path] = { middle: sorted[Math.floor(requests / 2)] ?? 0, longest: sorted.at(-1) ?? 0 };
    }
    await app.close();
    return figures;
  } finally {
    await database.stop();
  }
}
