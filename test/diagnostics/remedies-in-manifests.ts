import { manifests, read } from './in-manifests.ts';
import { database, production, stack } from './provoked.ts';
import type { Row } from './remedy.ts';

type Files = Readonly<Record<string, string>>;

/** Edits the root file of the manifest that provokes a code, and reads it again. */
function edited(code: keyof typeof manifests, from: string, to: string, given: Parameters<typeof read>[1] = {}) {
  return () => {
    const files: Files = manifests[code];
    const text = files['trueup.yaml'] ?? '';
    if (!text.includes(from)) throw new Error(`the manifest of ${code} has no ${from}`);
    return read({ ...files, 'trueup.yaml': text.replace(from, to) }, given);
  };
}

/** Gives the run of a manifest that it lacked. */
function given(code: keyof typeof manifests, about: Parameters<typeof read>[1]) {
  return edited(code, 'trueup: 1', 'trueup: 1', about);
}

/** The remedies of the codes that are found before any request. */
export const inManifests = {
  'yaml-syntax': {
    'Close it with ].': () =>
      read({
        'trueup.yaml': manifests['yaml-syntax']['trueup.yaml'].replace('[staging.yaml', '[staging.yaml]'),
        'staging.yaml': 'environments: {}\n',
      }),
    'What stands in brackets must be indented more than their key.': 'fact',
  },
  'file-unreadable': {
    'Name a file of UTF-8 text inside the workspace.': () =>
      read({ ...manifests['file-unreadable'], 'staging.yaml': 'environments: {}\n' }),
  },
  'unknown-key': { 'Did you mean dockerImage?': edited('unknown-key', ', dockerimage: "postgres:18"', '') },
  'wrong-type': {
    'Write for example port: 8080.': edited('wrong-type', 'port: eighty', 'port: 8080'),
    'Port of the container.': 'fact',
  },
  'missing-key': {
    'Write project: with the name of the project,': edited(
      'missing-key',
      'environments:',
      'project: shop\nenvironments:',
    ),
    'or with its id, which stands in the address of its page.': edited(
      'missing-key',
      'environments:',
      'project: prj_1\nenvironments:',
    ),
  },
  'defined-twice': {
    'Keep one of the two.': () => read({ ...manifests['defined-twice'], 'more.yaml': 'environments: {}\n' }),
  },
  'bad-expression': {
    'Set REGION,': given('bad-expression', { env: { REGION: 'eu' } }),
    'or use ${var:…} with a default.': () =>
      read({
        'trueup.yaml': manifests['bad-expression']['trueup.yaml']
          .replace('trueup: 1', 'trueup: 1\nvariables: { region: { default: eu } }')
          .replace('${env:REGION}', '${var:region}'),
      }),
  },
  'not-in-previews': {
    'Write ${var:suffix} in host,': edited('not-in-previews', 'host: api.example.com', 'host: "api${var:suffix}"'),
    'or take it out below changes: with !reset.': () =>
      read({
        'trueup.yaml': `${manifests['not-in-previews']['trueup.yaml']}changes: { application: { api: { domains: { main: !reset } } } }\n`,
      }),
  },
  'misplaced-secret': {
    'Write dockerImage: "${var:IMAGE}", declare IMAGE: {} under variables:, and set TRUEUP_VAR_IMAGE to the value.':
      () =>
        read(
          {
            'trueup.yaml': manifests['misplaced-secret']['trueup.yaml']
              .replace('trueup: 1', 'trueup: 1\nvariables:\n  IMAGE: {}')
              .replace('${secret:IMAGE}', '${var:IMAGE}'),
          },
          { variables: { IMAGE: 'postgres:17' } },
        ),
  },
  'no-expression': {
    'Correct the word before the colon.': edited('no-expression', 'secrets:TOKEN', 'secret:TOKEN', {
      secrets: { TOKEN: 'correct-horse' },
    }),
    'If it is meant as text, leave it as it is.': { forPeople: 'only they know which of the two it is' },
  },
  'unused-parameter': {
    'Write ${param:tag} in it,': edited('unused-parameter', 'postgres:17', 'postgres:${param:tag}'),
    'or remove the parameter.': edited('unused-parameter', '{ tag: { default: "17" } }', '{}'),
  },
  'splits-address': {
    'Write ${var:pw|urlencode}.': edited('splits-address', '${var:pw}', '${var:pw|urlencode}'),
  },
  'adopt-only': {
    'Add databaseUser,': edited('adopt-only', 'databaseName: shop', 'databaseName: shop, databaseUser: shop'),
    'unless the object exists.': { forPeople: 'the warning is of the manifest alone, and the block may stay' },
  },
  'no-unit': {
    'Write the unit, as in memoryLimit: 512Mi.': edited('no-unit', 'memoryLimit: 512', 'memoryLimit: 512Mi'),
  },
  'unknown-permission': { 'Did you mean sshKeys?': edited('unknown-permission', 'sshKey', 'sshKeys') },
  'bad-reference': {
    'Addresses look like production.compose.shop.': () =>
      read({ 'trueup.yaml': manifests['bad-reference']['trueup.yaml'] + database() }),
  },
  'not-clearable': {
    'Remove the line to stop managing it.': edited('not-clearable', ', databaseUser: null', ''),
  },
  'env-value': {
    'Write "" for an empty value,': edited('env-value', 'PORT: null', 'PORT: ""'),
    'or remove the line to remove the key.': edited('env-value', 'PORT: null', ''),
  },
  inconsistent: { 'Its services are web.': edited('inconsistent', 'serviceName: api', 'serviceName: web') },
  overlap: {
    'Give one of them another host': edited('overlap', 'host: Shop.example.com', 'host: www.example.com'),
    'or path.': edited('overlap', 'host: Shop.example.com', 'host: Shop.example.com, path: /shop'),
  },
  'not-compose': { 'Did you mean services: in place of service:?': edited('not-compose', 'service:', 'services:') },
  'not-in-source': {
    'Name an image that is built elsewhere,': edited('not-in-source', 'build: .', 'image: nginx'),
    'or take the compose from a repository, by source: { type: git, … }.': () =>
      read({
        'trueup.yaml': production(
          '    compose: { shop: { source: { type: git, url: "https://git.example.com/shop.git", branch: main } } }\n',
        ),
      }),
  },
  'unset-variable': {
    'Write TAG under env:,': edited(
      'unset-variable',
      'compose:\n      shop: { ',
      'compose:\n      shop: { env: { TAG: "1.27" }, ',
    ),
    'or a default in the compose file: ${TAG:-…}.': edited('unset-variable', '${TAG}', '${TAG:-1.27}'),
  },
  'unused-env': {
    'Write REGION: ${REGION} under environment: of a service,': edited(
      'unused-env',
      "image: 'nginx:1.27'",
      "image: 'nginx:1.27', environment: { REGION: '${REGION}' }",
    ),
    'or env_file: .env for all.': edited('unused-env', "image: 'nginx:1.27'", "image: 'nginx:1.27', env_file: .env"),
  },
  'env-line': {
    'Write NAME=value,': edited('env-line', 'use flake', 'USE=flake'),
    'or # before a comment.': edited('env-line', 'use flake', '# use flake'),
  },
  'refused-expression': {
    'Put one more $ before ${1} for that text.': edited('refused-expression', '${1}', '$$$${1}'),
  },
  'rewritten-file': {
    'Write 0o22 for a number,': edited('rewritten-file', '022', '0o22'),
    'or "022" for a text.': edited('rewritten-file', '022', "'022'"),
  },
  'lost-route': {
    'Write networks: into web itself.': edited('lost-route', '<<: *base, image', '<<: *base, networks: [back], image'),
  },
  'refused-setting': {
    'Write one docker command without signs of a shell;': edited('refused-setting', '; date', ''),
    '&& may join it with others that begin with docker compose.': edited(
      'refused-setting',
      '; date',
      ' && docker compose ps',
    ),
  },
  'ignored-setting': { 'Remove one of the two.': edited('ignored-setting', 'randomize: true, suffix: a1, ', '') },
  'unmounted-file': {
    'Mount it in the compose file, as in ../files/nginx.conf:/etc/nginx.conf,': edited(
      'unmounted-file',
      "image: 'nginx:1.27'",
      "image: 'nginx:1.27', volumes: ['../files/nginx.conf:/etc/nginx.conf']",
    ),
    'or remove the block.': edited('unmounted-file', ', files: { nginx.conf: { content: "a" } }', ''),
  },
  'lost-folder': {
    'Mount ../files/up instead, which stays.': edited('lost-folder', './up', '../files/up'),
    'Copy there first what is to be kept.': { forPeople: 'the folder is on the server' },
  },
  'unkept-data': {
    'Mount its volume at /var/lib/postgresql,': edited('unkept-data', 'postgresql/data', 'postgresql'),
    'or write PGDATA: with the path where it is mounted.': edited(
      'unkept-data',
      'image: postgres',
      'image: postgres, environment: { PGDATA: /var/lib/postgresql/data }',
    ),
  },
  'unread-file': {
    'Check it there, with docker compose config.': { forPeople: 'the file is in the repository' },
  },
  'must-exist': {
    'Run docker volume create on the server first,': { forPeople: 'the volume is on the server' },
    'or remove external: true where the volume is of this compose.': edited('must-exist', 'external: true', ''),
  },
  'no-certificate': {
    'Write certificateType: letsencrypt.': edited(
      'no-certificate',
      'https: true',
      'https: true, certificateType: letsencrypt',
    ),
    'Write none where the proxy has a certificate for shop.example.com.': edited(
      'no-certificate',
      'https: true',
      'https: true, certificateType: none',
    ),
  },
  'default-port': {
    'Write port: 3000, or the one on which the program listens.': edited(
      'default-port',
      'serviceName: web',
      'serviceName: web, port: 80',
    ),
  },
  'backup-fails': {
    "Write metadata: { mariadb: { databasePassword: '${secret:NAME}' } }.": edited(
      'backup-fails',
      'databaseUser: shop',
      "databaseUser: shop, databasePassword: '${secret:PW}'",
      { secrets: { PW: 'correct-horse' } },
    ),
  },
  'stray-dollar': {
    'Write ${{HOST}}: the platform puts the value of HOST there.': edited(
      'stray-dollar',
      'https://${HOST}',
      'https://${{HOST}}',
    ),
  },
  allowed: {
    'Look at the reason;': { forPeople: 'only people know whether it holds' },
    'remove it from allow: when it is over.': edited(
      'allowed',
      ', allow: { unused-env: "read by a script on the server" }',
      '',
    ),
  },
  'hostile-setting': {
    'Write ${secret:NAME} for a secret.': edited('hostile-setting', '${env:TRUEUP_API_KEY}', '${secret:DESCRIPTION}', {
      secrets: { DESCRIPTION: 'correct-horse' },
    }),
    'Variables that begin with TRUEUP_ configure Trueup itself; the API key is one.': 'fact',
  },
  ciphertext: {
    'Write { sops: shop.yaml } under secrets:.': () =>
      read({
        'trueup.yaml': `secrets: [{ sops: shop.yaml }]\n${production(stack('env: { DB_PASSWORD: "${secret:DB_PASSWORD}" }'))}`,
      }),
    'Then write ${secret:NAME}.': () =>
      read(
        { 'trueup.yaml': production(stack('env: { DB_PASSWORD: "${secret:DB_PASSWORD}" }')) },
        { secrets: { DB_PASSWORD: 'correct-horse' } },
      ),
  },
  'private-source': {
    'Write ${secret:NAME} for a secret.': edited('private-source', '${file:.git/config}', '${secret:DESCRIPTION}', {
      secrets: { DESCRIPTION: 'correct-horse' },
    }),
    'Give a file without credentials another name.': () =>
      read({
        'trueup.yaml': manifests['private-source']['trueup.yaml'].replace('.git/config', 'description.txt'),
        'description.txt': 'the shop',
      }),
  },
} satisfies Record<keyof typeof manifests, Row>;
