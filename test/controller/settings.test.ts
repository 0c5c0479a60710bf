import { expect, test } from 'vitest';
import { settingsIn } from '../../src/controller/read-settings.ts';
import { positionText, Stop } from '../../src/diagnostics/diagnostic.ts';

const least = `trueupController: 1
address: https://trueup.example.com
signIn: { oidc: { issuer: https://id.example.com, clientId: trueup, clientSecretFile: secrets/client } }
`;

const read = (text: string, env = {}) => settingsIn('/etc/trueup/controller.yaml', text, env);

/** The problems of a text: place, message, remedy. */
function problemsOf(text: string, env = {}): readonly string[] {
  try {
    read(text, env);
    return [];
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return error.diagnostics.map(({ position, message, remedy }) => {
      const place = position === undefined ? '' : positionText(position).replace('/etc/trueup/', '');
      return `${place} ${message} -> ${remedy ?? ''}`;
    });
  }
}

test('what is left out has defaults, and files begin in the folder of the settings', () => {
  expect(read(least)).toEqual({
    trueupController: 1,
    address: 'https://trueup.example.com',
    signIn: {
      oidc: {
        issuer: 'https://id.example.com',
        clientId: 'trueup',
        clientSecretFile: '/etc/trueup/secrets/client',
        groups: 'groups',
        scopes: ['openid', 'profile', 'email'],
      },
    },
    proxies: [],
    roles: [],
    tokens: [],
    fourEyes: false,
    notify: [],
    waves: [],
  });
});

test('all settings are read, and files of secrets by variables of the environment', () => {
  const text = `trueupController: 1
address: http://127.0.0.1:8080
signIn: { proxy: { from: [10.0.0.0/8, "::1"], secretFile: "\${CREDENTIALS_DIRECTORY}/proxy" } }
roles:
  - { group: sre, role: admin }
  - { user: ops@example.com, role: approver, labels: { customer: acme } }
tokens: [{ name: deployer, tokenFile: /run/secrets/token, role: agent }]
fourEyes: true
proxies: [10.0.0.0/8, 192.0.2.1]
notify: [{ urlFile: /run/secrets/slack, as: slack, on: [failure, drift, approval], labels: { tier: shop } }]
waves: [{ name: shops, labels: { tier: shop }, healthyMinutes: 5, steps: [{ labels: { ring: canary } }, { share: 10 }, rest] }]
`;
  const settings = read(text, { CREDENTIALS_DIRECTORY: '/run/credentials/trueup' });
  expect(settings.signIn?.proxy).toEqual({
    from: ['10.0.0.0/8', '::1'],
    user: 'X-Forwarded-User',
    groups: 'X-Forwarded-Groups',
    secretHeader: 'X-Trueup-Proxy',
    secretFile: '/run/credentials/trueup/proxy',
  });
  expect(settings.proxies).toEqual(['10.0.0.0/8', '192.0.2.1']);
  expect(settings.roles[1]).toEqual({ user: 'ops@example.com', role: 'approver', labels: { customer: 'acme' } });
  expect(settings.tokens).toEqual([{ name: 'deployer', tokenFile: '/run/secrets/token', role: 'agent', labels: {} }]);
  expect(settings.waves[0]?.steps).toEqual([{ labels: { ring: 'canary' } }, { share: 10 }, 'rest']);
});

test.each([
  ['', ['controller.yaml:1:1 /etc/trueup/controller.yaml is empty -> docs/controller.md shows the settings.']],
  [`${least}rolls: []\n`, ['controller.yaml:4:1 the file has no key rolls -> Did you mean roles?']],
  [
    `${least}roles: [{ group: sre, rôle: admin }]\n`,
    [
      'controller.yaml:4:9 roles.0.role must be viewer, operator, approver, admin or agent -> docs/controller.md shows the settings.',
      'controller.yaml:4:23 roles.0 has no key rôle -> Did you mean role?',
    ],
  ],
  [
    `${least}roles: [{ role: admin }]\n`,
    ['controller.yaml:4:9 roles.0 must have either group or user -> docs/controller.md shows the settings.'],
  ],
  [
    `${least}roles: [{ group: sre, role: aprover }]\n`,
    ['controller.yaml:4:29 roles.0.role must be viewer, operator, approver, admin or agent -> Did you mean approver?'],
  ],
  [
    `${least}roles: [{ group: sre, role: admin, labels: { ring: 1 } }]\n`,
    ['controller.yaml:4:52 roles.0.labels.ring must be text, got 1 -> Write it in quotes: roles.0.labels.ring: "1".'],
  ],
  [
    `${least}waves: [{ name: a, steps: [rest, { share: 10 }] }]\n`,
    [
      'controller.yaml:4:27 waves.0.steps must end with rest, and have it nowhere else -> docs/controller.md shows the settings.',
    ],
  ],
  [
    `${least}tokens: [{ name: a, tokenFile: x, role: agent }, { name: a, tokenFile: y, role: agent }]\n`,
    [
      'controller.yaml:4:58 tokens.1.name must be unique; an entry above has it too -> docs/controller.md shows the settings.',
    ],
  ],
  [
    `${least}tokens: [{ name: a, tokenFile: "\${TOKENS}/x", role: agent }]\n`,
    [
      'controller.yaml:4:32 tokens.0.tokenFile names TOKENS, which the environment does not have -> docs/controller.md shows the settings.',
    ],
  ],
  [
    least.replace('https://trueup.example.com', 'http://trueup.example.com'),
    [
      'controller.yaml:2:10 address must begin with https://, except on this machine -> docs/controller.md shows the settings.',
    ],
  ],
  [
    least.replace(/signIn.*/, 'signIn: {}'),
    ['controller.yaml:3:9 signIn must have either oidc or proxy -> docs/controller.md shows the settings.'],
  ],
])('%j is refused where it is wrong', (text, problems) => {
  expect(problemsOf(text)).toEqual(problems);
});
