import { describe, expect, test } from 'vitest';
import { secretSpans } from '../../src/export/secrets-of-export.ts';
import { isSecretEntry, maskText, maskValue } from '../../src/secrets/looks-secret.ts';

const maskEnvText = (text: string): string => maskText(text, { isEnv: true });

/** What looks like a secret is masked, in values and in texts; the rest stays as it is. */

describe('the value of a secret key', () => {
  test.each([
    'hunter2',
    '12345678',
    'correct horse',
    '/k3jf/+Jw==',
    'user:pass',
    '${PW:-hunter2}',
    '${DB_PW:hunter2}',
    'a',
    '-x',
  ])('%s is a secret', (value) => {
    expect(isSecretEntry('DB_PASSWORD', value)).toBe(true);
  });

  test.each([
    '',
    'true',
    'off',
    'null',
    '${DB_PASSWORD}',
    '$DB_PASSWORD',
    '$$DB_PASSWORD',
    '${DB_PASSWORD:?must be set}',
    '${DB_PASSWORD:-}',
    '${DB_PASSWORD:}',
    '${secret:DB_PASSWORD|urlencode}',
    '${DB_PASSWORD:-${OTHER}}',
    '${{environment.PW}}',
    '{{ vault.password }}',
    '/run/secrets/db_password',
    './certs/shop.key',
    '*db-password',
    '24h',
    '%p',
    '%{ldap:userPassword}',
    '$DB_PASSWORD]',
    '/org/users/Admin@org1.example.com/peerKeys/keystore',
  ])('%s is none', (value) => {
    expect(isSecretEntry('DB_PASSWORD', value)).toBe(false);
  });

  test('of a name that proves little is one when it is no word', () => {
    expect(isSecretEntry('MAPS_KEY', 'x7!9')).toBe(true);
    expect(isSecretEntry('MAPS_KEY', 'region')).toBe(false);
    expect(isSecretEntry('NEO4J_AUTH', 'none')).toBe(false);
  });

  test('is one when the user says so', () => {
    expect(isSecretEntry('REGION', 'eu', { privateKeys: new Set(['REGION']) })).toBe(true);
    expect(isSecretEntry('REGION', '', { privateKeys: new Set(['REGION']) })).toBe(false);
  });
});

describe('a value', () => {
  test.each<[string | undefined, unknown, unknown]>([
    ['TAG', '1.28', '1.28'],
    ['PASSWORD', 'hunter2', '(sensitive)'],
    ['PASSWORD', 12_345, '(sensitive)'],
    ['PASSWORD', true, true],
    ['DATABASE_URL', 'postgres://shop:hunter2@db/shop', 'postgres://shop:(sensitive)@db/shop'],
    ['SENTRY_DSN', 'https://abc123@o1.ingest.example.com/2', 'https://(sensitive)@o1.ingest.example.com/2'],
    ['MYSQL_DSN', 'shop:hunter2@tcp(db:3306)/shop', '(sensitive)'],
    [undefined, ['redis-server', '--requirepass', 'hunter2'], ['redis-server', '--requirepass', '(sensitive)']],
    [undefined, ['redis-server', '--requirepass', '--appendonly'], ['redis-server', '--requirepass', '--appendonly']],
    [undefined, ['A=1', 'TOKEN=abc!'], ['A=1', 'TOKEN=(sensitive)']],
    [
      'x',
      { a: 1, apiKey: 'k-1', deep: [{ secret: 's', b: null }] },
      { a: 1, apiKey: '(sensitive)', deep: [{ secret: '(sensitive)', b: null }] },
    ],
  ])('of %s: %j is shown as %j', (key, value, shown) => {
    expect(maskValue(key, value as never)).toStrictEqual(shown);
  });

  test('stays the same value when nothing is masked', () => {
    const value = { a: ['b', { c: 1 }] };
    expect(maskValue(undefined, value)).toBe(value);
  });
});

