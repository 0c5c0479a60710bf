import { defined } from '../formats/json.ts';
import type { DriftNotificationDocument } from './document-schemas.ts';
import { subjectOf } from './drift-text.ts';
import { counted } from './fold-lines.ts';
import { shortened } from './notification-document.ts';

/** Messages in the forms of chats. Foreign texts stand in code or in literal texts: they mention and link nothing. */

/** Most findings that a chat lists, and most that are resolved. */
const maxFindings = 10;
const maxResolved = 5;

/** Longest subject of a line: an address with its field. Characters. */
const maxSubject = 200;

/** A message, in the order in which it is read. Only `subject` and `place` hold foreign text. */
export interface Chat {
  readonly title: string;
  readonly place: string;
  readonly lines: readonly { readonly subject: string; readonly words: string }[];
  readonly rest: string | undefined;
  readonly link: { readonly words: string; readonly url: string } | undefined;
  readonly mood: keyof typeof colours;
  /** ISO 8601. */
  readonly time: string;
}

/** The body of a message in the form of a chat. */
export const chatForms = { slack, discord, teams } as const satisfies Record<string, (chat: Chat) => unknown>;

/** The same of a message about drift. */
export const chats = {
  slack: (notification: DriftNotificationDocument) => slack(chatOf(notification)),
  discord: (notification: DriftNotificationDocument) => discord(chatOf(notification)),
  teams: (notification: DriftNotificationDocument) => teams(chatOf(notification)),
} as const;

/**
 * A message for an incoming webhook of Slack. A message has at most 50 blocks, a section 3,000 characters:
 * https://docs.slack.dev/reference/block-kit/blocks. In text, only `&`, `<` and `>` command:
 * https://docs.slack.dev/messaging/formatting-message-text
 */
function slack({ title, place, lines, rest, link }: Chat): unknown {
  // verbatim: Slack makes neither links nor mentions of what only looks like one.
  const text = (content: string) => ({ type: 'mrkdwn', text: content, verbatim: true });
  const section = (content: string) => ({ type: 'section', text: text(content) });
  const sections = joined(
    lines.map(({ subject, words }) => `• ${slackCode(subject)} ${words}`),
    3_000,
  );
  const open = link && `<${link.url}|${link.words}>`;
  const ending = [rest, open].filter((part) => part !== undefined);
  return {
    // What a screen without blocks shows.
    text: title,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title, emoji: false } },
      section(slackCode(place)),
      ...sections.map(section),
      ...(ending.length === 0 ? [] : [{ type: 'context', elements: ending.map(text) }]),
    ],
  };
}

/**
 * A message for a webhook of Discord. The texts of its embed have at most 6,000 characters, its title 256 and its
 * description 4,096: https://docs.discord.com/developers/resources/message#embed-object-embed-limits
 */
function discord({ title, place, lines, rest, link, mood, time }: Chat): unknown {
  const content = [
    markdownCode(place),
    ...lines.map(({ subject, words }) => `- ${markdownCode(subject)} ${words}`),
    ...(rest === undefined ? [] : [rest]),
  ];
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title,
        ...defined({ url: link?.url }),
        description: content.join('\n'),
        color: colours[mood],
        timestamp: time,
      },
    ],
  };
}

/** Red, grey and green. */
const colours = { bad: 0xc6_28_28, neutral: 0x75_75_75, good: 0x2e_7d_32 } as const;

/**
 * A card for a webhook of Teams, which Workflows makes ("When a Teams webhook request is received"). A message has at most
 * 28 KB. Text in a RichTextBlock is no Markdown: https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features
 */
function teams({ title, place, lines, rest, link }: Chat): unknown {
  const literal = (text: string, style: Readonly<Record<string, unknown>> = {}) => ({
    type: 'TextRun',
    text,
    ...style,
  });
  const block = (...inlines: readonly unknown[]) => ({ type: 'RichTextBlock', inlines });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [
            block(literal(title, { size: 'Large', weight: 'Bolder' })),
            block(literal(place, { isSubtle: true })),
            ...lines.map(({ subject, words }) =>
              block(literal(subject, { fontType: 'Monospace' }), literal(` ${words}`)),
            ),
            ...(rest === undefined ? [] : [block(literal(rest, { isSubtle: true }))]),
          ],
          ...defined({
            actions: link && [{ type: 'Action.OpenUrl', title: link.words, url: link.url }],
          }),
        },
      },
    ],
  };
}

function chatOf(notification: DriftNotificationDocument): Chat {
  const { findings, resolved, omitted, summary, project, platform, run } = notification;
  const shown = findings.slice(0, maxFindings);
  const gone = resolved.slice(0, maxResolved);
  const pending = summary['not yet applied'];
  const more = findings.length - shown.length + omitted.findings - pending;
  const moreGone = resolved.length - gone.length + omitted.resolved;
  const rest = [
    ...(more === 0 ? [] : [counted(more, 'more finding')]),
    ...(moreGone === 0 ? [] : [`${moreGone} more resolved`]),
    ...(pending === 0 ? [] : [`${counted(pending, 'change')} of the manifest not yet applied`]),
  ];
  return {
    title: titleOf(notification),
    place: shortened(
      [project?.name ?? project?.id, platform].filter((part) => part !== undefined).join(' on '),
      maxSubject,
    ),
    lines: [
      ...shown.map((finding) => ({
        subject: shortSubject(finding),
        words: finding.is === 'drifted' ? finding.status : `${finding.is}, ${finding.status}`,
      })),
      ...gone.map((one) => ({ subject: shortSubject(one), words: 'resolved' })),
    ],
    rest: rest.length === 0 ? undefined : `${rest.join(', ')}.`,
    link: run === undefined ? undefined : { words: 'Open the run', url: run },
    mood: ({ 0: 'good', 2: 'bad', 8: 'neutral' } as const)[notification.exitCode],
    time: notification.time,
  };
}

/** Counts only: no foreign text. */
function titleOf({ exitCode, summary }: DriftNotificationDocument): string {
  const names = ['new', 'expired', 'known', 'accepted', 'resolved'] as const;
  const counts = names.filter((name) => summary[name] > 0).map((name) => `${summary[name]} ${name}`);
  const words = { 0: 'No drift', 2: 'New drift', 8: 'Known drift only' }[exitCode];
  return counts.length === 0 ? words : `${words}: ${counts.join(', ')}`;
}

function shortSubject(
  one: DriftNotificationDocument['resolved'][number] & {
    readonly kind?: string;
    readonly name?: string | undefined;
    readonly objectId?: string | undefined;
  },
): string {
  return shortened(subjectOf({ ...one, kind: one.kind ?? 'object', objectId: one.name ?? one.objectId }), maxSubject);
}

/** Lines, joined to texts of at most so many characters. */
function joined(lines: readonly string[], max: number): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    if (last === undefined || last.length + 1 + line.length > max) texts.push(line);
    else texts[texts.length - 1] = `${last}\n${line}`;
  }
  return texts;
}

/** A foreign text as code within a line: a backtick in it would end the code. */
function markdownCode(text: string): string {
  return `\`${text.replaceAll('`', '\u02cb') || ' '}\``;
}

function slackCode(text: string): string {
  return markdownCode(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
