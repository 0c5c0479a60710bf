import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { Json, Row } from '../../src/formats/json.ts';
import { observedValue } from '../../src/kind/row-values.ts';
import { notification } from '../../src/resources/notification.ts';
import { applyThrough, bulkClient } from '../support/bulk.ts';
import { everything } from '../support/faults.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Notifications through each of the channels. */

const [union] = notification.unions ?? [];
const channels = Object.keys(union?.cases ?? {});

/** A block with one of the two examples of each field of a channel. */
function block(type: string, which: 0 | 1, more: Readonly<Record<string, Json>> = {}): string {
  const names = Object.values(union?.cases[type] ?? {});
  const to = Object.fromEntries(names.map((name) => [name, notification.fields[name]?.examples[which] ?? null]));
  return `${head}notifications: ${JSON.stringify({ team: { appDeploy: which === 0, to: { type, ...to }, ...more } })}\n`;
}

async function applied(made: Bench, text: string): Promise<string[]> {
  made.requests('POST');
  const { outcomes } = await made.apply(text, everything);
  expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
  const posts = made.requests('POST');
  expect((await made.plan(text)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  return posts;
}

const rows = async (made: Bench) => (await made.emulator.act('notification.all')) as Row[];

describe.each(channels)('%s', (type) => {
  const word = type.charAt(0).toUpperCase() + type.slice(1);

  test('is created, updated and repaired with its own operations, each time with all of its fields', async () => {
    const made = bench();
    expect(await applied(made, block(type, 0))).toEqual([`notification.create${word}`]);
    const [before] = await rows(made);
    expect(await applied(made, block(type, 1))).toEqual([`notification.update${word}`]);
    const [after, ...others] = await rows(made);
    expect(others).toEqual([]);
    expect(after?.notificationId).toBe(before?.notificationId);
    for (const name of Object.values(union?.cases[type] ?? {}))
      expect([name, observedValue(notification, name, after ?? {})]).toEqual([
        name,
        notification.fields[name]?.examples[1],
      ]);
    const renaming = { name: 'other', serverThreshold: true };
    expect(await applied(made, block(type, 1, renaming))).toEqual([`notification.update${word}`]);
    const [renamed] = await rows(made);
    expect(renamed?.['serverThreshold']).toBe(true);
    expect({ ...renamed, name: 'team', serverThreshold: false }).toEqual(after);
  });

  test('is replaced by another channel, the new one first', async () => {
    const made = bench();
    await applied(made, block(type, 0));
    const other = type === 'custom' ? 'teams' : 'custom';
    const created = `notification.create${other.charAt(0).toUpperCase()}${other.slice(1)}`;
    expect(await applied(made, block(other, 0))).toEqual([created, 'notification.remove']);
  });
});

test.each(['gotify', 'ntfy'])('%s on a platform that ignores serverThreshold: what to do is said', async (type) => {
  const made = bench();
  const text = block(type, 0, { serverThreshold: true });
  const send: Send = ({ body, ...request }) =>
    made.emulator.send({ ...request, body: body?.replace('"serverThreshold":true', '"serverThreshold":false') });
  const { client } = bulkClient(made, send, { bulk: false });
  const notes = async () => {
    const { outcomes } = await applyThrough(made, text, client);
    return outcomes.map(({ result, diagnostics }) => [result, ...diagnostics.map(({ remedy }) => remedy)]);
  };
  expect(await notes()).toEqual([['ignored', 'Apply again: Trueup writes an ignored value once more.']]);
  expect(await notes()).toEqual([
    ['ignored', 'Change the value, or leave the line out: Trueup does not write this value again.'],
  ]);
  made.requests('POST');
  expect(await applied(made, text)).toEqual([]);
  expect(await rows(made)).toMatchObject([{ name: 'team', serverThreshold: false }]);
});

test.each([
  [
    'a priority that pushover does not have',
    block('pushover', 0).replace('"priority":1', '"priority":3'),
    'must be -2 to 2',
  ],
  [
    'a field of another channel',
    block('lark', 0).replace('"type":"lark"', '"type":"lark","topic":"t"'),
    'has no key to.topic',
  ],
])('%s is an error before anything is sent', async (_, text, said) => {
  await expect(bench().plan(text)).rejects.toThrow(said);
});

test('a channel without what it needs is an error before anything is sent', async () => {
  const attempt = bench().apply(`${head}notifications: { team: { to: { type: ntfy, topic: t } } }\n`);
  await expect(attempt).rejects.toThrow('to.serverUrl');
});
