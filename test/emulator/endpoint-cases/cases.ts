import { application } from './application.ts';
import { compose } from './compose.ts';
import { databases } from './databases.ts';
import type { EndpointCase } from './endpoint-case.ts';
import { gitProviders } from './git-providers.ts';
import { backup, domain, mounts, volumeBackups } from './leafs.ts';
import { organizationCases } from './organization.ts';
import { user } from './user.ts';

/** One case for each operation, by its name, which is the title of its test. */
export const cases: Readonly<Record<string, EndpointCase>> = {
  ...application,
  ...backup,
  ...compose,
  ...databases,
  ...domain,
  ...gitProviders,
  ...mounts,
  ...organizationCases,
  ...user,
  ...volumeBackups,
};
