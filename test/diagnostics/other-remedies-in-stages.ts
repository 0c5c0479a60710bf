import { mistake } from './mistake.ts';
import { database, head, production, seeded, stack } from './provoked.ts';
import type { OtherRemedy } from './remedy.ts';

/** Sections as they stand at the top of a file. */
const atTop = (sections: string) => sections.replaceAll(/^ {4}/gm, '');

const named = `${head}environment: production\n`;
const preview = `${head}environment: pr\npreview: {}\n`;
const notSeeded = seeded.replace('{ seed: [application.api.schedules.seed] }', '{}');
const top = named + atTop(database());
const including = (text: string, of = named) => ({ 'trueup.yaml': `${of}include: [shop.yaml]\n`, 'shop.yaml': text });
const listed = `${production('    description: x\n')}include: [shop.yaml]\n`;
const own = 'environment: { env: { REGION: eu } }\n';
const other = `${atTop(database())}${atTop(stack('env: { HOST: "${ref:postgres.main.host}" }'))}`;
const [taken, host] = ['postgres: { main: !reset }', 'compose: { shop: { env: { HOST: other } } }'];
const changed = (changes: string) => `${named}${other}changes: { ${changes} }\n`;
const templates = (t: string, u: string) => `templates: { t: { block: { ${t} } }, u: { block: { ${u} } } }\n`;
const used = atTop(database('use: t'));
const replicas = (written: string) => named + atTop(database(written));
const secret = (below: string, changes: string) =>
  `${named}${atTop(stack(`env: { A: "1", B: "2" }${below}`))}${changes}`;

/** Remedies of mistakes in root files that name their environment, in templates and in changes. */
export const otherInStages: Readonly<Record<string, OtherRemedy>> = {
  'the id of an object in a preview': mistake('not-in-previews', `${preview}${atTop(database('id: pg_1'))}`, {
    'Take it out below changes: with id: !reset.': {
      to: `${preview}${atTop(database('id: pg_1'))}changes: { postgres: { main: { id: !reset } } }\n`,
    },
  }),
  'a schedule that seed: names and changes: takes out': mistake(
    'bad-reference',
    `${seeded}changes: { application: { api: { schedules: { seed: !reset } } } }\n`,
    {
      'Take it out of seed: too,': {
        to: `${notSeeded}changes: { application: { api: { schedules: { seed: !reset } } } }\n`,
      },
      'or remove that !reset.': { to: seeded },
    },
  ),
  'a service that seed: names': mistake('bad-reference', seeded.replace('.schedules.seed]', ']'), {
    'Write application.api.schedules.seed.': { to: seeded },
  }),
  'a schedule that nothing declares': mistake('bad-reference', preview.replace('{}', '{ seed: [x] }'), {
    'Declare a schedule first.': { to: seeded },
  }),
  'a service without a schedule that seed: names': mistake(
    'bad-reference',
    `${preview.replace('{}', '{ seed: [postgres.main] }')}${atTop(database())}`,
    {
      'Put the command into a schedule,': { to: seeded },
      'and write its address.': { to: seeded },
    },
  ),
  'a service outside of its environment': mistake('unknown-key', head + atTop(database()), {
    'Write it inside of a block of environments:, as environments: { name: { postgres: … } }.': {
      to: production(database()),
    },
    'Or write environment: NAME into trueup.yaml: then postgres: may stand at the top of a file.': { to: top },
  }),
  'an environment beside environments:': mistake(
    'inconsistent',
    production(database()).replace('environments:', 'environment: production\nenvironments:'),
    {
      'Write the sections of production at the top of the file, without environments:;': { to: top },
      'or remove environment:.': { to: production(database()) },
    },
  ),
  'an environment without a value in an included file': mistake(
    'wrong-type',
    including(`environment:\n${atTop(database())}`),
    {
      'Write environment: { env: { … } },': { to: including(own + atTop(database())) },
      'or remove the line.': { to: including(atTop(database())) },
    },
  ),
  'the name of the environment in an included file': mistake(
    'unknown-key',
    including(own.replace('{ env', '{ name: staging, env')),
    { 'Remove the line: trueup.yaml names the environment.': { to: including(own) } },
  ),
  'a block of an environment that the root file does not name': mistake('missing-key', including(own, head), {
    'Write environment: NAME in trueup.yaml,': { to: including(own) },
    'or write these keys inside of environments: { NAME: { … } }.': {
      to: including('environments: { production: { env: { REGION: eu } } }\n', head),
    },
  }),
  'a block of an environment beside environments: of the root file': mistake(
    'missing-key',
    { 'trueup.yaml': listed, 'shop.yaml': own },
    {
      'Write environment: NAME in trueup.yaml,': { forPeople: 'moves the sections of environments: to the top, too' },
      'or write these keys inside of environments: { NAME: { … } }.': {
        to: { 'trueup.yaml': production('    env: { REGION: eu }\n') },
      },
    },
  ),
  'a reference to what changes: takes out': mistake('bad-reference', changed(taken), {
    'Change this value under changes: too,': { to: changed(`${taken}, ${host}`) },
    'or remove that !reset.': { to: `${named}${other}` },
  }),
  'templates in a circle': mistake('bad-reference', named + templates('use: u', 'use: t') + used, {
    'Break the circle: remove one use:.': { to: named + templates('use: u', 'description: x') + used },
  }),
  'protect: false in a template': mistake(
    'inconsistent',
    named + templates('description: x, protect: false', 'description: y') + used,
    {
      'Remove it, and write protect: false into the block that it is meant for.': {
        to: named + templates('description: x', 'description: y') + atTop(database('use: t, protect: false')),
      },
    },
  ),
  'fewer private names': mistake(
    'inconsistent',
    secret(', private: [A, B]', 'changes: { compose: { shop: { private: !reset [A] } } }\n'),
    {
      'Remove the line.': { to: secret(', private: [A, B]', '') },
      'To show a value in plans, take its name out of the list that calls it private.': {
        to: secret(', private: [A]', ''),
      },
    },
  ),
  'a !reset in a block of its own': mistake('wrong-type', replicas('description: !reset x'), {
    'Remove the tag,': { to: replicas('description: x') },
    'or the line.': { to: replicas('') },
  }),
};
