import * as z from 'zod';
import { get, post } from '../endpoint.ts';

const text = z.string().min(1);
const addresses = z.array(z.string()).min(1);

/** What is reported, and the name. */
const report = () => ({
  appBuildError: z.boolean(),
  databaseBackup: z.boolean(),
  dokployBackup: z.boolean(),
  volumeBackup: z.boolean(),
  dokployRestart: z.boolean(),
  name: z.string(),
  appDeploy: z.boolean(),
  dockerCleanup: z.boolean(),
});

/** The same for the channels that also report the load of servers. */
const fullReport = () => ({ ...report(), serverThreshold: z.boolean() });

/** The same where a create may leave all of it out but the name. */
const optionalReport = () => ({ ...partial(fullReport()), name: z.string() });

/** What an update of every channel takes beside its report and its fields. */
const which = () => ({ notificationId: text, organizationId: z.string().optional() });

/** Members that may each be left out: as an update takes them. */
function partial<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).partial().shape;
}

const slack = () => ({ webhookUrl: text, channel: z.string() });
const telegram = () => ({ botToken: text, chatId: text, messageThreadId: z.string() });
const discord = () => ({ webhookUrl: text, decoration: z.boolean() });
const mail = () => ({ fromAddress: text, toAddresses: addresses });
const email = () => ({ smtpServer: text, smtpPort: z.number().min(1), username: text, password: text, ...mail() });
const resend = () => ({ apiKey: text, ...mail() });
const gotify = () => ({ serverUrl: text, appToken: text, priority: z.number().min(1), decoration: z.boolean() });
const ntfy = () => ({ serverUrl: text, topic: text, accessToken: z.string(), priority: z.number().min(1) });
const mattermost = () => ({ webhookUrl: z.url(), channel: z.string().optional(), username: z.string().optional() });
const custom = () => ({ endpoint: text, headers: z.record(z.string(), z.string()).optional() });
const web = () => ({ webhookUrl: text });
const pushover = () => ({
  userKey: text,
  apiToken: text,
  priority: z.number().min(-2).max(2),
  retry: z.number().min(30).nullable().optional(),
  expire: z.number().min(1).max(10800).nullable().optional(),
});

/** Operations of the `notification` group beyond the API document. */
export const notification = {
  'notification.createSlack': post(() => ({ ...fullReport(), ...slack() })),
  'notification.updateSlack': post(() => ({
    ...partial({ ...fullReport(), ...slack() }),
    ...which(),
    slackId: z.string(),
  })),
  'notification.testSlackConnection': post(slack),
  'notification.createTelegram': post(() => ({ ...fullReport(), ...telegram() })),
  'notification.updateTelegram': post(() => ({
    ...partial({ ...fullReport(), ...telegram() }),
    ...which(),
    telegramId: text,
  })),
  'notification.testTelegramConnection': post(telegram),
  'notification.createDiscord': post(() => ({ ...fullReport(), ...discord() })),
  'notification.updateDiscord': post(() => ({
    ...partial({ ...fullReport(), ...discord() }),
    ...which(),
    discordId: text,
  })),
  'notification.testDiscordConnection': post(() => ({ ...discord(), decoration: z.boolean().optional() })),
  'notification.createEmail': post(() => ({ ...fullReport(), ...email() })),
  'notification.updateEmail': post(() => ({ ...partial({ ...fullReport(), ...email() }), ...which(), emailId: text })),
  'notification.testEmailConnection': post(email),
  'notification.createResend': post(() => ({ ...fullReport(), ...resend() })),
  'notification.updateResend': post(() => ({
    ...partial({ ...fullReport(), ...resend() }),
    ...which(),
    resendId: text,
  })),
  'notification.testResendConnection': post(resend),
  'notification.remove': post(() => ({ notificationId: text })),
  'notification.one': get(() => ({ notificationId: text })),
  'notification.all': get(() => ({})),
  'notification.receiveNotification': post(() => ({
    ServerType: z.enum(['Dokploy', 'Remote']).default('Dokploy'),
    Type: z.enum(['Memory', 'CPU']),
    Value: z.number(),
    Threshold: z.number(),
    Message: z.string(),
    Timestamp: z.string(),
    Token: z.string(),
  })),
  'notification.createGotify': post(() => ({ ...report(), ...gotify() })),
  'notification.updateGotify': post(() => ({ ...partial({ ...report(), ...gotify() }), ...which(), gotifyId: text })),
  'notification.testGotifyConnection': post(() => ({ ...gotify(), decoration: z.boolean().optional() })),
  'notification.createNtfy': post(() => ({ ...report(), ...ntfy() })),
  'notification.updateNtfy': post(() => ({ ...partial({ ...report(), ...ntfy() }), ...which(), ntfyId: text })),
  'notification.testNtfyConnection': post(ntfy),
  'notification.createMattermost': post(() => ({ ...fullReport(), ...mattermost() })),
  'notification.updateMattermost': post(() => ({
    ...partial({ ...fullReport(), ...mattermost() }),
    ...which(),
    mattermostId: text,
  })),
  'notification.testMattermostConnection': post(mattermost),
  'notification.createCustom': post(() => ({ ...optionalReport(), ...custom() })),
  'notification.updateCustom': post(() => ({
    ...partial({ ...fullReport(), ...custom() }),
    ...which(),
    customId: text,
  })),
  'notification.testCustomConnection': post(custom),
  'notification.createLark': post(() => ({ ...fullReport(), ...web() })),
  'notification.updateLark': post(() => ({ ...partial({ ...fullReport(), ...web() }), ...which(), larkId: text })),
  'notification.testLarkConnection': post(web),
  'notification.createTeams': post(() => ({ ...fullReport(), ...web() })),
  'notification.updateTeams': post(() => ({ ...partial({ ...fullReport(), ...web() }), ...which(), teamsId: text })),
  'notification.testTeamsConnection': post(web),
  'notification.createPushover': post(() => ({
    ...optionalReport(),
    ...pushover(),
    priority: pushover().priority.default(0),
  })),
  'notification.updatePushover': post(() => ({
    ...partial({ ...fullReport(), ...pushover() }),
    ...which(),
    pushoverId: text,
  })),
  'notification.testPushoverConnection': post(pushover),
  'notification.getEmailProviders': get(() => ({})),
};