describe('a text', () => {
  test.each([
    ['    POSTGRES_PASSWORD: hunter2', '    POSTGRES_PASSWORD: (sensitive)'],
    ['    POSTGRES_PASSWORD: "hunter2" # of old', '    POSTGRES_PASSWORD: "(sensitive)" # of old'],
    ["    password: 'it''s', a: 1", "    password: '(sensitive)', a: 1"],
    ['      - POSTGRES_PASSWORD=hunter2 with blanks', '      - POSTGRES_PASSWORD=(sensitive)'],
    ['      - "POSTGRES_PASSWORD=hunter2"', '      - "POSTGRES_PASSWORD=(sensitive)"'],
    ['environment: { TAG: "1", PASSWORD: hunter2, B: 2 }', 'environment: { TAG: "1", PASSWORD: (sensitive), B: 2 }'],
    ['{"user":"a","password":"hunter2","n":1}', '{"user":"a","password":"(sensitive)","n":1}'],
    [String.raw`"{\"password\":\"hunter2\",\"n\":1}"`, String.raw`"{\"password\":\"(sensitive)\",\"n\":1}"`],
    [
      'command: redis-server --requirepass hunter2 --appendonly yes',
      'command: redis-server --requirepass (sensitive) --appendonly yes',
    ],
    [
      'command: ["redis-server", "--requirepass", "hunter2"]',
      'command: ["redis-server", "--requirepass", "(sensitive)"]',
    ],
    ['  - --requirepass\n  - hunter2\n  - --save', '  - --requirepass\n  - (sensitive)\n  - --save'],
    ['run --password=hunter2,x -v', 'run --password=(sensitive) -v'],
    ['redis-cli -a hunter2 ping', 'redis-cli -a (sensitive) ping'],
    ['Server=db;Password=a,b;Database=shop', 'Server=db;Password=(sensitive);Database=shop'],
    ['GET /v1?token=abc&page=2', 'GET /v1?token=(sensitive)&page=2'],
    ['PW: ${DB_PASSWORD:-hunter2}', 'PW: (sensitive)'],
    ['URL: "http://a/${API_TOKEN:-hunter2}/b"', 'URL: "http://a/${API_TOKEN:-(sensitive)}/b"'],
    ['<user>a</user><password>hunter2</password>', '<user>a</user><password>(sensitive)</password>'],
    ['amqp://bus:a/b@mq:5672/vhost', 'amqp://bus:(sensitive)@mq:5672/vhost'],
    ['postgres://u:p@ss/word@db/shop?a=b@c', 'postgres://u:(sensitive)@db/shop?a=b@c'],
    ['https://u:pw@git.example.com/@team/shop', 'https://u:(sensitive)@git.example.com/@team/shop'],
    ['mongodb://u:p@ss@h1,h2/db', 'mongodb://u:(sensitive)@h1,h2/db'],
    ['https://token@git.example.com/a', 'https://(sensitive)@git.example.com/a'],
    ['https://ghp12@git.example.com/a', 'https://(sensitive)@git.example.com/a'],
    ['api_tokens:\n  - abc1\n  - "def 2"\nother: 1', 'api_tokens:\n  - (sensitive)\n  - (sensitive)\nother: 1'],
    ['private_key: |\n  one1\n  two\nother: 1', 'private_key: |\n  (sensitive)\n  (sensitive)\nother: 1'],
    ['password:\n  hunter2\nother: 1', 'password:\n  (sensitive)\nother: 1'],
    ['# PASSWORD=hunter2', '# PASSWORD=(sensitive)'],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nx',
      '(sensitive)\n(sensitive)\n(sensitive)\nx',
    ],
    ['a -----BEGIN PRIVATE KEY-----\nMIIE', 'a (sensitive)\n(sensitive)'],
  ])('%j is shown as %j', (text, shown) => {
    expect(maskText(text)).toBe(shown);
  });

  test.each([
    'image: ghcr.io/example/shop:1.28 # pinned',
    'secrets:\n  - db_password\n  - api_token\n',
    'secrets:\n  db_password:\n    file: ./db_password.txt\n',
    'POSTGRES_PASSWORD_FILE: /run/secrets/db_password',
    'POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?set it}',
    'url: http://registry:4873/@scope/package',
    'url: http://web:8080/path',
    'https://git.example.com/@team/shop https://@git.example.com',
    'git: ssh://git@git.example.com/shop.git',
    'token_endpoint: https://id.example.com/oauth/token',
    '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEbGFzdA0GCSqGSIb3DQ\n-----END CERTIFICATE-----\n',
    'proxy_pass http://web:8080;',
    'if (token === undefined) return;',
    'auth: true\nauthor: somebody\nkeyspace: shop',
    'tags: [a, b]\nkey: value\n',
    `{"a": [{${'"x": 1, '.repeat(80)}"password": null, "b": {"token": 0}}]}`,
  ])('%j is shown as it is', (text) => {
    expect(maskText(text)).toBe(text);
  });

  test('a key that the user calls private is masked wherever it has a value', () => {
    const privateKeys = new Set(['REGION']);
    expect(maskText('REGION: eu\nZONE: a\n', { privateKeys })).toBe('REGION: (sensitive)\nZONE: a\n');
  });
});

