import { passwordsIn } from '../passwords-in-addresses.ts';
import { isSecretEntry } from '../looks-secret.ts';
import { type Redactor, createRedactor } from '../redactor.ts';
import { readStageVariable } from '../stage-variables.ts';

/** Secrets from the environment: `${secret:NAME}` is the variable TRUEUP_SECRET_NAME. */
export function envSecrets(env: Readonly<Record<string, string | undefined>>): (name: string) => string | undefined {
  // Only this prefix: a manifest from a pull request must not be able to name any other variable of the run.
  // A pipeline passes a secret that is not set as an empty one; an empty secret is never meant.
  return (name) => env[`TRUEUP_SECRET_${name}`] || undefined;
}

/**
 * Every secret that the environment offers, by the rule of plans, whether a manifest mentions it or not: a secret that a
 * change of the manifest leaves out may still stand on the platform, and a forge may quote its token.
 */
export function secretsOfEnvironment(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([written, value = '']) => {
    const name = readStageVariable(written)?.plain ?? written;
    if (name === 'TRUEUP_AGE_IDENTITY') return value.split(/\r\n|\r|\n/).filter((line) => !line.startsWith('#'));
    const isNamed = name.startsWith('TRUEUP_SECRET_') || credentials.has(name) || isSecretEntry(name, value);
    if (isNamed) return [value];
    if (!addresses.has(name.toUpperCase())) return [];
    // An address of a proxy needs no scheme.
    return passwordsIn(value.includes('://') ? value : `http://${value}`);
  });
}

/** A redactor that knows every secret of the environment. */
export function redactorOf(env: Readonly<Record<string, string | undefined>>): Redactor {
  const redactor = createRedactor();
  redactor.add(() => secretsOfEnvironment(env));
  return redactor;
}

const credentials = new Set(['TRUEUP_API_KEY', 'TRUEUP_STATE_KEY', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']);
const addresses = new Set(['TRUEUP_URL', 'TRUEUP_STATE_URL', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']);

/** The remedy for secrets that a run does not have. */
export function howToGive(names: readonly string[]): string {
  const variables = names.map((name) => `TRUEUP_SECRET_${name}`).join(', ');
  return `Set ${variables}, or name a source under secrets: that has ${names.length === 1 ? 'it' : 'them'}.`;
}
