import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import type { Contract, ServedOperation } from '../../src/api/contract.ts';
import { contracts, endpointOf, standardContract } from '../../src/api/contract.ts';
import { inTrueup, onWire } from '../../src/api/names.ts';
import type { WireRequest } from '../../src/api/wire.ts';

/** A platform with a vocabulary of its own: another path, and other names of members. */

const memberNames = { composeId: 'stackId', name: 'title', env: 'variables' };
const stacks: Contract = {
  profile: 'stacks',
  operations: new Map<string, ServedOperation>([
    ['compose.one', { path: 'v2/stacks', endpoint: endpointOf('compose.one'), memberNames }],
    ['compose.update', { path: 'v2/stacks.save', endpoint: endpointOf('compose.update'), memberNames }],
  ]),
};

function platform(contract?: Contract) {
  const sent: WireRequest[] = [];
  const client = createClient({
    send: (request) => {
      sent.push(request);
      const body = '{"stackId":"c1","title":"shop","domains":[{"host":"a","stackId":"c1"}],"labels":{"x":"title"}}';
      return Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body });
    },
    url: 'https://platform.example',
    apiKey: 'k',
    redact: (text) => text,
    ...(contract === undefined ? {} : { contract }),
  });
  return { client, sent };
}

describe('a client of another vocabulary', () => {
  test('sends paths and members by their names on the wire', async () => {
    const { client, sent } = platform(stacks);
    await client.call('compose.one', { composeId: 'c1' });
    await client.call('compose.update', { composeId: 'c1', name: 'shop', env: 'name=1' });
    expect(sent.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', '/api/v2/stacks?stackId=c1', undefined],
      ['POST', '/api/v2/stacks.save', '{"stackId":"c1","title":"shop","variables":"name=1"}'],
    ]);
    expect(client.counts).toEqual({ reads: 1, writes: 1 });
    expect(client.contract.profile).toBe('stacks');
  });

  test('gives answers by the names of Trueup, wherever they stand', async () => {
    expect(await platform(stacks).client.call('compose.one', { composeId: 'c1' })).toEqual({
      composeId: 'c1',
      name: 'shop',
      domains: [{ host: 'a', composeId: 'c1' }],
      labels: { x: 'title' },
    });
  });

  test('refuses an operation that the platform does not have, and sends nothing', async () => {
    const { client, sent } = platform(stacks);
    await expect(client.call('compose.deploy', { composeId: 'c1' })).rejects.toThrow(
      'the platform has no such operation',
    );
    expect(sent).toEqual([]);
  });

  test('checks an input by the names of Trueup', async () => {
    const wrong = platform(stacks).client.invoke('compose.one', { stackId: 'c1' });
    await expect(wrong).rejects.toThrow('composeId: Invalid input');
  });
});

describe('the documented vocabulary', () => {
  test('is the default of a client', async () => {
    const { client, sent } = platform();
    await client.call('compose.one', { composeId: 'c1' });
    expect(client.contract).toBe(standardContract);
    expect(contracts.standard).toBe(standardContract);
    expect(sent[0]?.path).toBe('/api/compose.one?composeId=c1');
  });

  test('has one name for each operation and member', () => {
    expect(standardContract.operations.size).toBe(192);
    for (const [name, { path, memberNames: names }] of standardContract.operations)
      expect([path, names]).toEqual([name, undefined]);
    const input = { a: 1 };
    expect(onWire({}, input)).toBe(input);
    expect(inTrueup({}, input)).toBe(input);
  });
});