describe('a text of a certain language', () => {
  test.each([
    '<password encrypted="false">hunter2</password>',
    '<password>\n  hunter2\n</password>',
    '<password><![CDATA[hunter2]]></password>',
    '<property name="password">hunter2</property>',
    '<property name="password" value="hunter2"/>',
    '<property name="password"><value>hunter2</value></property>',
    '<property><name>fs.s3a.secret.key</name><value>hunter2</value></property>',
    '<property>\n  <name>password</name>\n  <value>hunter2</value>\n</property>',
    '<add key="DbPassword" value="hunter2" />',
    '<entry key="db.password">hunter2</entry>',
    '<Setting value="hunter2" name="ApiKey"/>',
    'dsn := "root:hunter2@tcp(127.0.0.1:3306)/db?parseTime=true"',
    'DB: root:hunter2@unix(/run/mysqld.sock)/db',
    'CONN=u:hunter2@tcp([::1]:80)/x',
    'CONN=u:a@b/hunter2@tcp(db)/x',
    'SMTP=user:hunter2@mail.example.com:587',
    'upstream: shop:hunter2@[::1]:5432',
    'curl admin:hunter2@host/x',
    'curl -u "admin:hun hunter2" http://a',
    'curl -su admin:hunter2 http://a',
    'curl -s -d \'{"a": 1}\' -u a:hunter2 x',
    'curl -s \\\n  -u a:hunter2 x',
    'test:\n  - curl\n  - -u\n  - elastic:hunter2\n',
    'curl --proxy-user a:hunter2 x',
    "define('DB_PASSWORD', 'hunter2');",
    "define('DB_PASSWORD', 'hunter2);",
    'define( "AUTH_KEY", "(z,X<|c hunter2" );',
    "$db['password'] = 'hunter2';",
    "'password' => 'hunter2',",
    '  set $api_key "hunter2";',
    '  set $secret hunter2;',
    'header_up X-Api-Key "hunter2"',
    'proxy_set_header X-Auth-Token "a hunter2";',
    'requirepass hunter2',
    'sentinel auth-pass mymaster hunter2',
    'machine a login b password hunter2',
    '- value: hunter2\n  name: DB_PASSWORD\n',
    '- value: "a, hunter2"\n  name: DB_PASSWORD\n',
    '{"value":"hunter2","name":"DB_PASSWORD"}',
    String.raw`"{\"value\":\"hunter2\",\"name\":\"DB_PASSWORD\"}"`,
    'env: [{ value: hunter2, name: DB_PASSWORD }]',
    '{\n  "value": "hunter2",\n  "name": "DB_PASSWORD"\n}',
    'pagerduty_configs:\n  - send_resolved: true\n    routing_key: hunter2\n',
    '{"event_action":"trigger"}\nPAGERDUTY_ROUTING_KEY=hunter2',
    "INSERT INTO users (name, password) VALUES ('anna', 'hunter2');",
    "insert into users(id, token)\n  values (1, NULL),\n  (2, 'hunter2')",
    "INSERT INTO shop.users (`name`, `password`) VALUES ('it\\'s', 'x'), ('a''b', 'hunter2');",
    'REPLACE INTO "users" ("password", "id") VALUES (crypt("hunter2", gen_salt("bf")), 4);',
    "INSERT INTO users (pin, name) VALUES (4711, N'anna'), ('hunter2', '')",
    "INSERT INTO users (name, password) SELECT 'anna', 'hunter2' WHERE 1 = 1",
    "-- INSERT INTO users (name, password) VALUES ('anna', 'hunter2');",
    "UPDATE users SET name = 'anna', `password` = 'hunter2'",
    "UPDATE users SET [password]='hunter2' WHERE name = 'anna'",
    'user worker on >hunter2 ~jobs:* +@all',
    'user worker on >abc >hunter2 ~* +@all',
    'ACL SETUSER worker >hunter2 on allkeys',
    'command: redis-server --user worker on >hunter2 ~* +@all',
    '# user worker on >hunter2 ~jobs:* +@all',
    'db.example.com:5432:shop:anna:hunter2',
    '*:*:*:anna:a hunter2',
    '# db:5432:*:anna:hunter2',
    'echo "db:5432:shop:anna:hunter2" > ~/.pgpass',
    'REDIS=10.0.0.1:6379:0:xhunter2,10.0.0.2:6379:1:xhunter2',
    "$shop_passwords = [\n    'anna' => 'hunter2',\n];",
    "$c['passwords'] = array(\n  // 'bob' => 'hunter2',\n  'anna' => \"hunter2\" );",
    'const userPasswords = {\n  anna: "hunter2",\n}',
    'passwords := map[string]string{"anna": "hunter2"}',
    '{"passwords": {"anna": "hunter2"}, "b": {"name": "anna"}}',
    'auth:\n  passwords: # of all\n\n    anna: hunter2\n',
    'passwords: { anna: a}b, bob: hunter2 }',
    '[shop.passwords]\nanna = "hunter2"\n',
    '//   "passwords": {\n//     "irc.example.com": "hunter2",\n//   }',
    '# passwords:\n#   anna: hunter2\n',
    '; [passwords]\n; anna = hunter2',
  ])('hides the secret: %j', (text) => {
    expect(maskText(text)).not.toContain('hunter2');
    expect(maskText(`a: 1\n${text}`)).not.toContain('hunter2');
    expect(maskText(`${text}\nnext: 1\n`)).toContain('\nnext: 1\n');
  });

  test.each([
    '<password></password>\n<user>a</user>',
    '<password>\n</password>',
    '<password>${DB_PASSWORD}</password>',
    "('Twilio', '<your-password>', NULL, NULL)",
    '<token> is the token that you made before',
    '<property name="username" value="root"/>',
    '<property name="password" value="${jdbc.password}"/>',
    "define('DB_NAME', 'wordpress');",
    "define('DB_PASSWORD', getenv('DB_PASSWORD'));",
    "define( 'DB_PASSWORD', VRIL_DB_PASSWORD );",
    'set $token $http_x_token;',
    'proxy_set_header X-Api-Key $api_key;',
    'header_up X-Real-IP "{remote_host}"',
    'requirepass is a setting of redis',
    'password required pam_unix.so',
    'password = ${PW}',
    "headers['Authorization'] = sign(request)",
    String.raw`([!;=,{}&|:.\[\]@()<>?]+)`,
    'set $upstream http://web:8080;',
    '- value: x1\n  name: TAG\n',
    '- value: x1\n- name: DB_PASSWORD\n',
    '[{ name: TAG, value: x1 }, { name: DB_PASSWORD }]',
    'CC: a@example.com, to:bob@example.com',
    'image: registry:5000/shop:1.2@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '"react": "npm:preact@^10.0.0"',
    'middlewares: auth@file,limit@docker',
    'user + ":" + password + "@tcp(" + url + ")"',
    'curl -u elastic:$(cat elastic-pass) https://localhost:9200/',
    'curl -u elastic:<password> http://localhost:9200',
    'curl -u elastic:${ELASTIC_PASSWORD} http://localhost:9200',
    'docker run -u 1000:1000 -v curl:/x shop',
    'exchange: orders\nrouting_key: orders.created\n',
    "INSERT INTO users (name, email) VALUES ('anna', 'anna@example.com');",
    "INSERT INTO users (name, password, note) VALUES ('anna', NULL, 'x1y2'), ('bob', '', md5('x1'))",
    'insert into the list (token) values of your own',
    'user default on nopass ~* +@all',
    'create user x1y2 > file',
    'grep user /etc/passwd >x1y2',
    'ports: ["127.0.0.1:8080:80", "127.0.0.1:5432:5432/tcp"]',
    'anna:1000:1000:Anna:/home/anna',
    'main.ts:123:45:unused',
    '2025-01-01T10:20:30:123:x1y2',
    'MEMCACHED=127.0.0.1:11211:100',
    'passwords:\n  min_length: 8\n  algorithm: argon2\nnames:\n  anna: x1y2\n',
    '{"passwords": {}, "names": {"anna": "x1y2"}}',
    '[passwords]\nfile = "a.txt"\n\n[names]\nanna = "x1y2"\n',
    '`accessToken`: the token of the platform',
  ])('leaves the rest as it is: %j', (text) => {
    expect(maskText(text)).toBe(text);
  });

  test('hides no more than the value', () => {
    const shown = (text: string) => maskText(text).replaceAll('(sensitive)', '*');
    expect(shown("'password' => 'hunter2',")).toBe("'password' => '*',");
    expect(shown('<add key="DbPassword" value="hunter2" />')).toBe('<add key="DbPassword" value="*" />');
    expect(shown('<a name="password" value="hunter2"/>\n<b/>')).toBe('<a name="password" value="*"/>\n<b/>');
    expect(shown('<password>\n  hunter2\n</password>')).toBe('<password>\n  *\n</password>');
    expect(shown('- value: hunter2\n  name: DB_PASSWORD\n')).toBe('- value: *\n  name: DB_PASSWORD\n');
    expect(shown('root:hunter2@tcp(db:3306)/shop')).toBe('root:*@tcp(db:3306)/shop');
  });
});

