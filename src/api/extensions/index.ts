import type { Endpoint } from '../endpoint.ts';
import { application } from './application.ts';
import { backup } from './backup.ts';
import { certificates } from './certificates.ts';
import { compose } from './compose.ts';
import { deployment } from './deployment.ts';
import { destination } from './destination.ts';
import { environment } from './environment.ts';
import { gitProvider } from './git-provider.ts';
import { libsql } from './libsql.ts';
import { mariadb } from './mariadb.ts';
import { mongo } from './mongo.ts';
import { mounts } from './mounts.ts';
import { mysql } from './mysql.ts';
import { notification } from './notification.ts';
import { organization } from './organization.ts';
import { overview } from './overview.ts';
import { port } from './port.ts';
import { project } from './project.ts';
import { redirects } from './redirects.ts';
import { redis } from './redis.ts';
import { registry } from './registry.ts';
import { schedule } from './schedule.ts';
import { security } from './security.ts';
import { server } from './server.ts';
import { settings } from './settings.ts';
import { tag } from './tag.ts';
import { user } from './user.ts';

/**
 * Operations that the reference implementation has beyond the API document, by name, in the words of the document. A
 * platform may have some of them; Trueup uses those that it serves, and needs none.
 */
export const extension = {
  ...application,
  ...backup,
  ...certificates,
  ...compose,
  ...deployment,
  ...destination,
  ...environment,
  ...gitProvider,
  ...libsql,
  ...mariadb,
  ...mongo,
  ...mounts,
  ...mysql,
  ...notification,
  ...organization,
  ...overview,
  ...port,
  ...project,
  ...redirects,
  ...redis,
  ...registry,
  ...schedule,
  ...security,
  ...server,
  ...settings,
  ...tag,
  ...user,
} satisfies Record<string, Endpoint>;
