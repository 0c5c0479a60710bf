import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A repository with a root file for each site, which share one file. */
export interface Repository {
  readonly folder: string;
  /** Commits the sites as they should be now. */
  readonly commit: (message: string, imageOf: ImageOf) => Promise<void>;
}

/** The image that a site runs. */
type ImageOf = (site: string) => string;

const run = promisify(execFile);

/** Makes a repository for some sites, with nothing committed. */
export async function makeRepository(folder: string, sites: readonly string[]): Promise<Repository> {
  await mkdir(folder, { recursive: true });
  const git = (...words: readonly string[]) =>
    run('git', ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.com', '-c', 'commit.gpgSign=false', ...words], {
      cwd: folder,
    });
  await git('init', '--quiet', '--initial-branch=main');
  return {
    folder,
    commit: async (message, imageOf) => {
      await writeFile(join(folder, 'site.yaml'), siteFile);
      for (const site of sites) await writeFile(join(folder, `${site}.yaml`), rootFile(site, imageOf(site)));
      await git('add', '--all');
      await git('commit', '--quiet', '--message', message);
    },
  };
}

function rootFile(site: string, image: string): string {
  return `trueup: 1
project: prj_1
environment: production
include: [site.yaml]
variables: { site: ${site}, image: '${image}' }
`;
}

const siteFile = `# What every site has.
variables:
  site: { type: text }
  image: { type: text }

compose:
  web:
    source:
      type: raw
      composeFile: |
        services:
          web:
            image: \${IMAGE}
            environment: { SITE: '\${SITE}' }
    env: { IMAGE: '\${var:image}', SITE: '\${var:site}' }
    domains:
      main: { host: '\${var:site}.example.com', serviceName: web, port: 80, https: true, certificateType: letsencrypt }

postgres:
  main:
    dockerImage: postgres:17
    databaseName: site
    databaseUser: site
    databasePassword: \${secret:DB_PASSWORD}
`;