describe('a secret is masked as a whole', () => {
  const rest = [
    ';hunter2',
    '&hunter2',
    '|hunter2',
    ' hunter2',
    '"hunter2',
    "'hunter2",
    '`hunter2',
    ')hunter2',
    '<hunter2',
  ];

  test.each([
    ...rest.map((behind) => `{ TAG: 1, DB_PASSWORD: ab${behind} }\n`),
    ...rest.map((behind) => `environment: [TAG=1, DB_PASSWORD=abc${behind}]\n`),
    ...rest.map((behind) => `  DB_PASSWORD: abc${behind}\n`),
    '["DB_PASSWORD=abc;hunter2"]',
    '["DB_PASSWORD=abc hunter2", "B=1"]',
    '{ DB_PASSWORD: !!str "a,hunter2" }',
    'DB_PASSWORD: "abc\n  hunter2"\n',
    "DB_PASSWORD: 'abc\n\n  hunter2'\n",
    'DB_PASSWORD: abc\n  hunter2\n',
    '- DB_PASSWORD: abc\n    hunter2\n',
    '- DB_PASSWORD=abc\n  hunter2\n',
    '- "DB_PASSWORD=abc\n  hunter2"\n',
    'DB_PASSWORD: &pw |\n  hunter2\n',
    'DB_PASSWORD: !!str &pw >-\n  a\n\n  hunter2\n',
    'DB_PASSWORD: &pw\n  hunter2\n',
    'DB_PASSWORD: &pw "abc\n  hunter2"\n',
    'DB_PASSWORD: !hunter2\n',
    "DB_PASSWORD='abc'hunter2\n",
    "run DB_PASSWORD='abc'hunter2\n",
    `run DB_PASSWORD='abc'"def hunter2"\n`,
    'run DB_PASSWORD=abc"hunter2"\n',
    'DB_PASSWORD="abc" #hunter2\n',
    String.raw`{"password":"a\\\"hunter2"}`,
    'run --password=abc]hunter2\n',
    'run --password abc`hunter2\n',
    'run --password abc"hun hunter2"\n',
    'A: ${DB_PASSWORD:-a}hunter2}\n',
    'A: ${DB_PASSWORD:-${B:-a}hunter2}\n',
    'DB_PASSWORD=abc #hunter2\n',
    'DB_PASSWORD={hunter2}\n',
    'password = """\nabc\nhunter2"""\n',
    "password = '''\nabc\nhunter2'''\n",
  ])('%j', (text) => {
    expect(maskText(text)).not.toContain('hunter2');
    expect(maskText(`a: 1\n${text}`)).not.toContain('hunter2');
    expect(maskText(`${text.trimEnd()}\nnext: 1\n`)).toContain('next: 1');
  });

  test.each([
    'PASSWORD=$hunter2 # c\nB=2\n',
    'PASSWORD=<hunter2> # c\nB=2\n',
    'PASSWORD={hunter2} # c\nB=2\n',
    'PASSWORD: &hunter2\nB=2\n',
    'PASSWORD:\n  hunter2\nB=2\n',
    'PASSWORD="abc\nhunter2\nB=2\n',
    'PASSWORD="abc\nhunter2" x\nB=2\n',
    "PASSWORD='a\n\nhunter2 'b\nB=2\n",
  ])('of an env file: %j', (text) => {
    expect(maskEnvText(text)).not.toContain('hunter2');
    expect(maskEnvText(text)).toContain('B=2\n');
  });

  test.each([
    ['- password: x1\n  other: 1\n', '- password: (sensitive)\n  other: 1\n'],
    ['- password: |\n    x1\n  other: 1\n', '- password: |\n    (sensitive)\n  other: 1\n'],
    ['{"url":"/?token=abc","n":1}', '{"url":"/?token=(sensitive)","n":1}'],
    ['["--password=abc", "x"]', '["--password=(sensitive)", "x"]'],
    ['A: ${DB_PASSWORD:-${B}}', 'A: ${DB_PASSWORD:-${B}}'],
    ['password: abc # of old\nb: 1', 'password: (sensitive) # of old\nb: 1'],
  ])('and no more than that: %j is shown as %j', (text, shown) => {
    expect(maskText(text)).toBe(shown);
  });
});

