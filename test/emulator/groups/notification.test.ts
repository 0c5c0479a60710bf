import { expect, test } from 'vitest';
import type { Row } from '../../../src/emulator/json-rows.ts';
import { replays } from '../extension-samples.ts';
import { openWorld } from '../people.ts';

/** The recorded notifications: their ids, and those of their rows in the table of the channel. */
const recorded: readonly (readonly [type: string, notificationId: string, channelId: string, channel: Row])[] = [
  [
    'slack',
    'sZgpzmPbKbGeoTVZ_7NfU',
    'QNErnGJ8fAhr7Rblt4_J8',
    { webhookUrl: 'https://hooks.slack.example/fake', channel: '#c' },
  ],
  [
    'telegram',
    'bseBZvsBU2sQ19WtKqIoB',
    'rZncxHh9gVPRzzFawJi2c',
    { botToken: 'fake-token', chatId: '1', messageThreadId: '' },
  ],
  [
    'discord',
    'gHK5B_ISpBlQeMe663ldG',
    'chgeGmZ_sowHYsojIPWnI',
    { webhookUrl: 'https://discord.example/fake', decoration: true },
  ],
  [
    'email',
    'ctvaIy2VE7ouv4M27v_Kr',
    'C7VGxiwNCRuExYaJJ_DKu',
    {
      smtpServer: '127.0.0.1',
      smtpPort: 9,
      username: 'u',
      password: 'fake-password',
      fromAddress: 'a@example.com',
      toAddresses: ['b@example.com'],
    },
  ],
  [
    'resend',
    '1vVQV7j1ABTlxrA2MP_y_',
    '95Hqu41u8cMngGCSMWKVC',
    { apiKey: 're_fake', fromAddress: 'a@example.com', toAddresses: ['b@example.com'] },
  ],
  [
    'gotify',
    'Zzg4NtaB4WGV1IT7627XX',
    'eKnbqOpqG16LMv0UIJ4t9',
    { serverUrl: 'http://127.0.0.1:9', appToken: 'fake', priority: 5, decoration: true },
  ],
  [
    'ntfy',
    'UNNR-IuEqOUFaN-WRA5_k',
    'MeluOg1Mm653OD0i37wZp',
    { serverUrl: 'http://127.0.0.1:9', topic: 't', accessToken: 'fake', priority: 3 },
  ],
  [
    'mattermost',
    'eeuAUOq9bbnen_97chon4',
    'HxJWthx1eZA4W3fgTIPy5',
    { webhookUrl: 'http://127.0.0.1:9/hook', channel: null, username: null },
  ],
  [
    'custom',
    'kmLdvSEfe0iwrOrM2OkU8',
    'n-Ef1mqLhVw6ySYFPxN5U',
    { endpoint: 'http://127.0.0.1:9/x', headers: { 'X-A': '1' } },
  ],
  ['lark', 'xifSNPWTXl-4r0rMHZ6bS', 'mNF1jSmsOyrRFLFjCWvP4', { webhookUrl: 'http://127.0.0.1:9/lark' }],
  ['teams', '73zYqwzg6kPArU2Sk6E34', 'DlefNRRyJlf1YTJcuBsM7', { webhookUrl: 'http://127.0.0.1:9/teams' }],
  [
    'pushover',
    '6J_r63fASseWSwXasTl8V',
    'MKRXSxg0D_mkxiLOFzTlB',
    { userKey: 'fake-user', apiToken: 'fake-token', priority: 0, retry: null, expire: null },
  ],
  [
    'ntfy',
    'i8I7uY8v6w3ydpuBjJrQE',
    '9UqEx5yxzdgOD6GwVcbtL',
    { serverUrl: 'http://127.0.0.1:9', topic: 't', accessToken: null, priority: 3 },
  ],
  [
    'custom',
    'cYmsIxnzBkCgjoMRCKoK8',
    '7rFk07mWXe0cANspfXOiS',
    { endpoint: 'http://127.0.0.1:9/x', headers: { a: 'b' } },
  ],
  [
    'gotify',
    'R8PuY5o3TNswG6vQQBy9a',
    'TXHVOFKFYbdV7iYUbOQsW',
    { serverUrl: 'http://127.0.0.1:9', appToken: 'fake', priority: 5, decoration: true },
  ],
  ['lark', 'n3E248_7yP7FthKuBfPNb', 'UIhEHcd9PeX0moUebUmUU', { webhookUrl: 'http://127.0.0.1:9/lark' }],
  ['mattermost', 'bthACdgSWJcwjyJl1axJ4', 'h3CSHtD6WHePdzK6t5RIs', { webhookUrl: 'http://127.0.0.1:9/hook' }],
  [
    'ntfy',
    '4ob9KyOcK71Kou0mHmjBZ',
    'XHiDR5kLyFx3SqhTjM-GG',
    { serverUrl: 'http://127.0.0.1:9', topic: 't', accessToken: 'fake', priority: 3 },
  ],
  [
    'pushover',
    'TtdyDdRXX_KVT1kh6hWtb',
    'd8gKMP__F9AOoXZsDSYTf',
    { userKey: 'fake-user', apiToken: 'fake-token', priority: 0 },
  ],
  [
    'slack',
    'YxFQFl-mCn3bzkYSdK8s9',
    '_7uu1KiWlbjasu9QwdTpo',
    { webhookUrl: 'https://hooks.slack.example/fake', channel: '#c' },
  ],
  ['teams', 'eQ2jYXsKSwQD5kJDZU3Lc', '0PyzUDr_npdI3tEagyg9Q', { webhookUrl: 'http://127.0.0.1:9/teams' }],
  [
    'telegram',
    '95HnZt2nCCy3DJyK7kYBE',
    'lnQDjNEzP2n_JRgxjts54',
    { botToken: 'fake-token', chatId: '1', messageThreadId: '' },
  ],
];

