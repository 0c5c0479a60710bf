import { describe, expect, test } from 'vitest';
import { servicesWithImages } from '../../../src/resources/families/compose-checks.ts';
import { keepersIn, volumesLeft, volumesOf } from '../../../src/resources/families/compose-data.ts';

/** The named volumes of a compose file, and whether they are still the same ones after an edit. */

/** A compose file with one service. */
const file = (volumes: string, mounts: string) => `services:\n  db:\n    volumes: ${mounts}\nvolumes: ${volumes}\n`;

/** The volumes that a file mounts and another one does not. */
function lost(before: string, after: string): string[] {
  return volumesLeft(keepersIn(before), keepersIn(after));
}

const before = file('{ data: {} }', '["data:/db"]');

describe('a volume is the same one', () => {
  test.each([
    ['in the long form', file('{ data: }', '[{ type: volume, source: data, target: /db/ }]')],
    ['of the default driver', file('{ data: { driver: local } }', '["data:/db"]')],
    ['read only', file('{ data: {} }', '["data:/db:ro"]')],
    ['beside others', file('{ logs: {}, data: { labels: { a: b } } }', '["logs:/logs", "data:/db"]')],
    ['of another service', `services: { other: { volumes: ["data:/db"] } }\nvolumes: { data: {} }\n`],
    ['by an anchor', `x: &v ["data:/db"]\nservices: { db: { volumes: *v } }\nvolumes: { data: {} }\n`],
  ])('%s', (_, after) => {
    expect(lost(before, after)).toEqual([]);
  });

  test('under another key with the same name', () => {
    const named = file('{ data: { name: shop } }', '["data:/db"]');
    expect(lost(named, file('{ other: { name: shop, external: true } }', '["other:/db"]'))).toEqual([]);
    const external = file('{ shop: { external: true } }', '["shop:/db"]');
    expect(lost(external, file('{ other: { external: { name: shop } } }', '["other:/db"]'))).toEqual([]);
    expect(lost(external, named)).toEqual([]);
  });
});

describe('a volume is lost', () => {
  test.each([
    ['that is not there any more', file('{}', '[]')],
    ['that is declared and not mounted', file('{ data: {} }', '[]')],
    ['under another key', file('{ db: {} }', '["db:/db"]')],
    ['under another name', file('{ data: { name: shop } }', '["data:/db"]')],
    ['that comes from outside', file('{ data: { external: true } }', '["data:/db"]')],
    ['at another path', file('{ data: {} }', '["data:/data"]')],
    ['with another driver', file('{ data: { driver: nfs } }', '["data:/db"]')],
    ['that leads elsewhere', file('{ data: { driver_opts: { device: /mnt } } }', '["data:/db"]')],
    ['that becomes a folder', file('{ data: {} }', '["./data:/db"]')],
    ['when the file cannot be read', 'services: ['],
    ['when the file is empty', ''],
  ])('%s', (_, after) => {
    expect(lost(before, after)).toEqual(['data at /db']);
  });
});

test('folders of the host, anonymous volumes and files without volumes have no named one', () => {
  expect(
    volumesOf(keepersIn(file('{ data: {} }', '["/srv:/srv", "./a:/a", "/anonymous", 7, { type: bind }]'))),
  ).toEqual([]);
  expect(volumesOf(keepersIn('services: { web: { image: nginx } }'))).toEqual([]);
  expect(volumesOf(keepersIn('services: [web]\nvolumes: text\n'))).toEqual([]);
  expect(volumesOf(keepersIn('just text'))).toEqual([]);
  expect(volumesOf(keepersIn(null))).toEqual([]);
});

test('the images of services with volumes are those that keep data', () => {
  const text = [
    'services:',
    '  db: { image: "postgres:16", volumes: ["./data:/db"] }',
    '  built: { build: ., volumes: ["data:/db"] }',
    '  web: { image: nginx }',
    '  none: { image: nginx, volumes: [] }',
    'volumes: { data: {} }',
  ].join('\n');
  expect(keepersIn(text).map(({ service, written, image }) => ({ service, written, image }))).toEqual([
    { service: 'db', written: 'postgres:16', image: 'postgres:16' },
    { service: 'built', written: 'an image that is built', image: 'an image that is built' },
  ]);
  expect(keepersIn('services: [')).toEqual([]);
});

test('an image and a mount that a service extends are shown as they are written, or not at all', () => {
  const base = 'base: { image: "postgres:${TAG}", volumes: ["data:/db", "${DIR}:/logs"] }';
  const shownIn = (from: string) =>
    keepersIn(
      `services: { ${base}, db: { extends: { service: "${from}" }, volumes: ["./own:/own"] } }\nvolumes: { data: {} }`,
      new Map(Object.entries({ TAG: '16', DIR: '/srv/logs', BASE: 'base' })),
    ).flatMap(({ service, image, written, mounts }) =>
      service === 'db' ? [image, written, ...mounts.map(({ text }) => text)] : [],
    );
  expect(shownIn('base')).toEqual([
    'postgres:16',
    'postgres:${TAG}',
    'data at /db',
    '/srv/logs at /logs',
    './own at /own',
  ]);
  expect(shownIn('${BASE}')).toEqual([
    'postgres:16',
    'an image that a variable names',
    'data',
    'that a variable names',
    'that a variable names',
  ]);
});

test('services are named with their images as they are written', () => {
  const text = 'services: { db: { image: "postgres:${PG}" }, built: { build: . }, odd: 7 }';
  expect(servicesWithImages(text)).toEqual(['db (postgres:${PG})', 'built', 'odd']);
  expect(servicesWithImages('services: [')).toEqual([]);
  expect(servicesWithImages(undefined)).toEqual([]);
});

test.each([
  ['"${DATA_DIR}/db:/db"', { DATA_DIR: '/srv/shop' }, '/srv/shop/db at /db'],
  ['"${DATA_DIR:-./data}:/db"', {}, './data at /db'],
  ['"./data:${TARGET}"', { TARGET: '/var/lib/db' }, './data at /var/lib/db'],
  ['"${VOLUME}:/db"', { VOLUME: 'data' }, 'data at /db'],
  ['"./data:/db"', {}, './data at /db'],
  ['"${MOUNT}"', { MOUNT: '/srv/shop:/db' }, 'that a variable names'],
  ['"${DATA_DIR}/db:/db"', {}, '${DATA_DIR}/db at /db'],
  ['"/srv/${API_KEY}:/db"', { API_KEY: 'abc-123' }, '/srv/${API_KEY} at /db'],
  ['"/srv/${DB_PASSWORD}:/db"', { DB_PASSWORD: 'abc' }, '/srv/${DB_PASSWORD} at /db'],
  ['"/srv/${DIR}:/db"', { DIR: 'p%ss+w=rd' }, '/srv/${DIR} at /db'],
  ['"/srv/${DIR}:/db"', { DIR: 'x'.repeat(64) }, '/srv/${DIR} at /db'],
])('the text of a mount has the path where it is known and no secret: %s with %j', (mount, variables, text) => {
  const keepers = keepersIn(file('{ data: {} }', `[${mount}]`), new Map(Object.entries(variables)));
  expect(keepers.flatMap(({ mounts }) => mounts.map((one) => one.text))).toEqual([text]);
});
