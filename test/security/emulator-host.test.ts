import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';

/** Asks an emulator that listens on a host, and gives the answer to a Host header. */
async function ask(listens: string, header: string): Promise<{ status: number | undefined; body: string }> {
  const server = await serve(createEmulator({ profile: 'standard', apiKey: 'key' }), { host: listens });
  onTestFinished(() => server.close());
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const headers = { host: header.replace('PORT', port), 'x-api-key': 'key' };
    request({ host: '127.0.0.1', port, path: '/api/environment.byProjectId?projectId=prj_1', headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    })
      .on('error', reject)
      .end();
  });
}

describe('S24: the emulator answers for its own host only', () => {
  it.each(['attacker.example', 'attacker.example:PORT', 'localhost.attacker.example:PORT', '127.0.0.1.example'])(
    'S24: refuses the host "%s"',
    async (header) => {
      for (const listens of ['127.0.0.1', '0.0.0.0']) {
        const { status, body } = await ask(listens, header);
        expect(status).toBe(421);
        expect(body).toContain('does not answer for the host');
        expect(body).not.toContain('env_prj_1');
      }
    },
  );

  it.each(['127.0.0.1:PORT', 'localhost:PORT', 'LOCALHOST', '[::1]:PORT'])('S24: answers for %s', async (header) => {
    expect(await ask('127.0.0.1', header)).toMatchObject({ status: 200 });
  });

  it('S24: answers for another address only where it listens on all', async () => {
    expect(await ask('127.0.0.1', '192.0.2.7:PORT')).toMatchObject({ status: 421 });
    expect(await ask('0.0.0.0', '192.0.2.7:PORT')).toMatchObject({ status: 200 });
  });

  it('S24: answers for the name that it listens on', async () => {
    expect(await ask('localhost', 'localhost:PORT')).toMatchObject({ status: 200 });
  });
});
