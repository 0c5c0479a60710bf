import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import type { ChangeAtRisk } from '../../src/kind/lifecycle.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { Wanted } from '../../src/manifest/wanted.ts';
import type { Action } from '../../src/plan/action.ts';
import { planExisting } from '../../src/plan/existing.ts';
import type { Pair } from '../../src/state/record.ts';
import {
  anything,
  declared,
  inputOf,
  kindNamed,
  objectOf,
  pairOf,
  recordOf,
  resourceOf,
  storedAs,
} from '../support/plan-values.ts';

/** The data that a plan puts at risk by what it writes to a stack, to its environment, and by a move to another one. */

const production = 'production';
const stack = `${production}.compose.shop`;

/** An object of the platform, and what its block says of it. */
interface About {
  readonly row?: Row;
  readonly fields?: Readonly<Record<string, Wanted>>;
  /** Its variables; those that are left out here go. */
  readonly env?: Readonly<Record<string, Wanted>>;
  readonly pairs?: Readonly<Record<string, Pair>>;
  readonly kind?: Kind;
}

interface Situation {
  readonly environment?: About;
  readonly service?: About;
  /** The environment that has the service on the platform, by its variables; undefined: the one of the manifest. */
  readonly movedFrom?: string;
}

/** The action of a stack in an environment. */
function plan({ environment = {}, service = {}, movedFrom }: Situation): Action {
  const above = { kind: kindNamed('environment'), row: { env: '' }, ...environment };
  const own = { kind: kindNamed('compose'), row: {}, ...service };
  const objects = {
    [production]: objectOf('env_1', above.row, { parentId: 'prj_1' }),
    staging: objectOf('env_2', { env: movedFrom ?? '' }, { parentId: 'prj_1' }),
    [stack]: objectOf('compose_1', own.row, { parentId: movedFrom === undefined ? 'env_1' : 'env_2' }),
  };
  const records = {
    [production]: recordOf('environment', 'env_1', { pairs: above.pairs ?? {} }),
    [stack]: recordOf(own.kind.kind, 'compose_1', { pairs: own.pairs ?? {} }),
  };
  const input = inputOf(objects, records);
  const parent = planExisting(input, blockOf(production, above), objects[production], {
    parent: undefined,
    awaited: [],
  });
  return planExisting(input, blockOf(stack, own), objects[stack], { parent, awaited: [] });
}

function blockOf(address: string, { kind, fields = {}, env }: About & { readonly kind: Kind }): Resource {
  const maps = env === undefined ? {} : { env: new Map(Object.entries(env)) };
  return resourceOf(kind, address, { fields, maps });
}

/** What was recorded of variables that a secret gave. */
function concealed(values: Readonly<Record<string, string>>): Readonly<Record<string, Pair>> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const stored = storedAs(anything, value, true);
      return [`env["${key}"]`, { wanted: stored, answered: stored }];
    }),
  );
}

describe('a stack whose volume and folder have names of variables of its environment', () => {
  const service = {
    row: {
      sourceType: 'raw',
      createEnvFile: true,
      env: 'VOLUME=${{environment.VOLUME}}\nFOLDER=${{environment.FOLDER}}\n',
      composeFile: [
        'services:',
        '  db:',
        '    image: postgres:17',
        '    volumes: ["data:/var/lib/postgresql/data", "${FOLDER}:/srv/data"]',
        'volumes:',
        '  data: { name: "${VOLUME}" }',
      ].join('\n'),
    },
  };
  const before = 'VOLUME=shop\nFOLDER=/srv/shop\n';
  const after = { VOLUME: declared('shop'), FOLDER: declared('/srv/shop') };
  const volumeStays = 'the volume data at /var/lib/postgresql/data stays on the server, and nothing mounts it any more';
  const folderStays = 'stays on the server, and something else is mounted in its place';

  test.each<[string, Situation, string | undefined]>([
    ['the variables stay', { environment: { row: { env: before }, env: after } }, undefined],
    [
      'the variable of the volume gets another value',
      { environment: { row: { env: before }, env: { ...after, VOLUME: declared('store') } } },
      volumeStays,
    ],
    [
      'the variable of the folder gets another value',
      { environment: { row: { env: before }, env: { ...after, FOLDER: declared('/srv/store') } } },
      `the folder /srv/shop at /srv/data ${folderStays}`,
    ],
    [
      'the variable of the folder is a secret that gets another value',
      {
        environment: {
          row: { env: before },
          pairs: concealed({ FOLDER: '/srv/shop' }),
          env: { ...after, FOLDER: declared('/srv/store', true) },
        },
      },
      `1 folder ${folderStays}`,
    ],
    [
      'both are secrets that stay, and another variable gets another value',
      {
        environment: {
          row: { env: `${before}REGION=eu\n` },
          pairs: concealed({ VOLUME: 'shop', FOLDER: '/srv/shop' }),
          env: { VOLUME: declared('shop', true), FOLDER: declared('/srv/shop', true), REGION: declared('us') },
        },
      },
      undefined,
    ],
    [
      'the variable of the volume is a secret that goes',
      {
        environment: {
          row: { env: before },
          pairs: concealed({ VOLUME: 'shop' }),
          env: { FOLDER: declared('/srv/shop') },
        },
      },
      '1 volume stays on the server, and nothing mounts it any more',
    ],
    [
      'another variable gets another value',
      { environment: { row: { env: `${before}REGION=eu\n` }, env: { ...after, REGION: declared('us') } } },
      undefined,
    ],
    [
      'it moves to an environment with other values',
      { environment: { row: { env: before }, env: after }, movedFrom: 'VOLUME=other\nFOLDER=/srv/shop\n' },
      volumeStays,
    ],
    [
      'it moves to an environment with the same values',
      { environment: { row: { env: before }, env: after }, movedFrom: before },
      undefined,
    ],
    [
      'it moves to an environment that gets the values that it had',
      { environment: { row: { env: 'VOLUME=other\n' }, env: after }, movedFrom: before },
      undefined,
    ],
    [
      'it moves, and its own variable has the value that the environment gave before',
      {
        environment: { row: { env: 'VOLUME=other\nFOLDER=/srv/shop\n' } },
        movedFrom: before,
        service: { ...service, env: { VOLUME: declared('shop'), FOLDER: declared('${{environment.FOLDER}}') } },
      },
      undefined,
    ],
  ])('%s', (_what, situation, lost) => {
    expect(plan({ service, ...situation }).dataAtRisk).toBe(lost);
  });
});

