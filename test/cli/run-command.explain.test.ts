import { expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { extendedContracts } from '../../src/api/contract.ts';
import { explain } from '../../src/cli/run-command.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';

test('an answer that quotes a value which is known to be secret only later does not show it', async () => {
  const redactor = createRedactor();
  const client = createClient({
    send: () =>
      Promise.resolve({
        status: 400,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message: 'the name correct-horse-battery is taken', code: 'BAD_REQUEST' }),
      }),
    url: 'https://platform.example',
    apiKey: 'key-of-the-tests',
    redact: redactor.redact,
    contract: extendedContracts.dokploy,
    sleep: () => Promise.resolve(),
  });
  // Reads begin while the manifest is still checked: its private values are found after that.
  const error: unknown = await client.invoke('redis.one', { redisId: 'r' }).catch((reason: unknown) => reason);
  expect(JSON.stringify(explain(error, String))).toContain('correct-horse-battery');
  redactor.add('correct-horse-battery');
  expect(JSON.stringify(explain(error, redactor.redact))).not.toContain('correct-horse-battery');
  expect(JSON.stringify(explain(error, redactor.redact))).toContain('(sensitive) is taken');
});

test.each([
  ['https://platform.example', { ALL_PROXY: 'http://proxy.example:3128' }, 'the proxy of ALL_PROXY here: set'],
  ['https://platform.example', { HTTPS_PROXY: 'http://proxy.example', no_proxy: '*' }, 'Because of NO_PROXY,'],
  ['https://platform.example', { HTTPS_PROXY: '' }, undefined],
  ['http://localhost:3000', { ALL_PROXY: 'http://proxy.example:3128' }, undefined],
])('the error of a platform at %s that gives no answer, with %j, has: %s', async (url, env, words) => {
  const client = createClient({
    send: () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })),
    url,
    apiKey: 'key-of-the-tests',
    redact: String,
    contract: extendedContracts.dokploy,
    sleep: () => Promise.resolve(),
  });
  const error: unknown = await client.invoke('redis.one', { redisId: 'r' }).catch((reason: unknown) => reason);
  const [found] = explain(error, String, { env }).diagnostics;
  if (words === undefined) expect(found?.remedy).not.toMatch(/proxy/i);
  else expect(found?.remedy).toContain(words);
});

test.each([
  ['ENOSPC', 'file-unwritable', 'the disk is full', 'Make room on the disk'],
  ['EROFS', 'file-unwritable', 'the file system can only be read', 'Run in a folder on a file system'],
  ['EACCES', 'file-unreadable', 'this user may not', 'Allow this user to read and write there'],
])('an error of the disk that nothing expected is no defect: %s', (code, diagnosed, why, remedy) => {
  const error = Object.assign(new Error(`${code}: words of Node`), {
    code,
    syscall: 'open',
    path: '/srv/shop/drift.yaml',
  });
  expect(explain(error, String)).toEqual({
    exit: 'failed',
    diagnostics: [
      {
        code: diagnosed,
        severity: 'error',
        message: `cannot use /srv/shop/drift.yaml: ${code}: ${why}`,
        remedy: expect.stringContaining(remedy) as string,
      },
    ],
  });
});
