import { defined } from '../formats/json.ts';
import { relative, sep } from 'node:path';
import { isBelowFolder } from '../files/below.ts';
import { readCommit } from '../git/commit.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Plan } from '../plan/action.ts';
import { platformName } from '../plan/plan-facts.ts';
import type { ReadClient } from '../api/client.ts';
import type { NamedPlatform } from '../api/profile.ts';
import type { Connection } from '../workflow/connection.ts';
import type { PlanAbout } from '../render/plan-head.ts';

/** Where a plan applies, and what it was made from. Reads the repository around the folder, and sends nothing. */
export async function aboutPlan(
  { base, saved, observed }: Pick<Plan, 'base' | 'saved' | 'observed'>,
  {
    manifest,
    folder,
    connection,
    platform = manifest.settings.platform,
  }: {
    readonly manifest: Pick<Manifest, 'settings' | 'files'>;
    readonly folder: string;
    readonly connection: Pick<Connection, 'store'> & { readonly client: ReadClient };
    /** By default that of the manifest. */
    readonly platform?: NamedPlatform;
  },
): Promise<PlanAbout> {
  const { projectId: id } = observed;
  const { ownsProject, project } = manifest.settings;
  const name = observed.projectName ?? (ownsProject === true ? project : undefined);
  const { location } = connection.store;
  const commit = await readCommit(folder, [...manifest.files]);
  return {
    platform: platformName(platform),
    platformVersion: base.platform?.version ?? undefined,
    project: name === undefined ? { id } : { id, name: connection.client.redact(name) },
    state: {
      location: isBelowFolder(folder, location) ? relative(folder, location).split(sep).join('/') : location,
      ...defined({ serial: saved?.serial }),
    },
    ...defined({ commit }),
  };
}
