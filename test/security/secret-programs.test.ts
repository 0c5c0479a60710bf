import { describe, expect, it } from 'vitest';
import { oneError, told } from '../support/problems.ts';
import { head } from '../support/world.ts';
import { project, trueup } from '../cli/process.ts';
import { keyText } from '../support/state-key.ts';

/** A program that gives secrets is given those of the pipeline. */

const credentials = {
  TRUEUP_API_KEY: 'canary-1',
  TRUEUP_STATE_KEY: keyText,
  TRUEUP_SECRET_OTHER: 'canary-3',
  GITHUB_TOKEN: 'canary-4',
  AWS_SECRET_ACCESS_KEY: 'canary-5',
  CI_JOB_TOKEN: 'canary-6',
  NPM_TOKEN: 'canary-7',
  DATABASE_URL: 'canary-8',
  VAULT_TOKEN: 'allowed-9',
};

/** Lists the names of the variables that a program gets. */
async function namesOf(env: string): Promise<readonly string[]> {
  const program = `console.log(Object.keys(process.env).join(' '))`;
  const folder = project({
    'trueup.yaml':
      `trueup: 1\nplatform: emulator\nproject: prj_1\nsecrets: [{ command: [node, program.cjs, "{name}"]${env} }]\n` +
      'environments: { production: {} }\noutputs: { names: "${secret:NAMES}" }\n',
    'program.cjs': program,
  });
  const words = ['output', 'names', '--show-secrets', '--allow-secret-commands', '-C', folder];
  const { out, err } = await trueup(words, { env: { ...credentials, LANG: 'C', HOME: folder } });
  expect(err).toBe('');
  return out.trim().split(' ');
}

describe('S14: a program of secrets: gets no credentials', () => {
  it('S14: but PATH, HOME and the language', async () => {
    expect((await namesOf('')).toSorted()).toEqual(['HOME', 'LANG', 'PATH']);
  });

  it('S14: and what its source lists', async () => {
    expect((await namesOf(', env: [VAULT_TOKEN, UNSET]')).toSorted()).toEqual(['HOME', 'LANG', 'PATH', 'VAULT_TOKEN']);
  });

  it.each(['TRUEUP_API_KEY', 'trueup_state_key', 'TRUEUP_SECRET_A'])('S14: which may not list %s', async (name) => {
    const text = `${head}secrets: [{ command: [a, "{name}"], env: [§${name}] }]\n`;
    expect(await told(text)).toEqual(oneError('wrong-type', 'must not be a variable of Trueup'));
  });

  it('S14: nor list anything beside a file', async () => {
    expect(await told(`${head}secrets: [§{ file: a, env: [A] }]\n`)).toEqual(
      oneError('wrong-type', 'can have env only beside a program'),
    );
  });
});
