import { describe, expect, it } from 'vitest';
import { hasChanges } from '../../src/plan/action.ts';
import { shown } from '../render/plans.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** What a reviewer reads of long texts, from the manifest to the text of the plan. */

const file = (tag: string, password: string): string => `services:
  web:
    image: nginx:${tag}
    environment:
      DATABASE_URL: postgres://shop:${password}@db/shop
      LOG_LEVEL: info
    restart: always
    ports: ["8080:80"]
  db:
    image: postgres:17
    environment:
      TZ: UTC
`;

const manifest = (tag: string, env: string, text = file(tag, '${secret:PASSWORD}')): Record<string, string> => ({
  'trueup.yaml': `${head}environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: ${JSON.stringify(text)} }
        env: ${JSON.stringify(env)}
`,
});

/** Applies a manifest, and then plans nothing. */
async function applied(world: Bench, files: Record<string, string>): Promise<string> {
  await world.apply(files);
  expect(hasChanges(await world.plan(files))).toBe(false);
  return world.store.state?.resources['production.compose.shop']?.id ?? '';
}

describe('the plan of a compose', () => {
  it('shows the lines of the file that change, and marks a secret in one that stays', async () => {
    const world = bench();
    world.secrets.PASSWORD = 'first-pass-0001';
    await applied(world, manifest('1.27', 'A=1\n'));
    const image = shown(await world.plan(manifest('1.28', 'A=1\n')));
    expect(image).toContain(`    source.composeFile:
      @@ -1,6 +1,6 @@ services.web
        services:
          web:
      -     image: nginx:1.27
      +     image: nginx:1.28
            environment:
              DATABASE_URL: postgres://shop:(sensitive)@db/shop
              LOG_LEVEL: info
`);
    world.secrets.PASSWORD = 'second-pass-0002';
    const both = shown(await world.plan(manifest('1.28', 'A=1\n')));
    expect(both).toContain('      ~       DATABASE_URL: postgres://shop:(sensitive -> sensitive)@db/shop\n');
    expect(both).toContain('      +     image: nginx:1.28\n');
    expect(both).not.toMatch(/first-pass|second-pass/);
    await applied(world, manifest('1.28', 'A=1\n'));
  });

  it('shows an env text by key, also in a conflict', async () => {
    const world = bench();
    world.secrets.PASSWORD = 'first-pass-0001';
    const id = await applied(world, manifest('1.27', '# shop\nREGION=eu\nOLD=1\nAPI_TOKEN=${secret:PASSWORD}\n'));
    const next = manifest('1.27', '# shop\nREGION=us\nAPI_TOKEN=${secret:PASSWORD}\nWORKERS=4\n');
    const plan = shown(await world.plan(next));
    expect(plan).toContain('    env.REGION: eu -> us\n    - env.OLD: "1"\n    + env.WORKERS: "4"\n  ^ deploy');
    world.secrets.PASSWORD = 'second-pass-0002';
    expect(shown(await world.plan(next))).toContain('    ~ env.API_TOKEN: (sensitive -> sensitive)\n');
    await world.emulator.act('compose.update', { composeId: id, env: 'REGION=by-hand\nSECRET_KEY=of-somebody-77\n' });
    const conflict = shown(await world.plan(next));
    expect(conflict).toContain('conflict');
    expect(conflict).not.toMatch(/first-pass|second-pass|of-somebody-77/);
    await applied(world, next);
  });

  it('shows what somebody changed in a file without secrets, and what apply writes', async () => {
    const world = bench();
    const text = (tag: string) => file(tag, 'x').replace(/.*DATABASE.*\n/, '');
    const plain = (tag: string) => manifest(tag, 'A=1\n', text(tag));
    const id = await applied(world, plain('1.27'));
    const byHand = text('1.27').replace('8080:80', '9090:80');
    await world.emulator.act('compose.update', { composeId: id, composeFile: byHand });
    const drift = shown(await world.plan(plain('1.27')));
    expect(drift).toContain('    source.composeFile: (drift: changed on the platform, apply puts it back)\n');
    expect(drift).toContain('      -     ports: ["9090:80"]\n      +     ports: ["8080:80"]\n');
    const conflict = shown(await world.plan(plain('1.28')));
    expect(conflict).toContain('(conflict: changed here and on the platform, apply writes what the manifest says)');
    expect(conflict).toMatch(
      /\(changed on the platform since the last apply:\)[^]*- +ports: \["8080:80"\]\n +\+ +ports: \["9090/,
    );
    await applied(world, plain('1.28'));
  });
});