describe('a name that proves a secret', () => {
  test.each([
    'Server=db;Uid=a;Pwd=hunter2;',
    'pwd: hunter2\n',
    'PWD=hunter2\n',
    '2FA_SECRET=hunter2\n',
    '- name: DB_PASSWORD\n  value: hunter2\n',
    '{"name":"DB_PASSWORD","value":"hunter2"}',
    'env: [{ name: DB_PASSWORD, value: hunter2 }]',
  ])('in %j', (text) => {
    expect(maskText(text)).not.toContain('hunter2');
  });

  test.each(['PWD=/srv/app\n', 'OLDPWD=/home/x9/a\n', '- name: TAG\n  value: hunter2\n'])('not in %j', (text) => {
    expect(maskText(text)).toBe(text);
  });

  test('in a pair of name and value', () => {
    const pair = { name: 'DB_PASSWORD', value: 'hunter2' };
    expect(maskValue(undefined, [pair])).toStrictEqual([{ ...pair, value: '(sensitive)' }]);
    expect(maskValue(undefined, { name: 'TAG', value: 'x' })).toStrictEqual({ name: 'TAG', value: 'x' });
  });

  test.each(['*hunter2', '$hunter2', '!reset hunter2', '<hunter2>', '%hunter2%'])(
    'in a map, where %s is a value like any other',
    (value) => {
      expect(maskValue('DB_PASSWORD', value)).toBe('(sensitive)');
      expect(maskEnvText(`DB_PASSWORD=${value}\n`)).toBe('DB_PASSWORD=(sensitive)\n');
      expect(maskValue('DB_PASSWORD', '${NAME}')).toBe('${NAME}');
    },
  );
});

