import { callersOrganization, ownRows } from '../caller.ts';
import type { Group, Handler } from '../context.ts';
import { rowsOf, valuesToSet } from '../crud.ts';
import { ApiError, invalid } from '../error-answers.ts';
import { omit, pick, textOf, type Json, type Row } from '../json-rows.ts';
import { newestFirst } from '../newest-first.ts';
import { isOutOfReach } from '../reach.ts';
import { checkOrganization } from '../rules/rule.ts';

/** One of the channels that a notification can go through. */
interface Channel {
  /** As operations call it. */
  readonly word: string;
  /** Its columns, with what a new row has where nothing is said. */
  readonly columns: Row;
  /** An update answers every failure 400, with one message. */
  readonly hidesFailures?: true;
  /** An update is not checked for the organization, and writes that of the caller. */
  readonly isUnchecked?: true;
  /** A test answers true in any case. */
  readonly passesTests?: true;
}

const hidesFailures = { hidesFailures: true } as const;
const isUnchecked = { isUnchecked: true } as const;

const channels: Readonly<Record<string, Channel>> = {
  slack: { word: 'Slack', columns: { webhookUrl: '', channel: null } },
  telegram: {
    word: 'Telegram',
    columns: { botToken: '', chatId: '', messageThreadId: null },
    ...hidesFailures,
    passesTests: true,
  },
  discord: { word: 'Discord', columns: { webhookUrl: '', decoration: null }, ...hidesFailures },
  email: {
    word: 'Email',
    columns: { smtpServer: '', smtpPort: 0, username: '', password: '', fromAddress: '', toAddresses: [] },
    ...hidesFailures,
  },
  resend: { word: 'Resend', columns: { apiKey: '', fromAddress: '', toAddresses: [] }, ...hidesFailures },
  gotify: {
    word: 'Gotify',
    columns: { serverUrl: '', appToken: '', priority: 5, decoration: null },
    ...isUnchecked,
  },
  ntfy: { word: 'Ntfy', columns: { serverUrl: '', topic: '', accessToken: null, priority: 3 }, ...isUnchecked },
  mattermost: { word: 'Mattermost', columns: { webhookUrl: '', channel: null, username: null }, ...isUnchecked },
  custom: { word: 'Custom', columns: { endpoint: '', headers: null } },
  lark: { word: 'Lark', columns: { webhookUrl: '' }, ...isUnchecked, passesTests: true },
  pushover: {
    word: 'Pushover',
    columns: { userKey: '', apiToken: '', priority: 0, retry: null, expire: null },
    ...isUnchecked,
  },
  teams: { word: 'Teams', columns: { webhookUrl: '' }, ...isUnchecked },
};

const perChannel: readonly [operation: string, handler: Handler][] = Object.entries(channels).flatMap(
  ([type, channel]): [string, Handler][] => [
    [`notification.create${channel.word}`, create(type, channel)],
    [`notification.update${channel.word}`, update(type, channel)],
    [`notification.test${channel.word}Connection`, attempt(channel)],
  ],
);

const { find } = rowsOf('notification', 'Notification');

/** The `notification` group. Nothing is ever sent. */
export const notification: Group = {
  ...Object.fromEntries(perChannel),

  'notification.one'(context, input) {
    const row = find(context, input);
    checkOrganization(context, row, 'notification', 'UNAUTHORIZED', 'access');
    return view(row);
  },

  'notification.all': (context) => newestFirst(ownRows(context, 'notification')).map(view),

  // All of them, whatever their channel.
  'notification.getEmailProviders': (context) =>
    newestFirst(ownRows(context, 'notification')).map((row) => ({
      ...columnsOf(row),
      ...pick(view(row), ['email', 'resend']),
    })),

  // What the monitoring of a machine reports, under the token of its server; the platform's own has none here.
  'notification.receiveNotification'({ store }, input) {
    const tokens = Object.values(store.world.tables.server).map(({ metricsConfig }) => tokenIn(metricsConfig));
    if (input['ServerType'] === 'Dokploy' || !tokens.includes(textOf(input, 'Token')))
      throw new ApiError('BAD_REQUEST', 'Error sending the notification');
    return undefined;
  },

  'notification.remove'(context, input) {
    const row = find(context, input);
    checkOrganization(context, row, 'notification', 'UNAUTHORIZED', 'delete');
    context.store.remove('notification', row['notificationId']);
    return columnsOf(row);
  },
};

