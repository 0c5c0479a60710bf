import { describe, expect, it } from 'vitest';
import { readValues } from '../../src/cli/values-of-plan.ts';
import { applyCommand, planCommand } from './asked.ts';
import { processOfTest } from '../support/process.ts';
import { documentIn, places } from './place.ts';

/** The options for the values that a plan shows. */

const open = places();

const manifest = (tag: string, more = '') => `environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx:${tag}, command: x } }" }
        env: { TAG: "${tag}", DB_PASSWORD: hunter2-${tag} }
${more}`;

const composeId = (place: Awaited<ReturnType<typeof open>>) => place.idOf('production.compose.shop');

/** A process with a terminal for its output. */
function onTerminal(cwd: string) {
  const made = processOfTest({ cwd });
  return Object.assign(made, { stdout: Object.assign(made.stdout, { isTTY: true }) });
}

describe('a plan', () => {
  it('shows what stands in the manifest in clear, and nothing that looks secret', async () => {
    const place = await open(manifest('1'));
    place.rewrite(manifest('2'));
    const { out } = await place.run(planCommand({}));
    expect(out).toContain('env.TAG: "1" -> "2"\n');
    expect(out).toContain('~ env.DB_PASSWORD: (sensitive -> sensitive)\n');
    expect(out).toMatch(/image: nginx:1.*image: nginx:2/s);
    expect(out).not.toContain('hunter2');
    const json = documentIn(await place.run(planCommand({}), { format: 'json' }));
    expect(JSON.stringify(json)).toContain('{"is":"value","value":"2"}');
    expect(JSON.stringify(json)).not.toContain('hunter2');
  });

  it('with --hide-values shows no value of env and compose files', async () => {
    const place = await open(manifest('1'));
    place.rewrite(manifest('2'));
    const { out } = await place.run(planCommand({ hideValues: true }));
    expect(out).toContain('~ env.TAG: (sensitive -> sensitive)\n');
    expect(out).not.toMatch(/nginx|hunter2/);
    const applied = await place.run(applyCommand({ hideValues: true, autoApprove: true }));
    expect(applied.out).not.toMatch(/nginx:|hunter2/);
    expect((await place.run(planCommand({}))).out).toContain('No changes.');
  });

  it('names keys that only the platform has, and shows their values with --show-values', async () => {
    const place = await open(manifest('1'));
    const env = 'TAG=1\nDB_PASSWORD=hunter2-1\nREGION=eu-central\nOTHER_TOKEN=x1y2z3\n';
    await place.emulator.act('compose.update', { composeId: composeId(place), env });
    const usual = await place.run(planCommand({}));
    expect(usual.out).toContain('- env.REGION: (sensitive)');
    const signals = onTerminal(place.folder);
    const { out } = await place.run(planCommand({ showValues: true }), { signals });
    expect(out).toContain('- env.REGION: eu-central');
    expect(out).toContain('- env.OTHER_TOKEN: (sensitive)');
    expect(out).not.toMatch(/x1y2z3|hunter2/);
  });
});

describe('--show-values', () => {
  const flags = { showValues: true } as const;
  const terminal = { process: onTerminal('/') };

  it('works on a terminal only', () => {
    expect(readValues(terminal, { asks: true }, flags)).toBe('all');
    const why = 'works on a terminal only: standard output is not a terminal';
    expect(() => readValues({ process: processOfTest({ cwd: '/' }) }, { asks: true }, flags)).toThrow(why);
    expect(() => readValues(terminal, { asks: false }, flags)).toThrow('this --format is for programs');
    expect(() => readValues(terminal, { asks: true }, { ...flags, hideValues: true })).toThrow('exclude each other');
    expect(readValues(terminal, { asks: true }, {})).toBe('usual');
  });

  it('writes no plan file', async () => {
    const place = await open(manifest('1'));
    const signals = onTerminal(place.folder);
    const { err } = await place.run(planCommand({ ...flags, out: 'a.plan' }), { signals });
    expect(err).toContain('--show-values cannot be combined with --out');
  });
});
