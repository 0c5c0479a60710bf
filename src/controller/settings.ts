import * as z from 'zod';
import { isLoopback } from '../api/loopback.ts';
import { oneOf } from '../manifest/one-of.ts';

/** Labels by name, such as `{ customer: acme }`. As a selector: all that have these labels; `{}`: all. */
export type Labels = Readonly<Record<string, string>>;

/** The settings of the page and of the API: a YAML file that people keep in git. Secrets stand in files that it names. */
export type Settings = z.output<ReturnType<typeof settingsShape>>;

/** A name that stands in labels of metrics, in events and on pages. */
const nameForm = /^[A-Za-z0-9][\w.-]{0,62}$/;

const name = () =>
  z.string().regex(nameForm, 'must have letters, digits, "_", "." and "-" only, and at most 63 characters');

const text = () => z.string().min(1);

/** The labels that a stack must have; every stack has none. */
const labelsShape = () =>
  z
    .record(name(), z.string().min(1).max(200))
    .readonly()
    .describe('Labels that a stack must have, such as { customer: acme }; all stacks when left out.');

/** The address of a server without credentials; plain http only on this machine. */
const address = () =>
  z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/[@?#]/.test(url), 'must have no user, no query and no fragment')
    .refine(
      (url) => url.startsWith('https:') || isLoopback(new URL(url).hostname),
      'must begin with https://, except on this machine',
    );

/** An address or a range of addresses in the form of CIDR. */
const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'must be an address or a range such as 10.0.0.0/8',
});

const header = () =>
  z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of a header such as X-Forwarded-User');

const role = oneOf({
  viewer: 'Sees stacks, plans, runs and events.',
  operator: 'Also has a stack looked at now, pauses it, and stops a run.',
  approver: 'Also approves and refuses plans.',
  admin: 'Also sees all events, platforms and sources.',
  agent: 'Sees stacks, and proposes pull requests; approves nothing.',
}).describe('What is allowed.');

/** The names in a list must differ. */
function differ(items: readonly { readonly name: string }[], context: z.RefinementCtx): void {
  for (const [at, { name: own }] of items.entries())
    if (items.findIndex((item) => item.name === own) !== at)
      context.addIssue({ code: 'custom', path: [at, 'name'], message: 'must be unique; an entry above has it too' });
}

type Given = Readonly<Record<string, unknown>>;

/** Exactly one of two keys stands in a map. */
const either = (one: string, other: string) => (value: Given, context: z.RefinementCtx) => {
  if ((value[one] === undefined) === (value[other] === undefined))
    context.addIssue({ code: 'custom', message: `must have either ${one} or ${other}` });
};

/** How people sign in. */
function signInShape(file: () => z.ZodType<string>) {
  const oidc = z.strictObject({
    issuer: address().describe('Address of the provider: its /.well-known/openid-configuration is read.'),
    clientId: text().describe('Name of the controller at the provider.'),
    clientSecretFile: file().describe('File with the secret of the client.'),
    groups: text().default('groups').describe('Claim with the groups of a user; groups when left out.'),
    scopes: z
      .array(text())
      .default(['openid', 'profile', 'email'])
      .describe('Scopes to ask for; openid, profile and email when left out.'),
  });
  const proxy = z.strictObject({
    from: z.array(network).min(1).describe('Addresses of the proxies: a request from elsewhere is refused.'),
    user: header().default('X-Forwarded-User').describe('Header with the name of the user.'),
    groups: header().default('X-Forwarded-Groups').describe('Header with the groups, with commas between them.'),
    secretHeader: header().default('X-Trueup-Proxy').describe('Header by which the proxy proves itself.'),
    secretFile: file().describe('File with the text that the proxy sends in that header.'),
  });
  return z
    .strictObject({
      oidc: oidc.optional().describe('With OpenID Connect.'),
      proxy: proxy.optional().describe('By a proxy that has signed people in, and says who it was in headers.'),
    })
    .superRefine(either('oidc', 'proxy'))
    .describe(
      'How people sign in: oidc or proxy. Left out: the page is for this machine, and a link in the terminal signs in.',
    );
}

const rolesShape = () =>
  z
    .array(
      z
        .strictObject({
          group: text().optional().describe('Name of a group.'),
          user: text().optional().describe('Name of a user, instead of a group.'),
          role,
          labels: labelsShape().default({}),
        })
        .superRefine(either('group', 'user')),
    )
    .default([])
    .describe('Who may do what: without an entry no user may see anything.');

function tokensShape(file: () => z.ZodType<string>) {
  const token = z.strictObject({
    name: name().describe('Name in events.'),
    tokenFile: file().describe('File with the token, of 32 characters or more.'),
    role,
    labels: labelsShape().default({}),
  });
  return z.array(token).superRefine(differ).default([]).describe('Tokens of programs, for /api/v1.');
}

function notifyShape(file: () => z.ZodType<string>) {
  const receiver = z.strictObject({
    urlFile: file().describe('File with the address of the receiver, which is a secret.'),
    as: oneOf({
      json: 'A document for a program.',
      slack: 'For an incoming webhook of Slack.',
      discord: 'For a webhook of Discord.',
      teams: 'For a webhook of Teams, made by Workflows.',
    }).describe('Form of the messages.'),
    on: z
      .array(
        oneOf({
          failure: 'A run failed, a wave stopped, a source is not polled any more, or a platform has no worker.',
          drift: 'A platform drifted.',
          approval: 'A plan waits for an approval.',
        }),
      )
      .min(1)
      .describe('What a message is sent for.'),
    labels: labelsShape().default({}),
  });
  return z.array(receiver).default([]).describe('Where messages go.');
}

function wavesShape() {
  const share = z.number().gt(0).lte(100);
  const step = z.union(
    [
      z.literal('rest').describe('All other stacks of the wave.'),
      z.strictObject({ labels: labelsShape().describe('The stacks that have these labels too.') }),
      z.strictObject({ share: share.describe('So many of every hundred stacks.') }),
    ],
    { error: 'must be { labels: … }, { share: 10 } or rest' },
  );
  const wave = z.strictObject({
    name: name().describe('Name on pages and in events.'),
    labels: labelsShape().default({}),
    healthyMinutes: z
      .number()
      .min(0)
      .max(10_080)
      .default(10)
      .describe('How long all stacks of a step must be healthy before the next step begins; 10 when left out.'),
    steps: z
      .array(step)
      .min(1)
      .superRefine((steps, context) => {
        if (steps.indexOf('rest') !== steps.length - 1)
          context.addIssue({ code: 'custom', message: 'must end with rest, and have it nowhere else' });
      })
      .describe('Which stacks come first; the last step is rest.'),
  });
  return z.array(wave).superRefine(differ).default([]).describe('Stacks that are brought forward in steps.');
}

/** The shape of the settings. `file` reads the name of a file that has a secret. */
export const settingsShape = (file: () => z.ZodType<string> = text) =>
  z.strictObject({
    trueupController: z.literal(1).describe('Version of these settings: 1.'),
    address: address()
      .refine((url) => new URL(url).pathname === '/', 'must have no path')
      .transform((url) => new URL(url).origin)
      .describe('Address at which browsers find the page.'),
    signIn: signInShape(file).optional(),
    proxies: z
      .array(network)
      .default([])
      .describe('Addresses of proxies: what they say in X-Forwarded-For counts, for limits of requests alone.'),
    roles: rolesShape(),
    tokens: tokensShape(file),
    fourEyes: z
      .boolean()
      .default(false)
      .describe('true: who wrote the commit cannot approve its plan. False when left out.'),
    notify: notifyShape(file),
    waves: wavesShape(),
  });
