import * as z from 'zod';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import { json, text, idSet } from '../kind/codecs.ts';
import type { KindCommand } from '../kind/kind-command.ts';
import type { Field } from '../kind/field.ts';
import { defineKind } from '../kind/kind.ts';
import { port } from '../kind/value-forms.ts';
import { nameField } from './families/service-fields.ts';
import { inOrganization } from './families/parent-links.ts';

/** What happens on the platform and is reported. An update sends every field: the platform drops some that it leaves out. */
const event = (what: string): Field => ({
  schema: () => z.boolean().describe(`Whether it reports ${what}.`),
  atCreate: false,
  inEveryUpdate: true,
  examples: [true, false],
});

/** A field of a channel; the row has it in the member that is called like the channel. */
const part = (name: string, field: Field): Field => ({
  ...field,
  readAt: `{notificationType}.${name}`,
  inEveryUpdate: true,
});
const word = (name: string, what: string, examples: Field['examples']): Field =>
  part(name, { schema: () => z.string().min(1).describe(what), takesSecrets: true, examples });
const credential = (name: string, what: string): Field =>
  part(name, {
    schema: () => z.string().min(1).describe(what),
    secrecy: 'secret',
    examples: ['correct-horse-1', 'battery-staple-2'],
  });
/** Text that a create requires and that may be empty. */
const optional = (name: string, what: string, examples: Field['examples']): Field =>
  part(name, { schema: () => z.string().describe(what), codec: text, atCreate: '', takesSecrets: true, examples });

const web = { webhookUrl: 'webhookUrl' };
const mail = { fromAddress: 'fromAddress', toAddresses: 'toAddresses' };

/** The fields of each channel. */
const cases = {
  slack: { ...web, channel: 'channel' },
  telegram: { botToken: 'botToken', chatId: 'chatId', messageThreadId: 'messageThreadId' },
  discord: { ...web, decoration: 'decoration' },
  email: { smtpServer: 'smtpServer', smtpPort: 'smtpPort', username: 'username', password: 'password', ...mail },
  resend: { apiKey: 'apiKey', ...mail },
  gotify: { serverUrl: 'serverUrl', appToken: 'appToken', priority: 'priority', decoration: 'decoration' },
  ntfy: { serverUrl: 'serverUrl', topic: 'topic', accessToken: 'accessToken', priority: 'priority' },
  mattermost: { ...web, channel: 'channel', username: 'username' },
  custom: { endpoint: 'endpoint', headers: 'headers' },
  lark: web,
  teams: web,
  pushover: { userKey: 'userKey', apiToken: 'apiToken', priority: 'priority', retry: 'retry', expire: 'expire' },
} as const;

const words: Readonly<Record<keyof typeof cases, string>> = {
  slack: 'A channel of Slack, by a webhook.',
  telegram: 'A chat of Telegram, by a bot; a test passes in any case.',
  discord: 'A channel of Discord, by a webhook.',
  email: 'Mails, by an SMTP server.',
  resend: 'Mails, by Resend.',
  gotify: 'An application of Gotify.',
  ntfy: 'A topic of ntfy.',
  mattermost: 'A channel of Mattermost, by a webhook.',
  custom: 'Any address that takes a POST with JSON.',
  lark: 'A group of Lark, by a webhook; a test passes in any case.',
  teams: 'A channel of Microsoft Teams, by a webhook.',
  pushover: 'A user of Pushover.',
};

const channels = Object.keys(cases) as (keyof typeof cases)[]; // the keys of a literal

const tests = {
  slack: 'notification.testSlackConnection',
  telegram: 'notification.testTelegramConnection',
  discord: 'notification.testDiscordConnection',
  email: 'notification.testEmailConnection',
  resend: 'notification.testResendConnection',
  gotify: 'notification.testGotifyConnection',
  ntfy: 'notification.testNtfyConnection',
  mattermost: 'notification.testMattermostConnection',
  custom: 'notification.testCustomConnection',
  lark: 'notification.testLarkConnection',
  teams: 'notification.testTeamsConnection',
  pushover: 'notification.testPushoverConnection',
} as const;