/** The operations that answer every failure 400. */
export const notificationsThatHideFailures: readonly string[] = [
  'notification.remove',
  ...Object.values(channels).map(({ word }) => `notification.test${word}Connection`),
];

// Answers nothing: the new id shows only in the list.
function create(notificationType: string, { columns }: Channel): Handler {
  return (context, input) => {
    checkPriority(notificationType, input);
    const notificationId = context.newId();
    context.store.insert('notification', {
      ...omit(input, Object.keys(columns)),
      notificationId,
      notificationType,
      createdAt: context.now(),
      organizationId: callersOrganization(context),
      channelId: `${notificationId}-${notificationType}`,
      channel: { ...columns, ...sent(input, columns) },
    });
    return undefined;
  };
}

/** At least one field of the channel has to be sent; a channel row that is not its own stays as it is. */
function update(type: string, { columns, hidesFailures, isUnchecked }: Channel): Handler {
  return (context, input) => {
    try {
      const row = find(context, input);
      if (isUnchecked !== true) checkOrganization(context, row, 'notification', 'UNAUTHORIZED', 'update');
      const named = sent(input, columns);
      if (type === 'ntfy') named['accessToken'] ||= null;
      const values = valuesToSet(named, []);
      checkPriority(type, input);
      const isOwn = row['channelId'] === input[`${type}Id`];
      context.store.update('notification', row['notificationId'], {
        ...omit(input, [...Object.keys(columns), 'notificationId', 'organizationId']),
        ...(isUnchecked === true ? { organizationId: callersOrganization(context) } : {}),
        ...(isOwn ? { channel: { ...(row['channel'] as Row), ...values } } : {}), // a column that holds a row
      });
      return undefined;
    } catch (error) {
      if (hidesFailures !== true || !(error instanceof ApiError)) throw error;
      throw new ApiError('BAD_REQUEST', 'Error updating the notification', error.issues);
    }
  };
}

function attempt({ passesTests }: Channel): Handler {
  return (_context, input) => {
    if (passesTests !== true && isOutOfReach(...Object.values(input)))
      throw new ApiError('BAD_REQUEST', 'Error testing the notification: fetch failed');
    return true;
  };
}

/** Pushover repeats a message of the highest priority: `retry` says how often, `expire` how long. */
function checkPriority(type: string, { priority, retry = null, expire = null }: Row): void {
  if (type === 'pushover' && priority === 2 && (retry === null || expire === null))
    throw invalid('retry', 'Retry and expire are required for emergency priority (2)');
}

/** The columns of a channel that an input names. */
function sent(input: Row, columns: Row): Row {
  return Object.fromEntries(Object.entries(input).filter(([name]) => Object.hasOwn(columns, name)));
}

/** A row as the platform's table has it: an id for each channel, all but one null. */
function columnsOf(row: Row): Row {
  const ids = Object.keys(channels).map((type): [string, Json] => [
    `${type}Id`,
    row['notificationType'] === type ? (row['channelId'] ?? null) : null,
  ]);
  return { ...omit(row, ['channel', 'channelId']), ...Object.fromEntries(ids) };
}

/** The same with the row of its channel, and null for every other channel. */
function view(row: Row): Row {
  const rows = Object.keys(channels).map((type): [string, Json] => [
    type,
    row['notificationType'] === type
      ? { [`${type}Id`]: row['channelId'] ?? null, ...(row['channel'] as Row) } // a column that holds a row
      : null,
  ]);
  return { ...columnsOf(row), ...Object.fromEntries(rows) };
}

function tokenIn(metricsConfig: Json | undefined): Json | undefined {
  const { server } = (metricsConfig ?? {}) as Row; // a column that holds an object
  return (server as Row | undefined)?.['token'];
}
