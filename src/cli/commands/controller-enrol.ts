import { resolve } from 'node:path';
import { profiles } from '../../api/contract.ts';
import type { EnrolmentDocument } from '../../render/document-schemas.ts';
import { enrolmentJson, renderEnrolment } from '../../render/enrolment.ts';
import { reportFormats } from '../../render/output-format.ts';
import { type Run, defineCommand } from '../command.ts';
import { gitOf, gitOptions, labelsOf, withController } from '../controller.ts';
import type { FlagsOf, Options } from '../flags.ts';
import { readSeconds, usage } from '../settle-options.ts';

const options = {
  '--platform <id>': 'name of the platform; with --url it is enrolled, else --source is put on it',
  '--url <address>': 'address of the platform',
  '--key-file <file>': 'file with its API key',
  '--env-file <file>': 'file with lines NAME=value for its stacks, such as TRUEUP_SECRET_DB_PASSWORD=…',
  '--profile <name>': 'names that its API uses: standard or dokploy; default: found out',
  '--platform-label <name=value>': {
    about: 'label of the platform, such as customer=acme; repeatable',
    isRepeatable: true,
  },
  '--only <name=value>': {
    about: 'label of a platform that only workers with the same --only reach, such as site=paris; repeatable',
    isRepeatable: true,
  },
  '--source <id>': 'name of the repository; with --git it is enrolled',
  '--git <address>': 'address of the repository: https://…, ssh://…, user@host:path or an absolute path',
  '--ref <name>': { about: 'branch, or a ref such as refs/tags/live', default: 'main' },
  '--on <platform=paths>': {
    about:
      'platform of the root files that a pattern matches, such as paris=sites/paris/**; repeatable: the first counts',
    isRepeatable: true,
  },
  '--policy <policy>': { about: 'when plans are applied: automatic, approval or never', default: 'approval' },
  '--previews <policy>':
    'when previews of pull requests are applied: automatic, approval or never; default: that of --policy',
  '--poll <time>': { about: 'how often git is asked for new commits', default: '60s' },
  '--look <time>': { about: 'how often each stack is checked for drift', default: '1h' },
  '--forge <forge>': 'github, gitlab, forgejo (also Gitea) or none; default: by the host of the address',
  '--hook-secret-file <file>': 'file with the secret of the webhook',
  '--forge-token-file <file>': 'file with a token that sets statuses and comments',
  '--label <name=value>': { about: 'label of all stacks of the repository; repeatable', isRepeatable: true },
  '--address <url>': 'address of the page, for the webhook that is printed',
  '--skip-checks': 'write it without reaching the platform and the repository',
  ...gitOptions,
} as const satisfies Options;

type Flags = FlagsOf<typeof options>;

/** Enrols a platform, a repository or both. */
export const command = defineCommand({
  options,
  notes: `Run it again to change what is enrolled: what you leave out gets its default. Files are those of the workers, and only their names
are stored; \${CREDENTIALS_DIRECTORY}/key works where systemd gives them. --connections limits the requests to the platform at a time.`,
  examples: [
    'trueup controller enrol --platform shop --url https://deploy.example.com --key-file /etc/trueup/shop.key',
    'trueup controller enrol --source shop --git https://git.example.com/shop.git --platform shop',
    'trueup controller enrol --platform paris --url https://10.0.0.5 --key-file /etc/trueup/paris.key --only site=paris',
    "trueup controller enrol --source sites --git git@git.example.com:sites.git --on 'paris=paris/**' --on 'rome=rome/**'",
  ],
  formats: reportFormats<Omit<EnrolmentDocument, 'format' | 'version'>>({
    text: (report, { out, outStyle }) => out(renderEnrolment(report, outStyle)),
    json: enrolmentJson,
  }),
  execute: async (run, view, { flags }) => {
    const about = { env: run.options.env, ...gitOf(run, flags), checks: flags.skipChecks !== true };
    const [platform, source] = [platformOf(run, flags), sourceOf(run, flags)];
    if (platform === undefined && source === undefined)
      throw usage('nothing is named to enrol', 'Give --platform with --url, --source with --git, or both.');
    const done = await withController(({ enrol }) => enrol({ ...about, platform, source }));
    view.report({
      checks: done.checks,
      ...(platform === undefined || done.platform === undefined
        ? {}
        : { platform: { id: platform.id, is: done.platform } }),
      ...(source === undefined || done.source === undefined
        ? {}
        : { source: { id: source.id, is: done.source, ...webhookOf(source, flags) } }),
    });
    return done.platform === undefined && done.source === undefined ? 'failed' : 'done';
  },
});

