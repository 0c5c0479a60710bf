import { describe, expect, it } from 'vitest';
import { driftOf, edit } from '../support/drifting.ts';
import { type Bench, bench, head } from '../support/world.ts';

/** What belongs to whom: the environments of other root files are neither unmanaged nor drift. */

const web = '{ web: { source: { type: docker, image: "nginx:1.27" } } }';
const own = `${head}environment: live\napplication: ${web}\n`;
const writtenOut = `${head}environments: { live: { application: ${web} } }\n`;

/** An application in a new environment, as another root file of the folder makes them. */
async function ofAnother(made: Bench, name: string): Promise<void> {
  const { environmentId } = (await edit(made, 'environment.create', { name, projectId: 'prj_1' })) as {
    readonly environmentId: string;
  };
  await edit(made, 'application.create', { name: 'web', environmentId });
}

async function applied(text: string): Promise<Bench> {
  const made = bench();
  await made.apply(text, { adoption: true });
  expect((await made.plan(text)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  return made;
}

describe('an environment of the project that the manifest does not declare', () => {
  it('is that of another root file, with all that is in it, where the manifest has an environment', async () => {
    const made = await applied(own);
    await ofAnother(made, 'staging');
    expect(await driftOf(made, own)).toMatchObject({ exitCode: 0, findings: [] });
    expect((await made.plan(own)).observed.unmanaged).toHaveLength(0);
  });

  it('is unmanaged where the manifest has environments:', async () => {
    const made = await applied(writtenOut);
    await ofAnother(made, 'staging');
    const { exitCode, findings } = await driftOf(made, writtenOut);
    expect([exitCode, findings.map(({ is, name }) => [is, name])]).toEqual([2, [['unmanaged', 'staging']]]);
    expect((await made.plan(writtenOut)).observed.unmanaged).toHaveLength(2);
  });

  it('is named when a new environment has nearly its name', async () => {
    const made = bench();
    await ofAnother(made, 'staging');
    const { diagnostics } = await made.plan(own.replace('live', 'stagin'));
    expect(diagnostics.map(({ code, message }) => [code, message])).toContainEqual([
      'similar-name',
      'stagin is created, and there is staging, which no block declares',
    ]);
  });
});

it('finds what a person adds to the own environment', async () => {
  const made = await applied(own);
  const environmentId = (await made.store.read())?.resources['live']?.id;
  await edit(made, 'application.create', { name: 'stray', environmentId });
  const { exitCode, findings } = await driftOf(made, own);
  expect([exitCode, findings.map(({ is, name }) => [is, name])]).toEqual([2, [['unmanaged', 'stray']]]);
});
