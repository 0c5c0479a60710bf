import * as z from 'zod';
import { volumeName } from '../api/member-types.ts';
import { filePath, text } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import type { ChangeAtRisk } from '../kind/lifecycle.ts';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import type { ParentLink } from '../kind/parent.ts';
import { pathBelow } from '../kind/value-forms.ts';
import { leftFolder, unmounted, volumesMounted } from './families/mounted-volumes.ts';
import { filesOutOfReach, isTooLarge } from './families/large-files.ts';
import { filesBelow, filesInFiles, filesReadByShell, pathIsReadByShell } from './families/nested-paths.ts';
import { isBelowOwn, leadsAway } from './families/own-folder.ts';
import { belowDatabases } from './families/database-kinds.ts';
import { shortMount } from './families/short-forms.ts';

/** The service starts on another volume, or without one where it expects it. */
const leavesVolume: ChangeAtRisk = ({ row }) =>
  unmounted(volumesMounted({ mounts: [row] }).map((name) => `${name} at ${String(row.mountPath)}`));

const below = (serviceType: string): ParentLink => ({
  listed: { at: 'mounts' },
  rows: 'whole',
  // Without serviceType the platform makes a mount that belongs to nothing.
  set: { serviceId: { parent: 'id' }, serviceType: { value: serviceType } },
  idAt: `${serviceType}Id`,
});

/** A folder of the host, a volume or a file inside the container of a service. */
export const mount = defineKind({
  kind: 'mount',
  section: 'mounts',
  summary: 'A folder of the host, a volume or a file inside the container of an application or a database.',
  identity: {
    id: 'mountId',
    key: (value) => (value('type') === 'file' ? ['filePath'] : ['mountPath']),
    keyField: 'mountPath',
  },
  short: shortMount,
  parents: {
    application: below('application'),
    ...belowDatabases(below),
  },
  fields: {
    type: {
      schema: () => z.enum(['bind', 'volume', 'file']).describe('What is mounted.'),
      words: { bind: 'A folder of the host.', volume: 'A volume.', file: 'A file whose text is declared here.' },
      onChange: 'replace',
      examples: ['bind', 'volume'],
    },
    mountPath: {
      schema: () => z.string().startsWith('/').describe('Path inside the container; the key of the block by default.'),
      appliesAt: 'deploy',
      examples: ['/extra', '/more'],
    },
    hostPath: {
      schema: () => z.string().startsWith('/').describe('Folder of the host.'),
      inPreviews: 'folder',
      needed: true,
      onNull: { refuse: 'a bind mount needs its folder' },
      appliesAt: 'deploy',
      examples: ['/srv/extra', '/srv/more'],
    },
    volumeName: {
      schema: () => volumeName.describe('Volume; the old one stays when it changes.'),
      inPreviews: 'volume',
      needed: true,
      onNull: { refuse: 'a volume mount needs its volume' },
      appliesAt: 'deploy',
      examples: ['extra', 'more'],
    },
    filePath: {
      schema: () => pathBelow.describe('Where the platform keeps the file.'),
      codec: filePath,
      needed: true,
      onNull: { refuse: 'a file mount needs its path' },
      onChange: 'replace',
      examples: ['extra.conf', 'more.conf'],
    },
    content: {
      schema: () => z.string().describe('Text of the file.'),
      codec: text,
      secrecy: 'private',
      savedAs: { field: 'filePath' },
      needsNewObject: isTooLarge,
      appliesAt: 'deploy',
      examples: ['a = 1\n', 'a = 2\n'],
    },
  },
  unions: [
    {
      tag: 'type',
      describe: 'What is mounted.',
      cases: {
        bind: { hostPath: 'hostPath' },
        volume: { volumeName: 'volumeName' },
        file: { filePath: 'filePath', content: 'content' },
      },
    },
  ],
  operations: { create: 'mounts.create', read: 'mounts.one', update: 'mounts.update', delete: 'mounts.remove' },
  lifecycle: {
    deletedWithParent: true,
    silentUpdate: true,
    provided: {
      is: (row, parent) =>
        row.type === 'volume' &&
        row.serviceType !== 'application' &&
        row.volumeName === `${String(parent.appName)}-data`,
      allows: 'nothing',
    },
    // A folder that is not mounted any more is no surprise; another one in its place is.
    dataAtRisk: ({ row, parent, action }) =>
      filesBelow(row, parent) ??
      unmounted(volumesMounted({ mounts: [row] })) ??
      (action === 'replace' ? leftFolder(row) : undefined),
    dataNamedBy: ['type', 'volumeName', 'mountPath'],
    changeAtRisk: {
      volume: { volumeName: leavesVolume, mountPath: leavesVolume, hostPath: ({ row }) => leftFolder(row) },
    },
  },
  checks: {
    each: notTheDataPath,
    all: (all, at) => [...filesInFiles(all), ...filesOutOfReach(all, at), ...filesReadByShell(all, at)],
    inPreview: (self, isOwn) => {
      const { hostPath } = self.values;
      if (typeof hostPath !== 'string' || !(leadsAway(hostPath) || isBelowOwn(hostPath, isOwn)))
        return pathIsReadByShell(self);
      const message = leadsAway(hostPath)
        ? 'hostPath leads to a folder that is not of the preview, by .. or below a folder of the system'
        : 'hostPath has the id above its last part, where a container may put a link to any folder of the host';
      return [
        { field: 'hostPath', message, remedy: 'Write the path of the folder itself, such as /srv/NAME${var:suffix}.' },
      ];
    },
  },
  examples: [
    '/extra: { type: bind, hostPath: /srv/extra }\n',
    '/extra: { type: volume, volumeName: extra }\n',
    '/etc/extra.conf: { type: file, filePath: extra.conf, content: "a = 1\\n" }\n',
  ],
});

/** Where the platform mounts the data volume of a database by itself. */
const dataPaths: Readonly<Record<string, RegExp>> = {
  postgres: /^\/var\/lib\/postgresql\/(data|\d+\/docker)\/?$/,
  mariadb: /^\/var\/lib\/mysql\/?$/,
  redis: /^\/data\/?$/,
  mysql: /^\/var\/lib\/mysql\/?$/,
  mongo: /^\/data\/db\/?$/,
  libsql: /^\/var\/lib\/sqld\/?$/,
};

function notTheDataPath({ address, values }: CheckedResource): readonly Problem[] {
  const { serviceType, mountPath } = values;
  if (typeof mountPath !== 'string' || dataPaths[String(serviceType)]?.test(mountPath) !== true) return [];
  return [
    {
      code: 'inconsistent',
      address,
      field: 'mountPath',
      message: `${mountPath} is where the platform mounts the data of this database by itself`,
      remedy: 'Remove the block, or choose another path.',
    },
  ];
}
