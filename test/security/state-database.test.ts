import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { attempts } from '../../src/api/attempts.ts';
import { readPostgresAddress } from '../../src/state/backends/postgres-address.ts';
import { project, trueup } from '../cli/process.ts';
import { listeners } from '../support/listeners.ts';
import { keyText } from '../support/state-key.ts';

/** A network between Trueup and the database of the state is somebody else's. */

const listen = listeners();
const password = 'canary-7f3a';
const certificates = join(import.meta.dirname, '../fixtures/tls');

const manifest = `trueup: 1
platform: emulator
project: prj_1
state: { backend: postgres }
environments: { production: {} }
`;

const { maxAnswerBytes } = attempts.state;
afterEach(() => {
  Object.assign(attempts.state, { maxAnswerBytes });
});

/** Lists a state in a database. */
const list = (url: string) =>
  trueup(['state', 'list', '-C', project(manifest)], {
    env: { TRUEUP_STATE_URL: url, TRUEUP_STATE_KEY: keyText, TRUEUP_DEBUG: '1' },
  });

/** The first message of a client that wants TLS (length 8, code 80877103), as latin1. */
const wantsTls = '\0\0\0\b\u0004\u00d2\u0016/';

/** Asks for the password in clear (AuthenticationCleartextPassword), and refuses it. */
const askForPassword = (socket: Socket) =>
  socket.once('data', () => {
    socket.write('R\0\0\0\b\0\0\0\x03', 'latin1');
    const fields = 'SFATAL\0C28P01\0Mrefused\0\0';
    socket.once('data', () => socket.end(`E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}`, 'latin1'));
  });

/** Says that it has no TLS, and then asks for the password anyway. */
const refuseTls = (socket: Socket) =>
  socket.once('data', () => {
    socket.write('N');
    askForPassword(socket);
  });

