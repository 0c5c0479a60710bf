import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { actionsOf, everything, idOf, notesOf, plansNothing, rowsIn } from '../support/faults.ts';
import { bench, head } from '../support/world.ts';

/** F18: what means nothing changes nothing, and a mistake is called by its name. */

const production = (sections: string) => `${head}environments:\n  production:\n${sections}`;
const mark = '\uFEFF';

describe('F18: a list whose order means nothing', () => {
  const git = (paths: readonly string[]) =>
    `source: { type: git, url: "https://git.example.com/a.git", branch: main, watchPaths: ${JSON.stringify(paths)} }`;

  test.each(['compose', 'application'])('watchPaths of a %s in another order are no change', async (section) => {
    const text = (...paths: string[]) => production(`    ${section}:\n      api: { ${git(paths)} }\n`);
    const made = bench();
    await made.apply(text('src/**', 'deploy/**', 'a'), everything);
    await plansNothing(made, text('deploy/**', 'a', 'src/**'));
    const added = text('src/**', 'deploy/**', 'a', 'b');
    expect(actionsOf(await made.plan(added))).toEqual([`update production.${section}.api`]);
    await made.apply(added, everything);
    await plansNothing(made, added);
  });

  test('watchPaths with one that takes away are in order', async () => {
    const text = (...paths: string[]) => production(`    application:\n      api: { ${git(paths)} }\n`);
    const made = bench();
    await made.apply(text('src/**', '!src/docs/**'), everything);
    expect(actionsOf(await made.plan(text('!src/docs/**', 'src/**')))).toEqual(['update production.application.api']);
  });

  test('labels of previews and addresses of mails in another order are no change', async () => {
    const text = (labels: string, addresses: string) =>
      production(
        `    application:\n      api: { ${git(['a'])}, isPreviewDeploymentsActive: true, previewLabels: ${labels} }\n`,
      ) +
      `notifications:\n  ops: { appDeploy: true, to: { type: email, smtpServer: a.test, smtpPort: 25, username: u, password: correct-horse-1, fromAddress: a@b.test, toAddresses: ${addresses} } }\n`;
    const made = bench();
    await made.apply(text('[preview, ready]', '[a@x.test, b@x.test]'), everything);
    const other = text('[ready, preview]', '[b@x.test, a@x.test]');
    expect(actionsOf(await made.plan(other))).toEqual([]);
    await plansNothing(made, other);
  });
});

describe('F18: a comment in an env text', () => {
  const text = (env: string, section: string) =>
    production(
      section === 'compose'
        ? `    compose:\n      shop: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, env: ${JSON.stringify(env)} }\n`
        : section === 'redis'
          ? `    redis:\n      shop: { dockerImage: "redis:8", databasePassword: correct-horse-1, env: ${JSON.stringify(env)} }\n`
          : `    application:\n      shop: { source: { type: docker, image: nginx }, env: ${JSON.stringify(env)} }\n`,
    );

  test.each(['compose', 'application', 'redis'])('of a %s is stored, and nothing is deployed', async (section) => {
    const made = bench();
    await made.apply(text('# one\nA=1\nB=2\n', section), everything);
    for (const env of ['# two\nA=1\nB=2\n', 'A=1\n\n  B=2   \n', 'B=2\nA="1" # three\n']) {
      expect(actionsOf(await made.plan(text(env, section)))).toEqual([`update production.${section}.shop`]);
      await made.apply(text(env, section));
      expect(Object.values(made.emulator.world.tables[section as 'redis'])).toMatchObject([{ env }]);
      await plansNothing(made, text(env, section));
    }
    expect(actionsOf(await made.plan(text('# two\nA=2\nB=2\n', section)))).toContain(
      `deploy production.${section}.shop (deploy)`,
    );
  });
});

test('F18: a comment beside what a person wrote to the platform is deployed: what runs is not known', async () => {
  const text = (env: string) =>
    production(
      `    compose:\n      shop: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, env: ${JSON.stringify(env)} }\n`,
    );
  const made = bench();
  await made.apply(text('A=1\n'), everything);
  await made.emulator.act('compose.update', { composeId: idOf(made, 'production.compose.shop'), env: 'A=2\n' });
  const edited = text('# two\nA=2\n');
  expect(actionsOf(await made.plan(edited))).toContain('deploy production.compose.shop (deploy)');
  await made.apply(edited);
  await plansNothing(made, edited);
});

test('F18: a map of variables that becomes a text with the same ones, or the reverse, deploys nothing', async () => {
  const text = (env: unknown) =>
    production(
      `    compose:\n      shop: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, env: ${JSON.stringify(env)} }\n`,
    );
  const made = bench();
  await made.apply(text({ A: '1', B: '2' }), everything);
  const update = 'update production.compose.shop';
  const deploy = 'deploy production.compose.shop (deploy)';
  for (const [env, expected] of [
    ["# said\nA='1'\nB=2\n", [update]],
    [{ A: '1', B: '2' }, []],
    ['B=2\nA=1\n', [update]],
    [{ A: '1', B: '2' }, []],
  ] as const) {
    expect(actionsOf(await made.plan(text(env)))).toEqual(expected);
    await made.apply(text(env));
    await plansNothing(made, text(env));
  }
  expect(actionsOf(await made.plan(text('A=2\n')))).toEqual([update, deploy]);
  await made.emulator.act('compose.update', { composeId: idOf(made, 'production.compose.shop'), env: "A='3'\n" });
  expect(actionsOf(await made.plan(text('A=3\n')))).toEqual([update, deploy]);
});

describe('F18: a byte order mark', () => {
  const files = (bom: string) => ({
    'trueup.yaml': `${bom}${head}include: [more.yaml]\n`,
    'more.yaml': `${bom}environments:\n  production:\n    compose:\n      shop:\n        source: { type: raw, composeFile: "\${file:compose.yaml}" }\n        env: \${file:shop.txt}\n        files: { a.conf: { content: "\${file:a.conf}" } }\n`,
    'compose.yaml': `${bom}services: { web: { image: nginx } }\n`,
    'shop.txt': `${bom}A=1\nB=2\n`,
    'a.conf': `${bom}listen 80;\n`,
  });

  test('of a file is not sent, and is no change', async () => {
    const made = bench();
    await made.apply(files(mark), everything);
    expect(rowsIn(made, 'compose')).toMatchObject([{ env: 'A=1\nB=2\n' }]);
    expect(JSON.stringify(made.emulator.world.tables)).not.toContain(mark);
    await plansNothing(made, files(mark));
    await plansNothing(made, files(''));
  });
});

describe('F18: an alias without an anchor', () => {
  const refusal = async (file: string) => {
    const text = production(
      `    compose:\n      shop: { source: { type: raw, composeFile: ${JSON.stringify(file)} } , domains: { a.test: { serviceName: web } } }\n`,
    );
    const error: unknown = await bench()
      .plan(text)
      .then(notesOf, (reason: unknown) => reason);
    return error instanceof Stop ? error.diagnostics.map(({ message }) => message) : error;
  };

  test.each([
    'services:\n  web: *base\n',
    'services:\n  web: { <<: *base, image: nginx }\n',
    'x: [*base, &base 1]\nservices: { web: {} }\n',
  ])('of the compose file %j is called so, with its line', async (file) => {
    const line = file.startsWith('x') ? 1 : 2;
    expect(await refusal(file)).toEqual([
      `source.composeFile: a value that begins with * is an alias, and no anchor stands before that in line ${line} of the compose file`,
    ]);
  });
});
