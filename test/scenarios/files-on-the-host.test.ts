import { describe, expect, test } from 'vitest';
import { actionsOf, everything, refusal } from '../support/faults.ts';
import { composeBody } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** The files of mounts: the platform deletes one by `rm -rf`, and hides the failure of an update. */

const stack = (files: string) =>
  `${head}environments:\n  production:\n    compose:\n      shop: { ${composeBody}, deploy: never, files: { ${files} } }\n`;

const idOfCompose = (made: Bench) => Object.keys(made.emulator.world.tables.compose)[0] ?? '';
const byHand = (made: Bench, filePath: string) =>
  made.emulator.act('mounts.create', {
    type: 'file',
    filePath,
    mountPath: filePath,
    content: 'theirs',
    serviceType: 'compose',
    serviceId: idOfCompose(made),
  });
/** The paths whose files are not on the host. */
const lost = ({ emulator: { world } }: Bench) =>
  Object.values(world.tables.hostFile).flatMap(({ mountId, content }) =>
    content === null ? [world.tables.mount[String(mountId)]?.['filePath']] : [],
  );

describe('a file that another one needs as a folder', () => {
  const pair = 'conf: { content: "1" }, conf/shop.conf: { content: "2" }, conf/more.conf: { content: "3" }';
  const mounts = `{ /a: { type: file, filePath: ./conf, content: "1" }, /b: { type: file, filePath: /conf//b, content: "2" }, /conf: { type: volume, volumeName: conf } }`;
  const application = `${head}environments:\n  production:\n    application:\n      web: { source: { type: docker, image: nginx }, mounts: ${mounts} }\n`;

  test.each([
    ['files', stack(pair), 'conf is a file, and the folder of production.compose.shop.files["conf/shop.conf"]: '],
    ['mounts', application, './conf is a file, and the folder of production.application.web.mounts["/b"]: '],
  ])('is one error under %s, before anything is sent', async (_section, text, begins) => {
    const made = bench();
    expect(await refusal(made, () => made.plan(text))).toMatchObject([
      {
        code: 'inconsistent',
        message: expect.stringContaining(begins) as string,
        position: { line: expect.any(Number) as number },
      },
    ]);
    expect(made.requests('POST')).toEqual([]);
  });

  test('is none where the two are of different services, or one only begins like the other', async () => {
    const made = bench();
    const other = `      other: { ${composeBody}, deploy: never, files: { conf/shop.conf: { content: "2" } } }\n`;
    const text = `${stack('conf: { content: "1" }, conf.d/shop.conf: { content: "2" }')}${other}`;
    await made.apply(text, everything);
    expect(actionsOf(await made.plan(text))).toEqual([]);
  });

  test('is of another person: its deletion, which deletes the file below it, needs a permission', async () => {
    const made = bench();
    const text = stack('conf: { content: "1" }');
    await made.apply(stack(''), everything);
    await byHand(made, 'conf/theirs.conf');
    await made.apply(text, everything);
    expect(lost(made)).toEqual(['conf']);
    const planned = await made.plan(text);
    expect(planned.actions.filter(({ action }) => action === 'replace')).toMatchObject([
      { dataAtRisk: 'conf/theirs.conf, which the platform deletes together with this file' },
    ]);
    await expect(made.apply(text)).rejects.toThrow();
    expect(lost(made)).toEqual(['conf']);
    // With the permission the platform does so.
    await made.apply(text, everything);
    expect(lost(made)).toEqual(['conf/theirs.conf']);
    expect(actionsOf(await made.plan(text))).toEqual([]);
  });
});

describe('a file that is too large for the command of an update', () => {
  const text = (content: string) => stack(`a.json: { content: "${content}" }`);
  const onHost = ({ emulator: { world } }: Bench) =>
    Object.values(world.tables.mount).map(
      ({ mountId, content }) => world.tables.hostFile[String(mountId)]?.['content'] ?? content,
    );

  test('is left as it was by the platform, which says nothing', async () => {
    const made = bench();
    await made.apply(text('old'), everything);
    const [mountId] = Object.keys(made.emulator.world.tables.mount);
    await made.emulator.act('mounts.update', { mountId, content: 'x'.repeat(98_400) });
    expect(onHost(made)).toEqual(['old']);
    await made.emulator.act('mounts.update', { mountId, content: 'x'.repeat(98_100) });
    expect(onHost(made)).toEqual(['x'.repeat(98_100)]);
  });

  test.each(['edit', 'drift'])('is deleted and created again on %s, and then plans nothing', async (cause) => {
    const made = bench();
    const [before, after] =
      cause === 'edit' ? ['old', 'y'.repeat(150_000)] : ['y'.repeat(150_000), 'y'.repeat(150_000)];
    await made.apply(text(before), everything);
    const [mountId] = Object.keys(made.emulator.world.tables.mount);
    if (cause === 'drift') await made.emulator.act('mounts.update', { mountId, content: 'theirs' });
    made.requests('POST');
    await made.apply(text(after), everything);
    expect(made.requests('POST')).toEqual(['mounts.remove', 'mounts.create']);
    expect(onHost(made)).toEqual([after]);
    expect(actionsOf(await made.plan(text(after)))).toEqual([]);
  });

  test('is updated when its new content is small', async () => {
    const made = bench();
    await made.apply(text('y'.repeat(150_000)), everything);
    made.requests('POST');
    await made.apply(text('new'), everything);
    expect(made.requests('POST')).toEqual(['mounts.update']);
    expect(onHost(made)).toEqual(['new']);
    expect(actionsOf(await made.plan(text('new')))).toEqual([]);
  });

  test('is refused on another server', async () => {
    const made = bench();
    const elsewhere = (size: number) =>
      `${text('y'.repeat(size)).replace('deploy: never', 'deploy: never, serverId: box')}servers:\n  box: { ipAddress: 192.0.2.9, sshKey: key-1 }\n`;
    expect(await refusal(made, () => made.plan(elsewhere(96_001)))).toMatchObject([
      { code: 'inconsistent', message: expect.stringContaining('more than 96,000 bytes') as string },
    ]);
    await made.apply(elsewhere(96_000), everything);
    expect(actionsOf(await made.plan(elsewhere(96_000)))).toEqual([]);
  });
});
