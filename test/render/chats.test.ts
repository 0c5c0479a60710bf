import { describe, expect, it, test } from 'vitest';
import { chats } from '../../src/render/chats.ts';
import { documentOf, finding, messageOf } from '../support/notifications.ts';
import { hostileNames } from './hostile.ts';

/** Names that mention, link or format where a chat does not take them literally. */
const hostile = [
  ...hostileNames,
  '<!channel> <!here> <@U012345> <https://evil.example|the report>',
  '@everyone @here <@&123> <#456>',
  '[the report](https://evil.example) ![x](https://evil.example/x.png)',
  'https://evil.example/steal',
  '` *bold* ` <!channel> ``` ~',
  '*_~|>&<`'.repeat(500),
  '&'.repeat(10_000),
  '<at>everyone</at> {{DATE(2017-02-14T06:00:00Z)}}',
];

const messages = hostile.map((name) => {
  const findings = [...Array(500).keys()].map((at) => finding({ id: `f${at}`, address: name, path: name, name }));
  const resolved = findings.map(({ id }) => ({ id, is: 'missing' as const, kind: 'redis', address: name }));
  return messageOf(findings, {
    document: documentOf(findings, { project: { id: name, name }, platform: name, resolved }),
    run: 'https://git.example.com/shop/infra/actions/runs/7',
  });
});

/** The strings of a body, each with its key. */
function textsOf(body: unknown, key = ''): readonly (readonly [string, string])[] {
  if (typeof body === 'string') return [[key, body]];
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) => textsOf(value, Array.isArray(body) ? key : name));
}

