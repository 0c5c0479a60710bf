import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { CapturedPlan } from './captured-plans.ts';
import { capturedPlans, picturedPlan, secrets } from './captured-plans.ts';

/** The widths that every plan is captured at, in columns. */
const widths = [80, 120] as const;

/** Captures the plan of the README in the colours of a terminal. */
export async function capturePicture(): Promise<string> {
  return capture(picturedPlan, [pictureWidth], 'colours').then(([text = '']) => text);
}

/** The columns of the picture. */
export const pictureWidth = 96;

/** Captures every plan by the real command line, on a platform of its own: by its title, the texts by width in columns. */
export async function capturePlans(plans = capturedPlans): Promise<ReadonlyMap<string, ReadonlyMap<number, string>>> {
  const captured = new Map<string, ReadonlyMap<number, string>>();
  for (const plan of plans) {
    const texts = await capture(plan, widths);
    captured.set(plan.title, new Map(widths.map((width, at) => [width, texts[at]?.trimEnd() ?? ''])));
  }
  return captured;
}

/** The plans that the page shows. */
export const plansOfPage = capturedPlans.filter(({ isOnPage }) => isOnPage);

/** Makes the page of the captured plans. */
export function renderCaptures(captured: Awaited<ReturnType<typeof capturePlans>>): string {
  const sections = plansOfPage.map(({ title, about }) => {
    const texts = [...(captured.get(title) ?? [])];
    const captures = texts.map(([width, text]) => `${width} columns:\n\n\`\`\`text\n${text}\n\`\`\`\n`);
    return `## ${title}\n\n${about}\n\n${captures.join('\n')}`;
  });
  return `${introduction}\n${sections.join('\n')}`;
}

const introduction = `<!-- Made by \`npm run captures\`: plans of the real command line on the emulator. -->

# Five plans

These are plans as \`trueup plan\` prints them, on a terminal of 80 and of 120 columns, without colours. Numbers replace the ids.

## How to read a plan

- **The head** says where the plan applies: the platform, the project, the state with its version, and the commit that is
  checked out. \`commit\` counts the files of the manifest that the index of git does not have with the same content. Without such
  a count it claims nothing about the work tree.
- **The blocks** stand in the order of the manifest, a deletion where its block was. Below a service stand its domains, its
  mounts and its deployment.
- **A long text** shows the lines that differ: \`-\` is what the platform has, \`+\` what apply writes, \`~\` a line in which only a
  secret part changes. \`@@ -84,7 +84,7 @@ services.web\` is before 7 lines from line 84 on, on both sides, below the keys
  \`services\` and \`web\`. [Which values a plan shows](secrets.md#which-values-a-plan-shows). \`--full\` shows what
  \`… 349 more lines\` counts.
- **A reference** to a destination, a server or another object shows its name, where a list of the run has it and no other
  object has the same name. Else it shows the id, also where the name is secret or looks like a secret.
- **Equal changes** of 3 or more services are one block, which names the first services. \`--full\` shows each. Deletions,
  replacements, adoptions, data at risk and errors always name every address.
- **The foot** says which services restart, whose data is at risk, how many objects of the project are not managed, what the
  signs mean, and how much changes. It repeats the errors of a long plan.
- **A change of the state alone** is a change: a \`moved:\` entry that sends nothing, an option such as \`protect:\`, and a
  field that leaves the manifest. The plan counts it, and apply asks for it.
`;

/** What the plan prints at each width. */
async function capture(plan: CapturedPlan, columns: readonly number[], how?: 'colours'): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-captures-'));
  try {
    if (plan.applied !== undefined) {
      write(folder, plan.applied);
      await run(folder, ['apply', '--auto-approve', '--adopt'], 80);
    }
    for (const change of plan.byHand ?? []) {
      const shown = await run(folder, ['state', 'show', change.address, '--format', 'json'], 80);
      const { id } = JSON.parse(shown) as { id: string };
      const input = JSON.stringify({ ...change.members, [change.id]: id });
      await run(folder, ['call', change.operation, '--yes', '--input', input], 80);
    }
    write(folder, plan.planned);
    const captures: string[] = [];
    for (const width of columns) captures.push(settled(await run(folder, ['plan'], width, how), folder));
    return captures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function write(folder: string, files: CapturedPlan['planned']): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The printed text with the same ids and folders in every run. */
function settled(text: string, folder: string): string {
  const numbers = new Map<string, number>();
  return text.replaceAll(folder, '/srv/shop').replaceAll(/\(([A-Za-z0-9_-]{21})\)/g, (_, id: string) => {
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    return `(object-${String(number).padStart(14, '0')})`;
  });
}

/** Runs the command line on a terminal of a width; what it prints to stdout. @throws {Error} when it fails */
async function run(cwd: string, args: readonly string[], width: number, how?: 'colours'): Promise<string> {
  let [out, err] = ['', ''];
  const into = (add: (text: string) => void, properties: object) =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write: (text: unknown, _encoding, done) => {
          add(String(text));
          done();
        },
      }),
      properties,
    );
  const env = {
    PATH: process.env.PATH,
    ...(how === 'colours' ? {} : { NO_COLOR: '1' }),
    ...Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`TRUEUP_SECRET_${name}`, value])),
  };
  const never = (): never => {
    throw new Error('a capture cannot be stopped');
  };
  const code = await runCommandLine(
    Object.assign(new EventEmitter(), {
      argv: ['node', 'trueup', ...args],
      env,
      stdin: Readable.from([]),
      stdout: into((text) => (out += text), { isTTY: true, columns: width, rows: 50 }),
      stderr: into((text) => (err += text), {}),
      cwd: () => cwd,
      exit: never,
      pid: 0,
      kill: never,
    }),
  );
  if (code !== 0) throw new Error(`trueup ${args.join(' ')} exits with ${code}:\n${out}${err}`);
  return out;
}
