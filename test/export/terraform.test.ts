import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { onlyProject, readTerraformState } from '../../src/export/terraform.ts';
import { everything, idOf } from '../support/faults.ts';
import { exportOf } from '../support/exporting.ts';
import { bench, head } from '../support/world.ts';

/** A Terraform state as a public provider of the platform writes it; ids and secrets in it are made up. */
const fixture = readFileSync(join(import.meta.dirname, '../fixtures/terraform/terraform.tfstate'), 'utf8');

const stack = '{ source: { type: raw, composeFile: "services: { web: { image: nginx } }" } }';
const manifest = `${head}environments:
  production:
    compose: { shop-web: ${stack}, by-hand: ${stack} }
    postgres:
      main: { dockerImage: "postgres:17", databaseName: d, databaseUser: u, databasePassword: secret-1 }
`;

/** A platform with what the fixture names, and the fixture with the ids of that platform. */
async function both() {
  const made = bench();
  await made.apply(manifest, everything);
  const ids = {
    'tf-environment-id': 'env_prj_1',
    'tf-compose-id': idOf(made, 'production.compose.shop-web'),
    'tf-postgres-id': idOf(made, 'production.postgres.main'),
  };
  const text = Object.entries(ids).reduce((result, [name, id]) => result.replaceAll(name, id), fixture);
  return { made, state: readTerraformState(text, 'terraform.tfstate') };
}

describe('an export with a Terraform state', () => {
  test('names blocks like the Terraform addresses, is proved by a plan, and says what only one of the two has', async () => {
    const { made, state } = await both();
    made.requests('POST');
    const exported = await exportOf(made, state);
    expect(exported.isEmpty).toBe(true);
    expect(made.requests('POST')).toEqual([]);
    const ofProject = [...exported.blocks.keys()].filter((address) => address.startsWith('live'));
    expect(ofProject).toEqual(['live', 'live.compose.by-hand', 'live.compose.web', 'live.postgres.database-0']);
    const notes = exported.notes.filter(({ code }) => code === 'not-in-both');
    const [last, ...others] = notes.map(({ message }) => message).toReversed();
    expect(others.toReversed()).toEqual([
      'dokploy_application.gone (tf-application-id) of the Terraform state: the platform does not show it in this project or its organization',
      'dokploy_environment_variables.web (tf-variables-id) of the Terraform state: no block of a manifest stands for it',
    ]);
    // All of them in one line.
    expect(last).toMatch(/^on the platform, and not in the Terraform state: .*live\.compose\.by-hand/);
    expect(last).not.toContain('live.compose.web');
  });

  test('names no block after a resource that has the id of a service and is none', async () => {
    const { made, state } = await both();
    const id = idOf(made, 'production.compose.shop-web');
    const variables = {
      address: 'dokploy_environment_variables.odd',
      type: 'dokploy_environment_variables',
      id,
      key: 'odd',
    };
    const { blocks } = await exportOf(made, { objects: [...state.objects, variables] });
    expect([...blocks.keys()]).toContain('live.compose.web');
    expect([...blocks.keys()].filter((address) => address.includes('odd'))).toEqual([]);
  });

  test('takes addresses and ids, and no attribute', async () => {
    const { made, state } = await both();
    expect(JSON.stringify(state)).not.toContain('canary');
    const { files, notes } = await exportOf(made, state);
    expect(JSON.stringify([[...files], notes])).not.toContain('canary');
    expect(onlyProject(state)).toBe('prj_1');
  });
});

describe('a file that is no Terraform state of version 4', () => {
  const others: readonly (readonly [name: string, text: string, message: string])[] = [
    ['no JSON', 'resource "dokploy_compose" "web" {}', 'f is no Terraform state: it is not JSON'],
    ['a list', '[]', 'f is no Terraform state of version 4'],
    ['null', 'null', 'f is no Terraform state of version 4'],
    ['another document', '{"version": 4}', 'f is no Terraform state of version 4'],
    [
      'an older version',
      '{"version": 3, "modules": []}',
      'f is a Terraform state of version 3, and Trueup reads version 4',
    ],
    [
      'an encrypted state',
      '{"serial": 1, "encrypted_data": "canary", "encryption_version": "v0"}',
      'f is an encrypted state',
    ],
    [
      'hostile members',
      '{"version": 4, "resources": [{"mode": "managed", "type": "__proto__", "name": {"canary": 1}, "instances": []}]}',
      'f is no Terraform state of version 4',
    ],
  ];

  test.each(others)('is refused without its text: %s', (_name, text, message) => {
    const error = (() => {
      try {
        return readTerraformState(text, 'f');
      } catch (reason) {
        return reason;
      }
    })();
    if (!(error instanceof Stop)) throw new Error('it was read');
    expect(error.diagnostics.map((one) => one.message)).toEqual([message]);
    expect(JSON.stringify(error.diagnostics)).not.toContain('canary');
  });

  test('with names of members that every object has holds no object', () => {
    const resource = { mode: 'managed', type: 'constructor', name: 'x', instances: [{ attributes: { id: 'i' } }] };
    expect(readTerraformState(JSON.stringify({ version: 4, resources: [resource] }), 'f').objects).toEqual([]);
  });
});