describe('slack', () => {
  interface Block {
    readonly type: string;
    readonly text?: { readonly text: string; readonly verbatim?: boolean };
    readonly elements?: readonly { readonly text: string }[];
  }
  const blocksOf = (message: (typeof messages)[number]) =>
    (chats.slack(message) as { blocks: readonly Block[] }).blocks;

  it('keeps its limits with 500 findings of hostile names', () => {
    for (const message of messages) {
      const blocks = blocksOf(message);
      expect(blocks.length).toBeLessThanOrEqual(50);
      for (const { type, text, elements = [] } of blocks) {
        if (text !== undefined) expect(text.text.length).toBeLessThanOrEqual(type === 'header' ? 150 : 3_000);
        expect(elements.length).toBeLessThanOrEqual(10);
      }
    }
  });

  it('mentions nobody and links the run only', () => {
    for (const message of messages) {
      const body = chats.slack(message);
      const texts = textsOf(body).map(([, text]) => text);
      const commands = texts.flatMap((text) => [...text.matchAll(/<[^>]*>/g)].map(([found]) => found));
      expect(commands).toEqual(['<https://git.example.com/shop/infra/actions/runs/7|Open the run>']);
      const others = texts.map((text) => text.replaceAll(commands[0] ?? '', ''));
      for (const text of others) expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      // Foreign text stands between two backticks of a line, and has none itself.
      for (const { type, text } of blocksOf(message)) {
        if (type !== 'section') continue;
        expect(text?.verbatim).toBe(true);
        for (const line of (text?.text ?? '').split('\n'))
          expect(line).toMatch(/^(?:• )?`[^`]+`(?: (?:new|resolved))?$/);
      }
    }
  });
});

describe('discord', () => {
  it('keeps its limits, and mentions and links nothing of foreign text', () => {
    for (const message of messages) {
      const { embeds, allowed_mentions: mentions } = chats.discord(message) as {
        embeds: readonly { title: string; description: string; url: string }[];
        allowed_mentions: unknown;
      };
      expect(mentions).toEqual({ parse: [] });
      expect(embeds).toHaveLength(1);
      const [{ title, description, url } = { title: '', description: '', url: '' }] = embeds;
      expect(title.length).toBeLessThanOrEqual(256);
      expect(description.length).toBeLessThanOrEqual(4_096);
      expect(url).toBe('https://git.example.com/shop/infra/actions/runs/7');
      const lines = description.split('\n');
      for (const line of lines.slice(0, -1)) expect(line).toMatch(/^(?:- )?`[^`]+`(?: (?:new|resolved))?$/);
      expect(lines.at(-1)).toBe('490 more findings, 495 more resolved.');
    }
  });
});

describe('teams', () => {
  it('keeps its limit of 28 KB, and has foreign text in literal texts only', () => {
    for (const message of messages) {
      const body = chats.teams(message) as {
        attachments: readonly {
          content: { body: readonly { type: string; inlines: readonly { type: string }[] }[] };
        }[];
      };
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(28 * 1_024);
      const card = body.attachments[0]?.content.body ?? [];
      expect(new Set(card.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']));
      expect(new Set(card.flatMap(({ inlines }) => inlines.map(({ type }) => type)))).toEqual(new Set(['TextRun']));
      expect(textsOf(body).filter(([key]) => key === 'url')).toEqual([
        ['url', 'https://git.example.com/shop/infra/actions/runs/7'],
      ]);
    }
  });
});

test('every chat says the counts, the place, each finding and what is resolved', () => {
  const findings = [
    finding(),
    finding({ id: 'b', is: 'unmanaged', address: undefined, name: 'legacy', kind: 'redis', path: undefined }),
    finding({ id: 'c', is: 'not yet applied', status: 'not yet applied' }),
  ];
  const resolved = [{ id: 'r', is: 'missing' as const, kind: 'redis', address: 'production.redis.cache' }];
  const message = messageOf(findings, { document: documentOf(findings, { resolved }) });
  expect({
    slack: chats.slack(message),
    discord: chats.discord(message),
    teams: chats.teams(message),
  }).toMatchInlineSnapshot(`
    {
      "discord": {
        "allowed_mentions": {
          "parse": [],
        },
        "embeds": [
          {
            "color": 12986408,
            "description": "\`shop on https://deploy.example.com\`
    - \`production.compose.shop env.REGION\` new
    - \`redis legacy\` unmanaged, new
    - \`production.redis.cache\` resolved
    1 change of the manifest not yet applied.",
            "timestamp": "2026-03-01T03:00:00.000Z",
            "title": "New drift: 2 new, 1 resolved",
          },
        ],
      },
      "slack": {
        "blocks": [
          {
            "text": {
              "emoji": false,
              "text": "New drift: 2 new, 1 resolved",
              "type": "plain_text",
            },
            "type": "header",
          },
          {
            "text": {
              "text": "\`shop on https://deploy.example.com\`",
              "type": "mrkdwn",
              "verbatim": true,
            },
            "type": "section",
          },
          {
            "text": {
              "text": "• \`production.compose.shop env.REGION\` new
    • \`redis legacy\` unmanaged, new
    • \`production.redis.cache\` resolved",
              "type": "mrkdwn",
              "verbatim": true,
            },
            "type": "section",
          },
          {
            "elements": [
              {
                "text": "1 change of the manifest not yet applied.",
                "type": "mrkdwn",
                "verbatim": true,
              },
            ],
            "type": "context",
          },
        ],
        "text": "New drift: 2 new, 1 resolved",
        "unfurl_links": false,
        "unfurl_media": false,
      },
      "teams": {
        "attachments": [
          {
            "content": {
              "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
              "body": [
                {
                  "inlines": [
                    {
                      "size": "Large",
                      "text": "New drift: 2 new, 1 resolved",
                      "type": "TextRun",
                      "weight": "Bolder",
                    },
                  ],
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "isSubtle": true,
                      "text": "shop on https://deploy.example.com",
                      "type": "TextRun",
                    },
                  ],
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "fontType": "Monospace",
                      "text": "production.compose.shop env.REGION",
                      "type": "TextRun",
                    },
                    {
                      "text": " new",
                      "type": "TextRun",
                    },
                  ],
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "fontType": "Monospace",
                      "text": "redis legacy",
                      "type": "TextRun",
                    },
                    {
                      "text": " unmanaged, new",
                      "type": "TextRun",
                    },
                  ],
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "fontType": "Monospace",
                      "text": "production.redis.cache",
                      "type": "TextRun",
                    },
                    {
                      "text": " resolved",
                      "type": "TextRun",
                    },
                  ],
                  "type": "RichTextBlock",
                },
                {
                  "inlines": [
                    {
                      "isSubtle": true,
                      "text": "1 change of the manifest not yet applied.",
                      "type": "TextRun",
                    },
                  ],
                  "type": "RichTextBlock",
                },
              ],
              "msteams": {
                "width": "Full",
              },
              "type": "AdaptiveCard",
              "version": "1.4",
            },
            "contentType": "application/vnd.microsoft.card.adaptive",
            "contentUrl": null,
          },
        ],
        "type": "message",
      },
    }
  `);
});