replays('notification', {
  rows: recorded.map(([notificationType, notificationId, channelId, channel]) => [
    'notification',
    {
      notificationId,
      name: 'n',
      notificationType,
      channelId,
      channel,
      organizationId: 'org_1',
      createdAt: '2026-01-01T00:00:00.000Z',
    },
  ]),
  preparations: {
    'notification.remove/again': (emulator) =>
      emulator.act('notification.remove', { notificationId: 'sZgpzmPbKbGeoTVZ_7NfU' }),
    // Somebody of another organization updated it.
    'notification.one/ntfy after updates': ({ world }) =>
      Promise.resolve(
        Object.assign(world.tables.notification['UNNR-IuEqOUFaN-WRA5_k'] ?? {}, { organizationId: 'elsewhere' }),
      ),
    'notification.one/custom with empty headers': (emulator) =>
      emulator.act('notification.updateCustom', {
        notificationId: 'kmLdvSEfe0iwrOrM2OkU8',
        customId: 'n-Ef1mqLhVw6ySYFPxN5U',
        headers: {},
      }),
  },
  differences: {
    'notification.createSlack/switch null': 'the emulator takes no null as false',
  },
});

test('an update of ntfy without its token loses it, and a foreign one takes the notification away', async () => {
  const { call } = openWorld();
  const switches = Object.fromEntries(
    'appDeploy appBuildError databaseBackup volumeBackup dokployRestart dokployBackup dockerCleanup'
      .split(' ')
      .map((name) => [name, false]),
  );
  await call('notification.createNtfy', {
    name: 'n',
    ...switches,
    serverUrl: 'https://push.test',
    topic: 't',
    accessToken: 'token',
    priority: 3,
  });
  const [row] = (await call('notification.all')).body as unknown as Row[];
  const { notificationId = '', ntfyId = '', ntfy = null } = row ?? {};
  expect(ntfy).toMatchObject({ accessToken: 'token' });
  await call('notification.updateNtfy', { notificationId, ntfyId, name: 'm' });
  const after = (await call('notification.one', { notificationId })).body;
  expect(after).toMatchObject({ name: 'm', ntfy: { accessToken: null, topic: 't' } });
});
