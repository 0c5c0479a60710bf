import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { emulate, root, trueup } from './support/trueup.ts';

/**
 * The main job, shown and checked: a manifest, a platform that matches it, a change behind its back, a repair.
 * `npm run demo -- FILE` shows it with another program, such as the single file.
 */

const [, , file] = process.argv;
const program = file === undefined ? undefined : ([resolve(file)] as const);

const folder = mkdtempSync(join(tmpdir(), 'trueup-demo-'));
cpSync(join(root, 'examples/hello'), folder, { recursive: true });
const platform = await emulate(['--data', join(folder, 'platform.json')], program);
const manifest = join(folder, 'trueup.yaml');
writeFileSync(
  manifest,
  readFileSync(manifest, 'utf8').replace('platform: emulator', `platform: { url: "${platform.url}" }`),
);

/** Says what is done, runs a command, prints what it printed, and checks how it ended. */
async function show(
  what: string,
  args: readonly string[],
  expected: { code: number; says: readonly (string | RegExp)[] },
) {
  process.stdout.write(`\n\n# ${what}\n$ trueup ${args.join(' ')}\n`);
  const { code, output } = await trueup(['-C', folder, ...args], { TRUEUP_API_KEY: platform.apiKey }, program);
  process.stdout.write(output);
  assert.equal(code, expected.code, `exit code of trueup ${args.join(' ')}`);
  for (const words of expected.says) {
    if (typeof words === 'string') assert.ok(output.includes(words), `the output has no ${JSON.stringify(words)}`);
    else assert.match(output, words);
  }
  return output;
}

/** Calls the platform directly, as its own user interface would. */
async function call(operation: string, input: Record<string, unknown>): Promise<unknown> {
  const isRead = Object.keys(input).length === 1 && /\.(one|byProjectId|byComposeId)$/.test(operation);
  const query = isRead ? `?${new URLSearchParams(input as Record<string, string>).toString()}` : '';
  const answer = await fetch(`${platform.url}/api/${operation}${query}`, {
    method: isRead ? 'GET' : 'POST',
    headers: { 'x-api-key': platform.apiKey, 'content-type': 'application/json' },
    ...(isRead ? {} : { body: JSON.stringify(input) }),
  });
  assert.equal(answer.status, 200, `${operation} answers ${answer.status}`);
  return answer.json();
}

interface ListedEnvironment {
  readonly isDefault: boolean;
  readonly compose: readonly { readonly composeId: string }[];
}

try {
  const nothing = { code: 0, says: ['No changes', ', 0 writes'] };
  await show('What would be done', ['plan'], {
    code: 0,
    says: [
      '+ production.compose.hello: create',
      '+ domains["hello.example.com"]: create',
      'port: 80',
      'Plan: 2 to create',
      ', 0 writes',
    ],
  });
  await show('Do it', ['apply', '--auto-approve'], { code: 0, says: ['Applied: 2 created'] });
  await show('Nothing is left to do', ['plan', '--detailed-exitcode'], nothing);

  const [environment] = (await call('environment.byProjectId', { projectId: 'prj_1' })) as ListedEnvironment[];
  const composeId = environment?.compose[0]?.composeId ?? '';
  const [domain] = (await call('domain.byComposeId', { composeId })) as { domainId: string; host: string }[];
  process.stdout.write('\n\n# The port changes on the platform, behind the back of the repository\n');
  await call('domain.update', { domainId: domain?.domainId, host: domain?.host, port: 8081 });

  const drift = await show('Exactly that is shown', ['plan', '--detailed-exitcode'], {
    code: 2,
    says: [/port: 8081 -> 80\b.*drift/, 'Plan: 1 to update', ', 0 writes'],
  });
  assert.equal(drift.match(/->/g)?.length, 1, 'one difference and no other is shown');
  await show('Repair it', ['apply', '--auto-approve'], { code: 0, says: ['Applied: 1 updated'] });
  await show('Nothing is left to do', ['plan', '--detailed-exitcode'], nothing);
  await show('Take it all down again', ['destroy', '--auto-approve'], { code: 0, says: ['2 deleted'] });

  const left = (await call('environment.byProjectId', { projectId: 'prj_1' })) as ListedEnvironment[];
  assert.equal(left.length, 1, 'the default environment stays');
  assert.deepEqual(left[0]?.compose, [], 'nothing else is left on the platform');
  process.stdout.write('\n\nThe demo showed what it says, and checked it.\n');
} finally {
  await platform.stop();
  rmSync(folder, { recursive: true, force: true });
}
