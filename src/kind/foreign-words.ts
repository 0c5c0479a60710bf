import { closest } from '../diagnostics/closest.ts';

/**
 * Words that people know from compose files, other tools and other platforms, with the keys that mean the same here. A word
 * counts where a block takes one of its keys; of several, the first.
 */
const meanings: Readonly<Record<string, readonly string[]>> = {
  image: ['dockerImage'],
  docker_image: ['dockerImage'],
  tag: ['dockerImage'],
  version: ['dockerImage'],
  password: ['databasePassword'],
  pass: ['databasePassword', 'password'],
  pw: ['databasePassword', 'password'],
  passwd: ['databasePassword', 'password'],
  rootPassword: ['databaseRootPassword'],
  root_password: ['databaseRootPassword'],
  requirepass: ['databasePassword'],
  user: ['databaseUser', 'username'],
  username: ['databaseUser'],
  db: ['databaseName', 'database'],
  dbname: ['databaseName', 'database'],
  database: ['databaseName'],
  environment: ['env'],
  environments: ['env'],
  environment_variables: ['env'],
  environmentVariables: ['env'],
  envVars: ['env'],
  variables: ['env'],
  vars: ['env'],
  env_file: ['env'],
  volumes: ['mounts'],
  volume: ['mounts', 'volumeName'],
  binds: ['mounts'],
  configs: ['files'],
  ports: ['externalPort'],
  port: ['externalPort', 'domains'],
  expose: ['externalPort', 'domains'],
  hostPort: ['externalPort', 'publishedPort'],
  published: ['publishedPort'],
  publish: ['publishedPort'],
  targetPort: ['port'],
  containerPort: ['port', 'targetPort'],
  mode: ['publishMode'],
  proto: ['protocol'],
  tls: ['https', 'domains'],
  ssl: ['https', 'domains'],
  letsencrypt: ['certificateType'],
  certificate: ['certificateType', 'certificateData'],
  certResolver: ['customCertResolver'],
  entrypoint: ['customEntrypoint', 'command'],
  hostname: ['host', 'domains'],
  domain: ['host', 'domains'],
  fqdn: ['host', 'domains'],
  url: ['host', 'domains'],
  service: ['serviceName'],
  service_name: ['serviceName'],
  cron: ['schedule', 'cronExpression'],
  schedule: ['cronExpression'],
  cronExpression: ['schedule'],
  crontab: ['schedule', 'cronExpression'],
  timeZone: ['timezone'],
  tz: ['timezone'],
  shell: ['shellType'],
  cmd: ['command'],
  run: ['command', 'script'],
  keep: ['keepLatestCount'],
  retention: ['keepLatestCount'],
  destination: ['destinationId'],
  bucket: ['destinationId'],
  memory: ['memoryLimit'],
  mem_limit: ['memoryLimit'],
  mem_reservation: ['memoryReservation'],
  cpu: ['cpuLimit'],
  cpus: ['cpuLimit'],
  scale: ['replicas'],
  instances: ['replicas'],
  healthcheck: ['healthCheckSwarm'],
  restart: ['restartPolicySwarm'],
  labels: ['labelsSwarm'],
  networks: ['networkIds', 'networkSwarm'],
  ulimits: ['ulimitsSwarm'],
  stop_grace_period: ['stopGracePeriodSwarm'],
  server: ['serverId'],
  target: ['mountPath', 'targetPort'],
  containerPath: ['mountPath'],
  source: ['hostPath', 'volumeName', 'regex'],
  from: ['regex'],
  pattern: ['regex'],
  to: ['replacement'],
  colour: ['color'],
  text: ['content'],
  key: ['privateKey'],
  cert: ['certificateData'],
  repo: ['repository', 'url'],
  ref: ['branch'],
  path: ['filePath', 'mountPath', 'composePath', 'buildPath'],
  file: ['composeFile', 'filePath'],
  compose_file: ['composeFile'],
  content: ['composeFile'],
  dockerFile: ['dockerfile'],
  context: ['contextPath'],
  target_stage: ['buildStage'],
  args: ['buildArgs'],
  build_args: ['buildArgs'],
};

const byWord = new Map(Object.entries(meanings).map(([word, keys]) => [word.toLowerCase(), keys]));

/** Finds the key of a block that a word of another tool means. */
export function wordMeant(word: string, keys: readonly string[]): string | undefined {
  return byWord.get(word.toLowerCase())?.find((key) => key !== word && keys.includes(key));
}

/** Finds the key of a block that a word of another tool means, also a misspelt one. */
export function keyMeant(word: string, keys: readonly string[]): string | undefined {
  const exact = wordMeant(word, keys);
  if (exact !== undefined) return exact;
  const known = [...byWord.keys()].filter((one) => one.length > 3 && wordMeant(one, keys) !== undefined);
  const near = closest(word, known);
  return near === undefined ? undefined : wordMeant(near, keys);
}

/** Words of other tools that no key stands for, with the remedy. */
const withoutKey: ReadonlyMap<string, string> = new Map([
  ['depends_on', 'Remove it. A service is deployed after what its ${ref:…} name; after: adds others.'],
  ['count', 'Write one block per object: there are no loops. YAML anchors share what they have in common.'],
  ['lifecycle', 'Write protect: true in the block to keep it from being deleted.'],
  ['provider', 'Remove it: platform: at the top names the platform.'],
]);

const sameAs: ReadonlyMap<string, string> = new Map([
  ['dependson', 'depends_on'],
  ['for_each', 'count'],
  ['foreach', 'count'],
  ['links', 'depends_on'],
  ['prevent_destroy', 'lifecycle'],
]);

/** The remedy for a word of another tool that no key stands for. */
export function remedyWithoutKey(word: string): string | undefined {
  const lower = word.toLowerCase();
  return withoutKey.get(sameAs.get(lower) ?? lower);
}
