import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Records } from '../records/all.ts';
import { type DemoPlatform, startPlatform } from './platforms.ts';
import { makeRepository } from './repository.ts';

/** The sites of the demonstration, each on a platform of its own. */
const sites = ['amsterdam', 'berlin', 'ghent', 'lisbon', 'lyon', 'malmo', 'oslo', 'porto', 'turin', 'vienna'] as const;

/** The site that the demo changes by hand, as an operator would. */
const changed = 'vienna';

interface FillOptions {
  /** For the repository, and the files of the platforms. */
  readonly folder: string;
  readonly records: Records;
  /** Says what was done. */
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Fills a controller whose worker runs: ten platforms and a repository are enrolled, a first commit is applied everywhere, a second
 * one waits for approvals, and a service was changed by hand. Gives what ends the platforms.
 */
export async function fill({ folder, records, report, signal }: FillOptions): Promise<() => Promise<void>> {
  const platforms = await Promise.all(sites.map((site) => startPlatform(folder, site)));
  const close = async (): Promise<void> => {
    await Promise.all(platforms.map((platform) => platform.close()));
  };
  try {
    report(`${platforms.length} emulated platforms run on this machine`);
    await enrol(folder, records, platforms);
    const repository = await makeRepository(join(folder, 'repository'), sites);
    const source = {
      id: 'sites',
      url: repository.folder,
      ref: 'refs/heads/main',
      platforms: sites.map((site) => ({ platform: site, paths: `${site}.yaml` })),
      pollSeconds: 3,
      lookSeconds: 30,
      labels: { tier: 'shop' },
    };
    await repository.commit('Serve all sites', () => 'nginx:1.27');
    await records.addSource({ ...source, policy: 'automatic' }, 'demo');
    await until(async () => {
      const stacks = await records.stacks();
      return (
        stacks.length === sites.length && stacks.every(({ applied, wanted }) => applied !== null && applied === wanted)
      );
    }, signal);
    report(`a commit of the repository ${repository.folder} is applied to all of them`);
    await records.addSource({ ...source, policy: 'approval' }, 'demo');
    await platforms.at(-1)?.changeByHand('DEBUG=true');
    report(`a variable of ${changed} is changed by hand`);
    // The commit leaves its files as they are, and so does not have it looked at.
    await records.runSoon({ id: `sites:${changed}.yaml` }, 'demo');
    await repository.commit('Update nginx', (site) => (site === changed ? 'nginx:1.27' : 'nginx:1.29'));
    await until(async () => {
      const waiting = await Promise.all(sites.map((site) => records.waitingPlan(`sites:${site}.yaml`)));
      return waiting.every((plan) => plan !== undefined);
    }, signal);
    report(`the next commit and the repair of ${changed} are planned, and wait for approvals`);
    return close;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Enrols the platforms, each with its key and with the one secret of its site. */
async function enrol(folder: string, records: Records, platforms: readonly DemoPlatform[]): Promise<void> {
  const envFile = join(folder, 'secrets.env');
  await writeFile(envFile, 'TRUEUP_SECRET_DB_PASSWORD=of-the-demonstration\n', { mode: 0o600 });
  for (const { id, url, keyFile } of platforms) {
    const labels = { site: id, ring: id === sites[0] ? 'canary' : 'rest' };
    await records.addPlatform({ id, url, profile: 'dokploy', keyFile, envFile, connections: 4, labels }, 'demo');
  }
}

/** Waits until something holds, looking four times a second. @throws {Error} the reason of the signal */
async function until(what: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await what())) await setTimeout(250, undefined, { signal });
}