describe('what proves nothing', () => {
  const commit = '356a192b7913b04c54574d18c28d46e6395428ab';
  const digest = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
  const vapid = 'BEl62iUYgUivxIkv69yViEuiBIa-Ib9-SkvMeAtA3LFgDzkrxZJjSgSnfckjBJuBkr3qBUYIHBQFLXYp5Nksh8U';

  test.each([
    `COMMIT_SHA=${commit}`,
    `CI_COMMIT_SHA: "${commit}"`,
    `GIT_COMMIT=\${GIT_COMMIT:-${commit}}`,
    `image: ghcr.io/example/server:${commit}`,
    `image: "example/web:${commit}"`,
    `SENTRY_RELEASE=${commit}`,
    `IMAGE_DIGEST=${digest}`,
    `sha256sum: ${digest}`,
    `VAPID_PUBLIC_KEY=${vapid}`,
    `NEXT_PUBLIC_VAPID_KEY_PUBLIC_KEY: ${vapid}`,
    'TURNSTILE_SITE_KEY=0x4AAAAAAADnPIDROrmt1Wwj',
    'INSTALLATION_ID=5f0c1d9e7a524f3c9d2b1f0a6c9b7e11',
    's3ForcePathStyle=true',
    's3ForcePathStyle: true',
    'useHttp2ForAllRequests=true',
    'command: --feature-gates=EphemeralContainersV1beta1=true',
    'SSL_KEY=${SSL_KEY:-./certs/server.key}',
    'JWT_SECRET_KEY=${JWT_KEY:-/run/secrets/jwt}',
    'TLS_PRIVATE_KEY: ${TLS_DIR:-/etc/tls}/private.key',
    'API_TOKEN: ${API_TOKEN:-}',
    'API_TOKEN: ${API_TOKEN:-${OTHER_TOKEN:-none}}',
    'command: flower --basic_auth=${FLOWER_USER}:${FLOWER_PASSWORD}',
    'AUTH_TOKEN: https://id.example.com/oauth/token',
    'MASTER_KEY=${password:32}',
    'ANON_TOKEN=${jwt:jwt_secret:anon}',
    'APP_KEY=base64:${APP_KEY_OF_RUN}',
    'SECRET_KEY=${SECRET_KEY} # used for sessions',
    'SECRET_KEY = "${SECRET_KEY}" # used for sessions',
    'SECRET_KEY=${SECRET_KEY:?run ${SETUP} first}',
    'Authorization: Bearer ${ANON_KEY}',
    'default_pass = $$(RABBITMQ_DEFAULT_PASS)',
    'CLICKHOUSE_DSN=tcp://clickhouse:9000',
    'STORE_DSN=postgres://${DB_USER}:${DB_PASSWORD}@db:5432/shop?sslmode=disable',
    'DATABASE_URL=postgresql://${DB_USER:-docuseal}:${DB_PASSWORD}@db:5432/shop',
    'WORKER_TOKEN=${WORKER_TOKEN:-file:///home/node/token}',
    'redis_password: os.environ/REDIS_PASSWORD',
    'PASSWORD_RESET_TOKEN_EXPIRES_IN=5m',
    'input_cost_per_token: 0.00000012',
    'max_input_tokens: 32000',
    'passwordConnector: local',
    'secrets: [db_password, api_token]',
    'api_key: &api_key ${API_KEY}',
    'PYTHON_GPG_KEY=E3FF2839C048B25C084DEBE9B26995E310250568',
    'CLUSTER_UID=9f86d081884c7d659a2feaa0c55ad015',
    'image: ghcr.io/example/app:sha-68c570eed8810fd59b5b33cca51bbad5eabb4cb4',
    'RUST_LOG=relay_auth=info',
    'x-secret: &secret\n  TAG: b\n',
    'x-db-password: &db-password\n',
    'db-password: &db-password # shared\n',
    'password: *db-password\n',
    'services:\n  db:\n    secrets: &shared\n      - db_password\n',
  ])('%j is shown as it is', (text) => {
    expect(maskText(text)).toBe(text);
    if (!text.includes('\n') && /^\w+=/.test(text)) {
      expect(maskEnvText(text)).toBe(text);
      const [key = '', ...value] = text.split('=');
      expect(maskValue(key, value.join('='))).toBe(value.join('='));
    }
  });

  test('but what stands beside it does', () => {
    expect(maskText('db: &password hunter2\n')).toBe('db: &password hunter2\n');
    expect(maskText('DB_PASSWORD: &pw hunter2\n')).toBe('DB_PASSWORD: &pw (sensitive)\n');
    expect(maskText('tokens: [hunter2, b]\n')).not.toContain('hunter2');
    expect(maskText('KEY: ${API_KEY:-hunter2}\n')).not.toContain('hunter2');
    expect(maskText('PASSWORD: ${A:-${B:-hunter2}}\n')).not.toContain('hunter2');
    expect(maskText('SECRET: ${USER}:hunter2\n')).not.toContain('hunter2');
    expect(maskText('SECRET_KEY=hunter2 # of ${USER}\n')).not.toContain('hunter2');
    expect(maskText('STORE_DSN=postgres://${DB_USER:-a}:hunter2@db/x\n')).not.toContain('hunter2');
    expect(maskText('ALERT_WEBHOOK=https://alerts.example.com/hunter2\n')).not.toContain('hunter2');
    expect(maskText('DB_ENC_KEY=hunter\n')).not.toContain('hunter');
    expect(maskText(`TOKEN=${commit}`)).not.toContain(commit);
    expect(maskText(`VAPID_PRIVATE_KEY=${vapid}`)).not.toContain(vapid);
  });
});