describe('of two volumes with names of variables that are secrets,', () => {
  const text = 'CACHE=c\nDATA=d\n';
  const composeFile = [
    'services:',
    '  web:',
    '    image: nginx:1.27',
    '    volumes: ["cache:/cache", "data:/data"]',
    'volumes:',
    '  cache: { name: "${CACHE}" }',
    '  data: { name: "${DATA}" }',
  ].join('\n');
  const row = { sourceType: 'raw', createEnvFile: true, composeFile };
  const pairs = concealed({ CACHE: 'c', DATA: 'd' });
  const stays = (what: string) => `${what} stays on the server, and nothing mounts it any more`;

  test.each<[string, Readonly<Record<string, Wanted>>, string | undefined]>([
    ['both stay', { CACHE: declared('c', true), DATA: declared('d', true) }, undefined],
    [
      'the one that gets another name is the one that a plan names',
      { CACHE: declared('c', true), DATA: declared('other', true) },
      stays('the volume data at /data'),
    ],
    ['none is named in place of one whose variable goes', { CACHE: declared('c', true) }, stays('1 volume')],
  ])('%s', (_what, env, lost) => {
    expect(plan({ service: { row: { ...row, env: text }, pairs, env } }).dataAtRisk).toBe(lost);
    const own = 'CACHE=${{environment.CACHE}}\nDATA=${{environment.DATA}}\n';
    const environment = { row: { env: text }, pairs, env };
    expect(plan({ environment, service: { row: { ...row, env: own } } }).dataAtRisk).toBe(lost);
  });
});

describe('a kind is asked about', () => {
  /** The fields that it was asked about; each change of them loses data. */
  function asked(situation: Situation) {
    const fields: string[] = [];
    const ask =
      (name: string): ChangeAtRisk =>
      () => {
        fields.push(name);
        return { what: `what ${name} names` };
      };
    const compose = kindNamed('compose');
    const changeAtRisk = {
      volume: { env: ask('env'), composeFile: ask('composeFile') },
      version: { composeFile: ask('its version') },
    };
    const kind = { ...compose, lifecycle: { changeAtRisk } };
    const service = { row: { env: 'A=1\n', composeFile: 'old' }, ...situation.service, kind };
    const { dataAtRisk } = plan({ ...situation, service });
    expect(dataAtRisk).toBe(fields.length === 0 ? undefined : fields.map((name) => `what ${name} names`).join('; '));
    return fields;
  }

  const environment = (more: About): About => ({ row: { description: 'old', env: 'B=1\n' }, ...more });
  const same = { description: declared('old') };
  const other = { description: declared('new') };

  test.each<[string, Situation, readonly string[]]>([
    ['nothing, where all stays', { environment: environment({ fields: same, env: { B: declared('1') } }) }, []],
    [
      'its variables, where those of its environment change',
      { environment: environment({ fields: same, env: { B: declared('2') } }) },
      ['env'],
    ],
    [
      'its variables, where one of its environment goes',
      { environment: environment({ env: {}, pairs: { 'env["B"]': pairOf('1') } }) },
      ['env'],
    ],
    [
      'nothing, where the environment changes, and its variables stay',
      { environment: environment({ fields: other, env: { B: declared('1') } }) },
      [],
    ],
    ['its variables, where it moves to another environment', { movedFrom: 'B=1\n' }, ['env']],
    ['its variables, where they change', { service: { env: { A: declared('2') } } }, ['env']],
    [
      'a field that changes, for each sort of data',
      { service: { fields: { composeFile: declared('new') } } },
      ['composeFile', 'its version'],
    ],
    [
      'all that changes',
      {
        environment: environment({ env: { B: declared('2') } }),
        service: { fields: { composeFile: declared('new'), description: declared('x') } },
      },
      ['composeFile', 'env', 'its version'],
    ],
    ['nothing, where a field changes that names no data', { service: { fields: other } }, []],
  ])('%s', (_what, situation, fields) => {
    expect(asked(situation)).toEqual(fields);
  });
});

test('an object of the organization has no parent, and its data are at risk all the same', () => {
  const address = 'destination.offsite';
  const object = objectOf('dst_1', { bucket: 'old', endpoint: 'https://s3.example.com' });
  const warnings = (bucket: string) => {
    const fields = { bucket: declared(bucket) };
    const resource = resourceOf(kindNamed('destination'), address, { fields, options: { protect: true } });
    const { notes } = planExisting(inputOf({ [address]: object }), resource, object, {
      parent: undefined,
      awaited: [],
    });
    return notes.filter(({ code }) => code === 'backup-moves').map(({ message }) => message);
  };
  expect(warnings('new')).toEqual([`${address}: the backups in old stay there, and no new ones are added to them`]);
  expect(warnings('old')).toEqual([]);
});
