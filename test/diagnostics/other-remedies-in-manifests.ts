import { keys } from '../support/organization-blocks.ts';
import { mistake } from './mistake.ts';
import { database, production, stack } from './provoked.ts';
import type { OtherRemedy } from './remedy.ts';

const plain = production(database());
const described = (value: string) => production(database(`description: ${value}`));
const refers = (to: string) => production(database() + stack(`env: { URL: "\${ref:production.postgres.main${to}}" }`));
const domain = (port: string, more = '') =>
  production(stack(`domains: { shop.example.com: { serviceName: web, port: ${port}${more} } }`));
const environment = production('    description: x\n');
const custom = ', https: true, certificateType: custom';
const fetched = (key: string) =>
  `    application: { web: { source: { type: git, url: "git@git.example.com:web.git", branch: main, sshKey: ${key} }, deploy: never } }\n`;
const sourced = (type: string) => production(`    application: { web: { source: { ${type}image: nginx } } }\n`);
const rule = 'a name begins with a letter or "_", and has only letters, digits, "_" and "-".';
const team = 'variables: { team: { default: shop } }\n';
const states =
  'Write state: { backend: local }, { backend: postgres } or { backend: s3, endpoint: https://…, bucket: … },';

/** Remedies of common mistakes in a manifest. */
export const otherInManifests: Readonly<Record<string, OtherRemedy>> = {
  'a reference without an output': mistake('bad-reference', refers(''), {
    'Write an output behind it: ${ref:production.postgres.main.host}.': { to: refers('.host') },
    'It has id, host, appName.': 'fact',
  }),
  'a variable that is not declared': mistake('bad-expression', described('"${var:team}"'), {
    'Declare it under variables:.': { to: described('"${var:team}"') + team },
  }),
  'an expression without quotes': mistake('yaml-syntax', described('${var:team}') + team, {
    'Quote the value: "${…}".': { to: described('"${var:team}"') + team },
    'Inside { } and [ ] YAML reads its braces as a map.': 'fact',
  }),
  'variables: that is a list': mistake('wrong-type', `${described('"${var:team}"')}variables: [team]\n`, {
    'Write variables: { name: { type: number, default: 2 } }.': { to: described('"${var:team}"') + team },
    [`A declaration takes type (text, number, boolean, list), default, description, oneOf, min, max, pattern and promote; ${rule}`]:
      'fact',
  }),
  'outputs: that is a list': mistake('wrong-type', `${plain}outputs: [host]\n`, {
    [`Write outputs: { name: "\${ref:address.output}" }; ${rule}`]: {
      to: `${plain}outputs: { host: "\${ref:production.postgres.main.host}" }\n`,
    },
  }),
  'state: without its keys': mistake('wrong-type', `${plain}state: s3\n`, {
    [states]: { to: `${plain}state: { backend: local }\n` },
    'or leave it out.': { to: plain },
    'Credentials come from the environment: docs/state.md.': 'fact',
  }),
  'a manifest without trueup:': mistake('missing-key', plain.replace('trueup: 1\n', ''), {
    'Write trueup: 1 at the top of the file.': { to: plain },
  }),
  'a manifest without platform:': mistake('missing-key', plain.replace('platform: emulator\n', ''), {
    'Write platform: { url: https://… }, or set TRUEUP_URL.': { forPeople: 'only they know the address of theirs' },
    'To try things out, write platform: emulator.': { to: plain },
  }),
  'an order by hand': mistake('unknown-key', production(database() + stack('dependsOn: [production.postgres.main]')), {
    'Remove it.': { to: production(database() + stack()) },
    'A service is deployed after what its ${ref:…} name; after: adds others.': 'fact',
  }),
  'a number of copies': mistake('unknown-key', production(database('count: 2')), {
    'Write one block per object: there are no loops.': {
      to: production(database() + database('', 'second').replace('    postgres:\n', '')),
    },
    'YAML anchors share what they have in common.': 'fact',
  }),
  'yes for true': mistake('wrong-type', production(database('protect: yes')), {
    'Write protect: true.': { to: production(database('protect: true')) },
    'true: never deleted or replaced, also after the line or the block is gone. false, once applied: its data may be deleted without --allow-data-loss.':
      'fact',
  }),
  'a number in quotes': mistake('wrong-type', domain('"80"'), {
    'Write port: 80, without quotes.': { to: domain('80') },
    'Port of the container.': 'fact',
  }),
  'a source without a type': mistake('wrong-type', sourced(''), {
    'Write source: { type: docker, … };': { to: sourced('type: docker, ') },
    'the types are docker, git, github, gitlab, bitbucket, gitea.': 'fact',
  }),
  'a certificate without its resolver': mistake('inconsistent', domain('80', custom), {
    'Add customCertResolver, the name of the resolver in the proxy.': {
      to: domain('80', `${custom}, customCertResolver: own`),
    },
  }),
  'a key that nothing has': mistake('bad-reference', production(fetched('deploy')), {
    'Declare it under sshKeys:,': { to: production(fetched('deploy')) + keys('one') },
    'or write the name or id of one that exists.': { to: production(fetched('key-1')) },
  }),
  'a section without a value': mistake('wrong-type', `${environment}    postgres:\n`, {
    'Write postgres: {} for none,': { to: `${environment}    postgres: {}\n` },
    'or remove the line.': { to: environment },
  }),
  'a block without a value': mistake('wrong-type', `${environment}  staging:\n`, {
    'Write staging: {} for no fields,': { to: `${environment}  staging: {}\n` },
    'or remove the line.': { to: environment },
  }),
  'a key that stands twice': mistake('yaml-syntax', described('a, description: b'), {
    'Keep one of them.': { to: described('b') },
  }),
  'what git could not merge': mistake(
    'yaml-syntax',
    production('<<<<<<< HEAD\n    description: a\n=======\n    description: b\n>>>>>>> theirs\n'),
    {
      'Keep the lines that are right, and remove those that begin with <<<<<<<, =======, ||||||| and >>>>>>>.': {
        to: production('    description: b\n'),
      },
    },
  ),
  'a line without a colon': mistake('yaml-syntax', plain.replace('project:', 'project'), {
    'Write key: value, or - value for an item of a list.': { to: plain },
  }),
  'a colon without a space': mistake('yaml-syntax', plain.replace('project: ', 'project:'), {
    'Write one: key: value.': { to: plain },
  }),
  'a tab': mistake('yaml-syntax', plain.replace('    postgres', '\tpostgres'), {
    'Indent with spaces: YAML does not take tabs.': { to: plain },
  }),
  'a comma that is missing': mistake('yaml-syntax', plain.replace(', databaseUser', ' databaseUser'), {
    'Separate the entries of { } and [ ] by commas.': { to: plain },
  }),
};
