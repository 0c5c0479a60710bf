import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contract } from '../../src/api/contract.ts';
import { renderEndpointDocs } from '../../scripts/docs/endpoint-docs.ts';
import { kinds } from '../../src/resources/index.ts';
import { bench } from '../support/world.ts';
import { tableRows } from './pages.ts';

const root = resolve(import.meta.dirname, '../..');
const operations = Object.keys(contract);
const recorded = new Map(operations.map((operation, at) => [operation, at]));
const text = renderEndpointDocs({ kinds, recorded });
const usedBy = new Map(
  tableRows(text, 'endpoint').map(([endpoint = '', used = '']) => [/`([^`]+)`/.exec(endpoint)?.[1], used]),
);

describe('the page of the endpoints', () => {
  test('has a row for each operation of the contract, and no empty cell', () => {
    const rows = tableRows(text, 'endpoint');
    expect([...usedBy.keys()]).toEqual(operations);
    expect(rows).toHaveLength(192);
    for (const row of rows) {
      expect(row).toHaveLength(3);
      for (const cell of row) expect(cell).toMatch(/\S/);
    }
  });

  test('is not generated while an operation has no test', () => {
    const fewer = new Map([...recorded].filter(([operation]) => operation !== 'sshKey.generate'));
    expect(() => renderEndpointDocs({ kinds, recorded: fewer })).toThrow(/empty cell: .*sshKey\.generate/);
  });

  test('names the users of an operation: kinds with their fields, the engine, or only trueup call', () => {
    expect(usedBy.get('user.get')).toBe('`trueup plan`: whose API key it is');
    expect(usedBy.get('sshKey.update')).toBe('[sshKey](kinds/ssh-key.md): update `name`, `description`');
    expect(usedBy.get('application.saveDockerProvider')).toBe(
      '[application](kinds/application.md): update `source.type`, `source.image`, `source.username`, `source.password`, `source.registryUrl`',
    );
    expect(usedBy.get('compose.one')).toMatch(/\[compose\].*: read.*\[domain\].*: list/);
    expect(usedBy.get('compose.update')).toMatch(/update `name`.*; move$/);
    expect(usedBy.get('postgres.changePassword')).toBe('[postgres](kinds/postgres.md): update `databasePassword`');
    expect(usedBy.get('compose.delete')).toBe('[compose](kinds/compose.md): delete `deleteVolumes`');
    expect(usedBy.get('stripe.getProducts')).toBe('`trueup call`');
  });

  test('calls no operation unused that a plan, an apply or a destruction sends', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-endpoints-'));
    cpSync(join(root, 'examples/everything'), folder, { recursive: true });
    const made = bench({ folder });
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.yaml')) continue;
      const secrets = readFileSync(join(folder, path), 'utf8').matchAll(/\$\{secret:(\w+)\}/g);
      for (const [, name = ''] of secrets) made.secrets[name] = `canary-${name}`;
    }
    made.secrets.EVERYTHING_SLACK_WEBHOOK = 'https://hooks.test/canary-of-a-hook';
    made.secrets.EVERYTHING_SSH_KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n';
    await made.apply({}, { adoption: true, dataLoss: true });
    await made.destroy({});
    const sent = new Set(made.emulator.log.map(({ operation }) => operation));
    expect(sent.size).toBeGreaterThan(50);
    expect([...sent].filter((operation) => usedBy.get(operation) === '`trueup call`')).toEqual([]);
  });

  test('has every field of every kind with the operations that carry it', () => {
    const rows = tableRows(text, 'kind');
    expect(rows).toHaveLength(kinds.reduce((count, kind) => count + Object.keys(kind.fields).length, 0));
    const row = (kind: string, field: string) =>
      rows.find(([k = '', f]) => k.startsWith(`[${kind}]`) && f === `\`${field}\``);
    expect(row('domain', 'enabled')?.slice(2)).toEqual(['after it: `domain.update`', '`domain.update`']);
    expect(row('certificate', 'autoRenew')?.slice(2)).toEqual(['`certificates.create`', 'a new object']);
    expect(row('application', 'name')?.slice(2)).toEqual(['`application.create`', '`application.update`']);
    expect(row('github', 'githubAppName')?.slice(2)).toEqual(['never created', '`github.update`']);
    expect(row('postgres', 'databasePassword')?.[3]).toBe('`postgres.update` or `postgres.changePassword`');
  });
});