describe('S22: a connection to another machine has TLS', () => {
  it('S22: unless sslmode=disable is written; the password is not sent to a server without it', async () => {
    for (const parameters of ['', '?sslmode=verify-full', '?ssl=true', '?schema=a&name=b']) {
      const server = await listen(refuseTls);
      const { code, out, err } = await list(`postgres://u:${password}@${server.host}/db${parameters}`);
      expect({ code, out }).toEqual({ code: 7, out: '' });
      expect(err).toContain('the database has no TLS; the password was not sent');
      expect(err).toContain('sslmode=disable');
      expect(server.received.startsWith(wantsTls)).toBe(true);
      expect(server.received).not.toContain(password);
      expect(server.connections).toBe(1);
    }
  });

  it('S22: whatever PGSSLMODE says', async () => {
    const server = await listen(refuseTls);
    const env = {
      TRUEUP_STATE_URL: `postgres://u:${password}@${server.host}/db`,
      PGSSLMODE: 'disable',
      TRUEUP_STATE_KEY: keyText,
    };
    process.env.PGSSLMODE = 'disable';
    try {
      await trueup(['state', 'list', '-C', project(manifest)], { env });
    } finally {
      delete process.env.PGSSLMODE;
    }
    expect(server.received.startsWith(wantsTls)).toBe(true);
  });

  it.each([
    ['', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [`?sslrootcert=${join(certificates, 'database.crt')}`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['?sslmode=no-verify', undefined],
    ['?uselibpqcompat=true&sslmode=require', undefined],
    ['?uselibpqcompat=true&sslmode=prefer', undefined],
  ])('S22: whose certificate is checked, with %j', async (parameters, code) => {
    const pem = (name: string) => readFileSync(join(certificates, name));
    const secureContext = createSecureContext({ cert: pem('database.crt'), key: pem('database.key') });
    let decrypted = '';
    const server = await listen((socket) => {
      socket.once('data', () => {
        socket.write('S');
        const secure = new TLSSocket(socket, { isServer: true, secureContext });
        secure.on('error', () => {}).on('data', (data) => (decrypted += data.toString('latin1')));
        askForPassword(secure);
      });
    });
    const run = await list(`postgres://u:${password}@${server.host}/db${parameters}`);
    expect(run.code).toBe(7);
    if (code === undefined) {
      // Whoever is between could have made that certificate.
      expect(run.err).toContain(
        'it asked for the password in clear, and its certificate is not checked; the password was not sent',
      );
      expect(decrypted).toContain('user\0u\0');
      expect(decrypted).not.toContain(password);
      return;
    }
    expect(run.err).toContain(`the certificate of the database is not trusted (${code})`);
    expect(run.err).toContain('Write sslrootcert=FILE in TRUEUP_STATE_URL');
    expect(decrypted).toBe('');
  });

  it.each([
    ['db.example.com', '', true],
    ['db.example.com', 'sslmode=verify-full', true],
    ['db.example.com', 'sslmode=require', true],
    ['db.example.com', 'sslmode=disable', false],
    ['db.example.com', 'sslmode=no-verify', false],
    ['db.example.com', 'sslmode=verify-ca&uselibpqcompat=true', false],
    ['localhost', '', false],
    ['localhost', 'ssl=true', true],
    ['localhost', 'sslmode=disable', true],
    ['127.1.2.3', 'sslmode=disable', true],
    ['[::1]', '', false],
    ['db.example.com', 'host=/run/postgresql', false],
    ['db.example.com', 'host=127.0.0.1&sslmode=disable', true],
    ['localhost', 'host=db.example.com&sslmode=disable', false],
  ])('S22: whether %s?%s may ask for the password itself: %s', (host, query, may) => {
    expect(readPostgresAddress(`postgres://u:${password}@${host}/db?${query}`).takesPassword).toBe(may);
  });

  it('S22: a password is never sent in clear without it', async () => {
    const server = await listen(askForPassword);
    const { code, out, err } = await list(`postgres://u:${password}@${server.host}/db?sslmode=disable`);
    expect({ code, out }).toEqual({ code: 7, out: '' });
    expect(err).toContain(
      'it asked for the password in clear, and the connection has no TLS; the password was not sent',
    );
    expect(server.received).toContain('user\0u\0');
    expect(server.received).not.toContain(password);
  });

  it('S22: nor to this machine, which needs no TLS, unless sslmode=disable is written', async () => {
    const server = await listen(askForPassword);
    const { code, err } = await list(`postgres://u:${password}@${server.loopback}/db`);
    expect(code).toBe(7);
    expect(err).toContain('the password was not sent');
    expect(err).toContain('or write sslmode=disable in TRUEUP_STATE_URL');
    expect(server.received).not.toContain(wantsTls);
    expect(server.received).not.toContain(password);
    await list(`postgres://u:${password}@${server.loopback}/db?sslmode=disable`);
    expect(server.received).toContain(password);
  });

  it.each(['while the connection is made', 'behind the connection', 'over TLS'])(
    'a server that answers without end %s is given up',
    async (when) => {
      // A busy machine passes no 128 MiB in the time of a connection.
      Object.assign(attempts.state, { maxAnswerBytes: 8 * 1024 * 1024 });
      const head = (type: string, length: number) => {
        const bytes = Buffer.alloc(5);
        bytes.write(type, 'latin1');
        bytes.writeUInt32BE(length, 1);
        return bytes;
      };
      const endless = (socket: Socket) => {
        socket.write(head(when === 'behind the connection' ? 'D' : 'N', 0x7f_ff_ff_ff));
        const part = Buffer.alloc(1024 * 1024);
        const more = () => {
          while (!socket.destroyed && socket.write(part));
          if (!socket.destroyed) socket.once('drain', more);
        };
        more();
      };
      const pem = (name: string) => readFileSync(join(certificates, name));
      const secureContext = createSecureContext({ cert: pem('database.crt'), key: pem('database.key') });
      const server = await listen((socket) =>
        socket.once('data', () => {
          if (when === 'over TLS') {
            socket.write('S');
            const secure = new TLSSocket(socket, { isServer: true, secureContext });
            secure.on('error', () => {}).once('data', () => endless(secure));
            return;
          }
          if (when === 'while the connection is made') return endless(socket);
          // AuthenticationOk, ReadyForQuery.
          socket.write('R\0\0\0\b\0\0\0\0Z\0\0\0\x05I', 'latin1');
          socket.once('data', () => endless(socket));
        }),
      );
      const query = when === 'over TLS' ? '?sslmode=no-verify' : '';
      const { code, out, err } = await list(`postgres://u:${password}@${server.loopback}/db${query}`);
      expect({ code, out }).toEqual({ code: 7, out: '' });
      expect(err).toContain('cannot be used: it answered with more than 8 MiB');
      expect(server.connections).toBe(1);
    },
  );

  it('a server that answers with rows without end is given up: an empty row takes seven bytes, and more of the memory', async () => {
    const message = (type: string, content: string) => {
      const bytes = Buffer.from(`${type}\0\0\0\0${content}`, 'latin1');
      bytes.writeUInt32BE(content.length + 4, 1);
      return bytes;
    };
    const ready = message('Z', 'I');
    const none = [message('T', '\0\0'), message('C', 'SELECT 0\0'), ready];
    const rows = Buffer.concat(Array.from({ length: 10_000 }, () => message('D', '\0\0')));
    const server = await listen((socket) =>
      socket.once('data', () => {
        socket.write(Buffer.concat([message('R', '\0\0\0\0'), ready]));
        socket.once('data', () => {
          socket.write(Buffer.concat(none));
          socket.once('data', () => {
            socket.write(Buffer.concat([message('1', ''), message('2', ''), message('T', '\0\0')]));
            for (let count = 0; count <= 1_000_000; count += 10_000) socket.write(rows);
            socket.write(Buffer.concat(none.slice(1)));
          });
        });
      }),
    );
    const { code, out, err } = await list(`postgres://u:${password}@${server.loopback}/db`);
    expect({ code, out }).toEqual({ code: 7, out: '' });
    expect(err).toContain('cannot be used: it answered with more than 1000000 rows');
  });

  it.each(['ssl=0', 'ssl=false', 'ssl=no-verify'])('S22: and %s is no way around', async (parameter) => {
    const server = await listen(askForPassword);
    const { code, err } = await list(`postgres://u:${password}@${server.host}/db?${parameter}`);
    expect(code).toBe(7);
    expect(err).toContain('Write sslmode=verify-full or sslmode=disable instead.');
    expect(server.connections).toBe(0);
  });
});

describe('S23: an address with an unescaped password', () => {
  it.each([
    'postgres://u:31337/canary@db.example.com/x',
    'postgres://u:31337/canary@db.example.com',
    'postgres://u:canary/31337@db.example.com/x',
    'postgres://u:31337#canary@db.example.com/x',
    'postgres://u:canary#31337@db.example.com/x',
    'postgres://u:31337?canary@db.example.com/x',
    'postgres://u:p@31337/canary@db.example.com/x',
    'postgresql://u:31337/canary@db.example.com/x',
    ' postgres://u:31337/canary@db.example.com/x\n',
    'postgres:/u:31337/canary@db.example.com/x',
    'postgres:u:canary@db.example.com/x',
    'u:canary@db.example.com/x',
    's3://canary:canary@b/x?endpoint=https://s3.example.com',
    's3://b/x?endpoint=canary',
  ])('S23: %j prints no part of it', async (url) => {
    const { code, out, err } = await list(url);
    expect({ code, out }).toEqual({ code: 7, out: '' });
    expect(err).not.toContain('canary');
    expect(err).not.toContain('31337');
    expect(err).toMatch(/percent-encoded: \/ as %2F, @ as %40, # as %23|Write s3:\/\/bucket/);
  });

  it('S23: a percent-encoded one is read', async () => {
    const server = await listen(askForPassword);
    await list(`postgres://u:a%2Fb%40c%23d%3Fe@${server.loopback}/db?sslmode=disable`);
    expect(server.received).toContain('a/b@c#d?e');
  });
});
