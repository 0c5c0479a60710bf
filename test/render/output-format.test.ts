import { describe, expect, it } from 'vitest';
import { type Format, textView } from '../../src/render/output-format.ts';
import type { PlanCommandView } from '../../src/render/reports.ts';
import { command as plan } from '../../src/cli/commands/plan.ts';
import { planCommand } from '../cli/asked.ts';
import { execute, recordingTerminal } from '../support/commands.ts';
import { documentOf, documentsOf, project, trueup } from '../cli/process.ts';

/** `--format` chooses from the formats of a command. */

const manifest = `trueup: 1
platform: emulator
project: prj_1
environments:
  production:
    redis: { cache: { dockerImage: "redis:8", databasePassword: x } }
`;

describe('a format that is added to a command', () => {
  /** All that a new file has to say. */
  const markdown: Format<PlanCommandView> = (screen) => ({
    ...textView(screen),
    plan: ({ plan }) => screen.out(plan.actions.map(({ address, action }) => `- **${action}** ${address}\n`).join('')),
  });
  /** With the one line in the table of formats. */
  const command = { ...planCommand({}), command: { ...plan, formats: { ...plan.formats, markdown } } };
  const folder = project(manifest);

  it('prints the plan without a change of the command', async () => {
    const { printed, terminal } = recordingTerminal();
    expect(await execute(command, { folder, terminal, format: 'markdown' })).toBe('done');
    const cache = 'production.redis.cache';
    const lines = ['- **adopt** production', `- **create** ${cache}`, `- **deploy** ${cache}`];
    expect(printed).toEqual({ out: lines.map((line) => `${line}\n`).join(''), err: '' });
  });

  it('leaves the others as they are', async () => {
    const { printed, terminal } = recordingTerminal();
    await execute(command, { folder, terminal, format: 'json' });
    expect(JSON.parse(printed.out)).toMatchObject({ format: 'trueup/plan', summary: { create: 1 } });
  });
});

describe('a format that a command does not have', () => {
  it.each(['xml', 'constructor', '__proto__', ''])('%j is refused with the names of those it has', async (format) => {
    const { code, out, err } = await trueup(['state', 'list', '--format', format]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`state list has no format ${JSON.stringify(format)}`);
    expect(err).toContain('It has these: text, json.');
  });
});

describe('a command line that cannot be followed', () => {
  it('is reported in the format that it asks for, laid out as the command lays it out', async () => {
    const error = { format: 'trueup/error', exitCode: 1, diagnostics: [{ code: 'usage' }] };
    const plan = await trueup(['plan', '--wrong', '--format', 'json']);
    expect(documentOf(plan)).toMatchObject(error);
    expect(plan.out.split('\n').length).toBeGreaterThan(2);
    for (const args of [
      ['apply', '--wrong', '--format=json'],
      ['-C', 'plan', 'destroy', '--wrong', '--format', 'json'],
    ]) {
      const run = await trueup(args);
      expect(documentsOf(run)).toMatchObject([error]);
      expect(run.out.split('\n')).toHaveLength(2);
    }
    expect(documentOf(await trueup(['no-such-command', '--format', 'json']))).toMatchObject(error);
  });
});