function platformOf(run: Run, flags: Flags) {
  const { platform: id, url, keyFile, envFile, profile } = flags;
  if (url === undefined) {
    const isOfPlatform = [keyFile, envFile, profile, flags.platformLabel, flags.only].some((one) => one !== undefined);
    if (!isOfPlatform) return undefined;
    throw usage('the options are of a platform, and --url is missing', 'Give --url with the address of the platform.');
  }
  if (id === undefined || keyFile === undefined)
    throw usage('--url needs --platform and --key-file', 'Give the platform a name, and the file with its API key.');
  return {
    id: nameOf('--platform', id),
    url,
    profile: profile === undefined ? null : choice('--profile', profile, profiles),
    keyFile: fileOf(run, keyFile),
    envFile: envFile === undefined ? null : fileOf(run, envFile),
    connections: run.options.connections,
    ...bindingOf(flags),
  };
}

/** The labels of a platform, and those of them that its workers name. */
function bindingOf({ platformLabel, only }: Flags) {
  const [labels, bound] = [labelsOf('--platform-label', platformLabel), labelsOf('--only', only)];
  const other = Object.keys(bound).find((name) => Object.hasOwn(labels, name) && labels[name] !== bound[name]);
  if (other !== undefined)
    throw usage(`--platform-label and --only give ${other} two values`, 'Give it with --only alone.');
  return { labels: { ...labels, ...bound }, only: bound };
}

function sourceOf(run: Run, flags: Flags) {
  const { source: id, git, ref, platform } = flags;
  if (id === undefined || git === undefined) {
    if (id === undefined && git === undefined) return undefined;
    throw usage('--source and --git go together', 'Give the repository a name and an address.');
  }
  const file = (path: string | undefined) => (path === undefined ? null : fileOf(run, path));
  const rules = (flags.on ?? []).map(ruleOf);
  const whole = platform === undefined || rules.length > 0 ? [] : [{ platform, paths: '**' }];
  if (rules.length === 0 && whole.length === 0)
    throw usage('the repository has no platform', 'Give --platform, or --on for each part of the repository.');
  return {
    id: nameOf('--source', id),
    url: git,
    ref: ref.startsWith('refs/') ? ref : `refs/heads/${ref}`,
    platforms: [...rules, ...whole],
    policy: choice('--policy', flags.policy, policies),
    previewPolicy: flags.previews === undefined ? null : choice('--previews', flags.previews, policies),
    pollSeconds: readSeconds('--poll', flags.poll, 1, 86_400),
    lookSeconds: readSeconds('--look', flags.look, 10, 31 * 86_400),
    forge: flags.forge === undefined ? forgeOf(git) : choice('--forge', flags.forge, forges),
    hookSecretFile: file(flags.hookSecretFile),
    forgeTokenFile: file(flags.forgeTokenFile),
    credentialsFile: file(flags.gitCredentials),
    labels: labelsOf('--label', flags.label),
  };
}

const policies = ['automatic', 'approval', 'never'] as const;
const forges = ['github', 'gitlab', 'forgejo', 'none'] as const;

/** The forge that a public host runs. */
function forgeOf(address: string): (typeof forges)[number] {
  const [, host = ''] = /^(?:\w+:\/\/)?(?:[^@/]*@)?([^/:]+)/.exec(address) ?? [];
  const known = { 'github.com': 'github', 'gitlab.com': 'gitlab', 'codeberg.org': 'forgejo' } as const;
  return Object.hasOwn(known, host) ? known[host as keyof typeof known] : 'none';
}

function webhookOf({ id, forge }: { readonly id: string; readonly forge: string }, { address }: Flags) {
  return forge === 'none' ? {} : { webhook: `${address?.replace(/\/$/, '') ?? ''}/hooks/${id}` };
}

/** A file of the workers: its path, which may begin with a variable. */
function fileOf({ process }: Run, path: string): string {
  return path.startsWith('${') ? path : resolve(process.cwd(), path);
}

function nameOf(option: string, text: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,62}$/.test(text)) return text;
  throw usage(`${option} must have letters, digits, "_", "." and "-" only, got ${JSON.stringify(text)}`);
}

function ruleOf(text: string): { readonly platform: string; readonly paths: string } {
  const at = text.indexOf('=');
  if (at > 0 && at < text.length - 1) return { platform: text.slice(0, at), paths: text.slice(at + 1) };
  throw usage(`--on must be PLATFORM=PATHS such as paris=sites/paris/**, got ${JSON.stringify(text)}`);
}

function choice<T extends string>(option: string, text: string, words: readonly T[]): T {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw usage(`${option} must be ${words.join(', ')}, got ${JSON.stringify(text)}`);
}
