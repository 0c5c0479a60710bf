import { describeExitCodes } from '../render/exit-codes.ts';
import type { Options } from './flags.ts';

/** The options of every command. */
export const globalOptions = {
  '-C, --directory <dir>': 'folder of the manifest (default: the current one)',
  '-f, --file <name>': {
    about: 'root file in that folder, with its state beside it; of some commands repeatable (default: trueup.yaml)',
    isRepeatable: true,
  },
  '--var <name=value>': { about: 'value of a variable; repeatable; also TRUEUP_VAR_<name>', isRepeatable: true },
  '--var-file <file>': {
    about: 'YAML file with values of variables, name: value; repeatable',
    isRepeatable: true,
  },
  '--preview <id>': 'preview of a root file that has preview:, such as the number of a pull request',
  '--connections <n>': { about: 'largest number of requests at a time', default: '4' },
  '--no-bulk': 'read each object with a request of its own, also where the platform answers many in one',
  '--lock-timeout <time>':
    'wait so long for a run that holds the lock of the state: 30s, 5m (default: 0; of a preview: 15m)',
  '--allow-secret-commands': 'run the programs that the manifest names under secrets:',
  '--pinned': 'only TRUEUP_URL and TRUEUP_STATE_URL choose platform and state; the default where CI is set',
  '--no-pinned': 'the manifest may choose them; also TRUEUP_PINNED=false',
  '--allow-http': 'allow plain http to other machines; also TRUEUP_ALLOW_HTTP=true',
  '--format <format>': {
    about: 'format of stdout: text, json; of some commands also html, markdown, sarif, junit, svg or dot',
    default: 'text',
  },
  '--link-base <url>': 'where markdown links lines of files to; default: the commit that the forge runs',
  '--marker <name>': 'name of the comment in its first line, in markdown; default: made from the manifest',
  '--no-color': 'no colour; also NO_COLOR=1',
} as const satisfies Options;

/** The help of the program below its commands. */
export const programHelp = `
Environment:
  TRUEUP_API_KEY        key of the platform
  TRUEUP_URL            the only platform that this run may use
  TRUEUP_SECRET_<NAME>  value of \${secret:NAME}
  TRUEUP_AGE_IDENTITY, TRUEUP_AGE_IDENTITY_FILE
                        key that decrypts age secrets, or a file with the key
  TRUEUP_VAR_<name>     value of \${var:name}
  TRUEUP_STATE_KEY      key that authenticates the state; a state in a folder has one of its own: .trueup/key
  TRUEUP_STATE_URL      the only location of the state that this run may use: postgres://…, s3://bucket/prefix?endpoint=…
  TRUEUP_PINNED         true or false: --pinned, --no-pinned
  TRUEUP_ENV_ALLOW      names that \${env:…} may read where CI is set, such as REGION,CI_COMMIT_*
  TRUEUP_FILE_ALLOW     files that git does not track and a run may read, such as build/*.yml
  TRUEUP_ALLOW_HTTP     true: --allow-http
  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
                        key for the state, for state: { backend: s3 }
  HTTPS_PROXY, NO_PROXY proxy for requests, and hosts that are reached without it
  TRUEUP_DEBUG=1        prints the stack of an error, and warnings of Node
  OTEL_EXPORTER_OTLP_ENDPOINT
                        exports an OpenTelemetry trace of the run

Exit codes:
${describeExitCodes()}
Examples:
  trueup validate
  trueup plan -C deploy --var tag=2025.11.3
  trueup plan --no-bulk
  trueup apply --auto-approve --format json`;