describe('in a comment', () => {
  test.each([
    '# Set the API key: see the documentation',
    '# password: the one of the admin',
    '# SECRET_KEY: https://docs.example.com/config#secret',
    '# Create a token: https://example.com/settings?token=new',
    '#JWT_SECRET=generate with openssl rand -hex 32',
    '# JWT_SECRET=<openssl rand -hex 32>',
    '// password = what the user types',
    '; api_key: ask your admin',
    'image: nginx # the token: see above',
    'A=1 # password: at least 12 characters',
    '# Bearer authentication with the token below',
    "# ALTER USER shop WITH PASSWORD 'new one';",
    '# build 9f86d081884c7d659a2feaa0c55ad015',
  ])('%j is prose', (text) => {
    expect(maskText(text)).toBe(text);
    expect(maskText(`a: 1\n  ${text}\nb: 2\n`)).toBe(`a: 1\n  ${text}\nb: 2\n`);
    expect(maskEnvText(`B=1\n${text}\n`)).toBe(`B=1\n${text}\n`);
    expect(secretSpans(`B=1\n${text}\n`, { isEnv: true })).toEqual([]);
  });

  test.each([
    '# PASSWORD=hunter2',
    "-- INSERT INTO users (name, password) VALUES ('anna', 'hunter');",
    "-- UPDATE users SET password = 'hunter' WHERE id = 1;",
    "-- ALTER USER shop WITH PASSWORD 'hunter';",
    '// "passwords": { "anna": "hunter" },',
    "// 'password' => hunter",
    '#DB_PASSWORD: hunter2',
    '# - DB_PASSWORD=hunter2',
    '## export TOKEN="a b hunter2"',
    '# token ghp_hunter2C7e42F292c6912E7710c838347Ae178B4a',
    'A: 1 # https://hooks.slack.com/services/T000/B000/hunter2',
    '# postgres://shop:hunter2@db/shop',
    '# -----BEGIN PRIVATE KEY-----hunter2-----END PRIVATE KEY-----',
    '# curl -H "Authorization: Bearer Kx-hunter2" http://a',
    '# curl -X POST "http://a" -H  "authorization: shop_hunter2" -H  "Content-Type: application/json"',
    '# curl -u admin:hunter2 http://a',
    '# mysql -u root -phunter2',
    '# docker run -e POSTGRES_PASSWORD=hunter2 postgres',
    ';forcedb = host=localhost user=baz password=hunter2',
    '#   #password => "hunter2"',
    'A: 1 # (e.g., "host=db user=postgres password=hunter2")',
  ])('%j holds a secret', (text) => {
    expect(maskText(text)).not.toContain('hunter');
    expect(maskEnvText(`B=1\n${text}\n`)).not.toContain('hunter');
  });

  test('what the user calls private stays hidden', () => {
    expect(maskText('# CUSTOMER: Example GmbH\n', { privateKeys: new Set(['CUSTOMER']) })).toBe(
      '# CUSTOMER: (sensitive)\n',
    );
    expect(maskText('tokens:\n  # two of them\n  - hunter-2\n')).toBe('tokens:\n  # two of them\n  - (sensitive)\n');
  });

  test('no quote begins one', () => {
    expect(maskText("command: ['sh', '-c', 'echo \" # \"; mysql --password=hunter2']")).not.toContain('hunter2');
    expect(maskText('PASSWORD: "a # hunter2"')).not.toContain('hunter2');
    expect(maskText('PASSWORD=a #hunter2')).not.toContain('hunter2');
  });
});