/** A message that the platform sends about what happens on it, through one of twelve channels. */
export const notification = defineKind({
  kind: 'notification',
  section: 'notifications',
  alsoCalled: ['notification', 'alerts', 'alert', 'webhooks', 'notify'],
  summary: 'A message that the platform sends about what happens on it, through one of twelve channels.',
  identity: { id: 'notificationId', key: ['notificationType', 'name'], keyField: 'name', idFrom: 'list' },
  parents: inOrganization('notification.all'),
  fields: {
    name: { ...nameField('team', 'on-call'), inEveryUpdate: true },
    appDeploy: event('deployments that are done'),
    appBuildError: event('deployments that fail'),
    databaseBackup: event('backups of databases'),
    volumeBackup: event('volume backups'),
    dokployRestart: event('restarts of the platform'),
    dokployBackup: event('backups of the platform itself'),
    dockerCleanup: event('clean-ups of Docker'),
    serverThreshold: event('servers over their thresholds (an older platform ignores it for Gotify and ntfy)'),
    notificationType: {
      schema: () => z.enum(channels).describe('Channel.'),
      onChange: 'replace',
      needed: true,
      examples: ['slack', 'discord'],
    },
    webhookUrl: part('webhookUrl', {
      schema: () => z.url().describe('Address of the webhook; whoever knows it can write there.'),
      secrecy: 'secret',
      examples: ['https://hooks.test/correct-horse-1', 'https://hooks.test/battery-staple-2'],
    }),
    channel: optional('channel', 'Channel, if not the one of the webhook.', ['#deploys', '#alerts']),
    botToken: credential('botToken', 'Token of the bot.'),
    chatId: word('chatId', 'Id of the chat.', ['-100123', '-100124']),
    messageThreadId: optional('messageThreadId', 'Id of the topic in the chat; empty for none.', ['7', '8']),
    decoration: part('decoration', {
      schema: () => z.boolean().describe('Whether messages have emojis.'),
      atCreate: true,
      examples: [false, true],
    }),
    smtpServer: word('smtpServer', 'SMTP server.', ['smtp.test', 'smtp-2.test']),
    smtpPort: part('smtpPort', { schema: () => port.describe('Port of the SMTP server.'), examples: [587, 465] }),
    username: word('username', 'User at the mail server; in Mattermost, the name that messages come from.', [
      'reports',
      'platform',
    ]),
    password: credential('password', 'Password at the mail server.'),
    fromAddress: word('fromAddress', 'Address that mails come from.', ['platform@example.test', 'ops@example.test']),
    toAddresses: part('toAddresses', {
      schema: () => z.array(z.string().min(1)).min(1).describe('Addresses that mails go to.'),
      codec: idSet,
      takesSecrets: true,
      examples: [['team@example.test'], ['team@example.test', 'on-call@example.test']],
    }),
    apiKey: credential('apiKey', 'API key of Resend.'),
    serverUrl: word('serverUrl', 'Address of the server.', ['https://push.test', 'https://push-2.test']),
    appToken: credential('appToken', 'Token of the application.'),
    topic: word('topic', 'Topic.', ['deploys', 'alerts']),
    accessToken: part('accessToken', {
      schema: () => z.string().describe('Access token; empty for a topic without one.'),
      codec: text,
      secrecy: 'secret',
      atCreate: '',
      examples: ['correct-horse-1', 'battery-staple-2'],
    }),
    priority: part('priority', {
      schema: () => z.int32().min(-2).describe('Priority: from 1 on; of Pushover, -2 to 2.'),
      examples: [1, 2],
    }),
    endpoint: word('endpoint', 'Address that gets the messages.', ['https://hooks.test/a', 'https://hooks.test/b']),
    headers: part('headers', {
      schema: () => z.record(z.string(), z.string()).describe('Headers of each message.'),
      codec: json,
      secrecy: 'secret',
      onNull: { value: {} },
      examples: [{ Authorization: 'correct-horse-1' }, { Authorization: 'battery-staple-2' }],
    }),
    userKey: credential('userKey', 'Key of the user or group.'),
    apiToken: credential('apiToken', 'Token of the application.'),
    retry: part('retry', {
      schema: () => z.int32().min(30).describe('Seconds between repetitions, with priority 2.'),
      examples: [60, 120],
    }),
    expire: part('expire', {
      schema: () =>
        z.number().int().min(1).max(10_800).describe('Seconds after which repetitions end, with priority 2.'),
      examples: [3600, 7200],
    }),
  },
  unions: [
    {
      tag: 'notificationType',
      at: 'to',
      describe: 'Channel, and what it needs.',
      words,
      cases,
      creates: {
        slack: 'notification.createSlack',
        telegram: 'notification.createTelegram',
        discord: 'notification.createDiscord',
        email: 'notification.createEmail',
        resend: 'notification.createResend',
        gotify: 'notification.createGotify',
        ntfy: 'notification.createNtfy',
        mattermost: 'notification.createMattermost',
        custom: 'notification.createCustom',
        lark: 'notification.createLark',
        teams: 'notification.createTeams',
        pushover: 'notification.createPushover',
      },
      calls: {
        slack: 'notification.updateSlack',
        telegram: 'notification.updateTelegram',
        discord: 'notification.updateDiscord',
        email: 'notification.updateEmail',
        resend: 'notification.updateResend',
        gotify: 'notification.updateGotify',
        ntfy: 'notification.updateNtfy',
        mattermost: 'notification.updateMattermost',
        custom: 'notification.updateCustom',
        lark: 'notification.updateLark',
        teams: 'notification.updateTeams',
        pushover: 'notification.updatePushover',
      },
      alsoCalled: { mail: 'email', smtp: 'email', webhook: 'custom', http: 'custom', msteams: 'teams', feishu: 'lark' },
    },
  ],
  operations: {
    create: 'notification.createSlack',
    read: 'notification.one',
    update: 'notification.updateSlack',
    delete: 'notification.remove',
  },
  lifecycle: { createBeforeDestroy: {} },
  commands: {
    test: [
      ...channels.map((type): KindCommand => ({
        when: { notificationType: type },
        call: tests[type],
        with: Object.fromEntries(Object.keys(cases[type]).map((name) => [name, `${type}.${name}`])),
        isTest: true,
      })),
      {
        cannot: 'Trueup does not know its channel',
        remedy: 'Test it in the platform, under Notifications.',
      },
    ],
  },
  checks: { each: (self) => mistakes(self) },
  examples: [
    'team:\n  appBuildError: true\n  to: { type: slack, webhookUrl: "${secret:SLACK_WEBHOOK}", channel: "#deploys" }\n',
  ],
});

/** What one channel takes and another does not. */
function mistakes({ address, values, unknown = [] }: CheckedResource): Problem[] {
  const { notificationType: type, priority } = values;
  const problem = (field: string, message: string, remedy: string): Problem[] => [
    { code: 'inconsistent', address, field, message, remedy },
  ];
  const isPush = type === 'gotify' || type === 'ntfy';
  return [
    ...(isPush && typeof priority === 'number' && priority < 1
      ? problem('priority', `priority of ${type} must be at least 1, got ${priority}`, 'Write 1 or more.')
      : []),
    ...(type === 'pushover' && typeof priority === 'number' && priority > 2
      ? problem('priority', `priority of pushover must be -2 to 2, got ${priority}`, 'Write 2 or less.')
      : []),
    ...(type === 'pushover' &&
    priority === 2 &&
    ['retry', 'expire'].some((name) => values[name] === undefined && !unknown.includes(name))
      ? problem('priority', 'priority 2 of pushover needs retry and expire', 'Add retry and expire, in seconds.')
      : []),
  ];
}
