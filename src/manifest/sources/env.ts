import { matchesGlob } from '../../formats/glob.ts';
import { type ExpressionSource, type Refusal, badExpression, nextBrace, refusePrivate } from './source.ts';

/** Variables that `${env:}` does not read: those of Trueup, and those by whose name they may hold credentials. */
const barred: readonly string[] = [
  'TRUEUP_*',
  'AWS_*',
  'AZURE_*',
  'ARM_*', // Azure, as Terraform and its pipelines name it
  'GOOGLE_*',
  'ACTIONS_*',
  'CI_JOB_*',
  'DOCKER_AUTH_CONFIG',
  '*_JWT*',
  '*TOKEN', // also GITHUB_TOKEN, GH_TOKEN and SYSTEM_ACCESSTOKEN
  '*SECRET',
  '*PASSWORD', // also PGPASSWORD
  '*PASSWD',
  '*PASSPHRASE',
  '*API_KEY',
  '*APIKEY',
  '*PRIVATE_KEY',
  'DOTENV_PRIVATE_KEY*', // its files have one key each: DOTENV_PRIVATE_KEY_PRODUCTION
  'SOPS_AGE_*',
  '*SECRET_KEY',
  '*ACCESS_KEY',
  '*ACCESS_KEY_ID',
  '*CREDENTIALS',
];

/** `${env:NAME}`: a variable of the environment of the run. */
export const env: ExpressionSource = {
  name: 'env',
  closing: nextBrace,
  conceals: 'env',
  isEncodable: true,
  files: () => [],
  resolve: (name, values) => {
    // A manifest from a pull request must not be able to write the credentials of the run anywhere.
    const refused = refuseCredentials(name);
    if (refused !== undefined) return refused;
    const text = values.env(name);
    if (text === undefined && !/^[^\s=]+$/.test(name)) {
      return badExpression(`${JSON.stringify(name)} is not a name of an environment variable`, 'Write ${env:NAME}.');
    }
    const limit = values.envLimit(name);
    if (limit !== undefined) {
      const message = `a manifest cannot read \${env:${name}}, because ${limit.why} and TRUEUP_ENV_ALLOW does not name it`;
      const remedy = `Set TRUEUP_ENV_ALLOW=${limit.allowing}, or write \${var:name} and set TRUEUP_VAR_name.`;
      return refusePrivate(message, remedy);
    }
    if (text !== undefined) return { is: 'text', text };
    return badExpression(
      `the environment variable ${name} is not set`,
      `Set ${name}, or use \${var:…} with a default.`,
    );
  },
};

/** Capitals and spaces do not count: some systems ignore them. */
function refuseCredentials(name: string): Refusal | undefined {
  const rule = barred.find((pattern) => matchesGlob(pattern, name.trim().toUpperCase()));
  if (rule === undefined) return undefined;
  const message = `a manifest cannot read \${env:${name}}`;
  if (rule !== 'TRUEUP_*') {
    const remedy =
      'Write ${secret:NAME} for a secret, and set TRUEUP_SECRET_NAME. Write ${var:name} for another value, and set TRUEUP_VAR_name.';
    return refusePrivate(`${message}, which may hold credentials (rule: ${rule})`, remedy);
  }
  return {
    is: 'refused',
    code: 'hostile-setting',
    message,
    remedy:
      'Write ${secret:NAME} for a secret. Variables that begin with TRUEUP_ configure Trueup itself; the API key is one.',
  };
}
