import { describe, expect, test } from 'vitest';
import { mayHoldSecrets } from '../../src/kind/field.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { storedPair } from '../../src/plan/stored-pairs.ts';
import { kinds } from '../../src/resources/index.ts';
import { digestsOf } from '../../src/state/digests.ts';
import { attributeField } from '../../src/kind/attribute.ts';
import { kindNamed, secretPart, textOf } from '../support/plan-values.ts';
import { bench, head } from '../support/world.ts';

/** Secrets in fields that plans show, or that objects are found by. */

const main = 'production.redis.main';

/** A manifest with one Redis. */
const redis = (fields: string, more = '') => `${head}${more}environments:
  production:
    redis:
      main:
        databasePassword: correct-horse-1
${fields}`;

async function problemsOf(text: string, secrets: Readonly<Record<string, string>> = { A: 'hunter2-hunter2', B: 'b' }) {
  const made = bench();
  Object.assign(made.secrets, secrets);
  try {
    await made.manifest(text);
  } catch (error) {
    if (error instanceof Stop) return error.diagnostics;
    throw error;
  }
  return [];
}

const written = async (text: string, secrets?: Readonly<Record<string, string>>) =>
  (await problemsOf(text, secrets)).map(
    ({ code, message, remedy, position }) =>
      `${code} ${position?.line ?? 0}:${position?.column ?? 0}-${position?.endColumn ?? 0} ${message} -> ${remedy ?? ''}`,
  );

describe('a secret is refused, with the line to write instead,', () => {
  test('where the field shows, whether or not the run has the secret', async () => {
    const expected = [
      'misplaced-secret 9:22-33 dockerImage must not hold ${secret:A}: plans and messages show its value' +
        ' -> Write dockerImage: "${var:A}", declare A: {} under variables:, and set TRUEUP_VAR_A to the value.',
    ];
    expect(await written(redis('        dockerImage: ${secret:A}\n'))).toEqual(expected);
    expect(await written(redis('        dockerImage: ${secret:A}\n'), {})).toEqual(expected);
  });

  test('in a part of a text, beside another one, and where the variable is declared', async () => {
    const text = redis('        dockerImage: "redis:${secret:A}-${secret:B}"\n', 'variables: { A: {} }\n');
    expect(await written(text)).toEqual([
      'misplaced-secret 10:22-53 dockerImage must not hold ${secret:A}: plans and messages show its value' +
        ' -> Write dockerImage: "redis:${var:A}-${var:B}", declare B: {} under variables:, and set TRUEUP_VAR_A and TRUEUP_VAR_B to the values.',
    ]);
  });

  test('in numbers, keys of objects, lists and groups', async () => {
    const both = redis('        externalPort: ${secret:A}\n        name: ${secret:A}\n        dockerImage: redis:8\n');
    expect((await problemsOf(both)).map(({ code, message }) => `${code} ${message.split(':')[0] ?? ''}`)).toEqual([
      'misplaced-secret externalPort must not hold ${secret',
      'misplaced-secret name must not hold ${secret',
    ]);
    const app = `${head}environments:
  production:
    application:
      web:
        source: { type: git, url: "https://\${secret:A}@git.example.com/a.git", branch: "\${secret:B}" }
        networkIds: ["\${secret:A}"]
        domains: { x: { host: "\${secret:A}", path: "\${secret:A}" } }
`;
    expect((await problemsOf(app)).map(({ message, remedy }) => `${message} -> ${remedy ?? ''}`)).toEqual([
      expect.stringMatching(/^source.branch must not hold \$\{secret:B\}: .* -> Write source.branch: "\$\{var:B\}", /),
      expect.stringMatching(/^networkIds must not hold .* -> Write \$\{var:A\} in place of \$\{secret:A\}, /),
      expect.stringMatching(/^host must not hold /),
      expect.stringMatching(/^path must not hold /),
    ]);
  });

  test('without the rest of a line that looks like a secret', async () => {
    const text = redis('        dockerImage: https://bot:hunter3-hunter3@${secret:A}/redis\n');
    const [problem] = await problemsOf(text);
    expect(problem?.remedy).toMatch(/^Write \$\{var:A\} in place of \$\{secret:A\}, declare /);
  });
});

test('the plan with the line of the remedy is empty on a state that has the field as a secret', async () => {
  const made = bench();
  const plain = redis('        dockerImage: redis:8\n        externalPort: 7001\n');
  await made.apply(plain);
  const { state } = made.store;
  const record = state?.resources[main];
  if (state === undefined || record === undefined) throw new Error('there is no state');
  const key = await made.store.key();
  const asSecret = (name: string, value: string | number) => {
    const about = { attribute: { field: name }, field: attributeField(kindNamed('redis'), { field: name }) };
    const digest = digestsOf(key, state)(main, name);
    const wanted = textOf(secretPart('A', String(value)));
    return storedPair({ ...about }, wanted, [value], { outputs: () => undefined, digest });
  };
  const pairs = {
    ...record.pairs,
    dockerImage: asSecret('dockerImage', 'redis:8'),
    externalPort: asSecret('externalPort', 7001),
  };
  expect(pairs.dockerImage.wanted).toHaveProperty('digest');
  await made.store.write({
    ...state,
    serial: state.serial + 1,
    resources: { ...state.resources, [main]: { ...record, pairs } },
  });
  const text = redis(
    '        dockerImage: ${var:IMAGE}\n        externalPort: ${var:PORT}\n',
    'variables: { IMAGE: { default: "redis:8" }, PORT: { default: 7001 } }\n',
  );
  expect(hasChanges(await made.plan(text))).toBe(false);
  await made.apply(text);
  expect(hasChanges(await made.plan(text))).toBe(false);
});

describe('no secret may stand in', () => {
  const open = kinds.flatMap((kind) =>
    Object.entries(kind.fields).flatMap(([name, field]) =>
      mayHoldSecrets(field) && field.secrecy === undefined ? [{ kind, name, field }] : [],
    ),
  );

  test('a natural key, a reference, a choice, a number or a path', () => {
    const wrong = open.filter(({ kind, name, field }) => {
      const { key, keyField } = kind.identity;
      const names = typeof key === 'function' ? key(() => null) : key;
      const isTag = (kind.unions ?? []).some(({ tag }) => tag === name);
      const isText = typeof field.examples[0] === 'string' || typeof field.examples[0] === 'object';
      return (
        [...names, keyField].includes(name) ||
        isTag ||
        !isText ||
        field.refersTo !== undefined ||
        field.words !== undefined ||
        field.appended !== undefined ||
        /path|name$/i.test(name.replace(/^(?:username|databaseName|bitbucketUsername)$/, ''))
      );
    });
    expect(wrong.map(({ kind, name }) => `${kind.kind}.${name}`)).toEqual([]);
  });

  test('any other open field', () => {
    expect([...new Set(open.map(({ name }) => name))].toSorted().join(' ')).toBe(
      'additionalFlags apiUrl applicationId args bitbucketEmail bitbucketUsername bucket channel chatId clientId command config.accessKeyId config.apiUrl config.clientId config.config config.endpoint config.environmentSlug config.namespace config.project config.projectId config.region config.siteUrl config.tenantId config.url config.vaultUri customGitUrl databaseName databaseUser description endpoint fromAddress giteaInternalUrl giteaUrl gitlabInternalUrl gitlabUrl healthCheckSwarm ipAddress labelsSwarm letsEncryptEmail logo messageThreadId redirectUri region registryUrl replacement serverIp serverUrl smtpServer toAddresses topic username',
    );
  });
});