describe('the spans of an export', () => {
  test('reach as far as masking does', () => {
    const text = 'DB_PASSWORD=abc #hunter2\nB=2 # x\n';
    expect(secretSpans(text, { isEnv: true })).toStrictEqual([{ from: 12, to: 24, key: 'DB_PASSWORD' }]);
  });

  test('have no secret as their name', () => {
    const keys = secretSpans('AKIAIOSFODNN7EXAMPLE:kX8vQ2mZp4Lr9TnW\nREGION: kX8vQ2mZp4Lr9TnW').map(({ key }) => key);
    expect(keys).toStrictEqual(['SECRET', 'SECRET', 'REGION']);
  });
});

describe('the beginning of a block in PEM', () => {
  const token = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
  const certificate =
    '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEbGFzdA0GCSqGSIb3DQ==\n-----END CERTIFICATE-----\n';

  test.each([
    '-----BEGIN ',
    'x-help: "put the certificate with its -----BEGIN CERTIFICATE----- line into CA"\n',
    '# -----BEGIN CERT\n',
    '-----BEGIN CERTIFICATE-----\nMIID\n',
    '-----BEGIN CERTIFICATE-----\nMIID\n-----END PUBLIC KEY-----\n',
    certificate,
  ])('%j leaves the secrets behind it masked', (text) => {
    const rest = `POSTGRES_PASSWORD: hunter2\nurl: postgres://a:hunter2@db/x\ntoken ${token}\n`;
    const shown = 'POSTGRES_PASSWORD: (sensitive)\nurl: postgres://a:(sensitive)@db/x\ntoken (sensitive)\n';
    expect(maskText(text + rest)).toBe(text + shown);
    expect(maskText(`${text}${rest}-----END CERTIFICATE-----`)).toBe(`${text}${shown}-----END CERTIFICATE-----`);
    expect(maskEnvText(`${text}\nPASSWORD=hunter2\n# ${token}\n`)).not.toMatch(/hunter2|ghp_/);
  });

  test('opens no block that holds a name with a value, an address or a token', () => {
    for (const inner of ['PASSWORD=hunter2', 'a://b:hunter2@c', token, 'Version: 1\nComment: password=hunter2'])
      expect(maskText(certificate.replace('MII', `${inner}\nMII`))).not.toMatch(/hunter2|ghp_/);
  });

  test.each([
    certificate,
    JSON.stringify({ certificate }),
    `ca: |\n  ${certificate.replaceAll('\n', '\n  ')}\nb: 1`,
    certificate.replaceAll('\n', '\r\n'),
    certificate.replaceAll('CERTIFICATE', 'PGP SIGNATURE').replace('MII', 'Version: GnuPG v2.4.7\n\nMII'),
  ])('of a whole certificate leaves it readable: %j', (text) => {
    expect(maskText(text)).toBe(text);
  });
});

describe('an env file', () => {
  test.each([
    ['A=1\nPASSWORD=hunter2\nB=2\n', 'A=1\nPASSWORD=(sensitive)\nB=2\n'],
    ['PASSWORD="two\nlines"\nB=2\n', 'PASSWORD="(sensitive)\n(sensitive)"\nB=2\n'],
    ["PASSWORD='two words' # of old\n", "PASSWORD='(sensitive)' # of old\n"],
    ['PASSWORD=abc#def ghi\nB=2\n', 'PASSWORD=(sensitive)\nB=2\n'],
    ['export TOKEN: x1y2\n', 'export TOKEN: (sensitive)\n'],
    ['URL=postgres://a:b@c/d # why\n', 'URL=postgres://a:(sensitive)@c/d # why\n'],
    ['# PASSWORD=hunter2\nA=1', '# PASSWORD=(sensitive)\nA=1'],
    ['PASSWORD=two\nlines"\n# why\nB=2\n', 'PASSWORD=(sensitive)\n(sensitive)\n# why\nB=2\n'],
    ['PASSWORD=one\n\n# why\nB=2\n', 'PASSWORD=(sensitive)\n\n# why\nB=2\n'],
    ['A=1\r\nPASSWORD=x\r\n', 'A=1\r\nPASSWORD=(sensitive)\r\n'],
  ])('%j is shown as %j', (text, shown) => {
    expect(maskEnvText(text)).toBe(shown);
  });

  test.each([
    'A=1\r\nB="x y" # z\n',
    '',
    'PASSWORD=\nTOKEN=${OTHER}\n',
    'PASSWORD= # to do\nTOKEN = none # yet\n# PIN=<pin>\n',
    'what is no entry',
  ])('%j is shown as it is', (text) => {
    expect(maskEnvText(text)).toBe(text);
  });
});
