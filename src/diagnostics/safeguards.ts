import type { Code } from './codes.ts';

/** The flag of each permission. */
export const flags = {
  dataLoss: '--allow-data-loss',
  adoption: '--adopt',
  massDeletion: '--allow-mass-delete',
  massRecreation: '--allow-mass-recreate',
} as const;

/** A safeguard: docs/safety.md shows the table of them. */
export interface Safeguard {
  /** What the plan would do, as the end of "the plan would". */
  readonly would: string;
  /** The facts that it judges by, as the end of "Trueup knows this from". */
  readonly knows: string;
  readonly code: Code;
  /** The permission that an apply needs. Without one no flag helps, or the plan only warns. */
  readonly permission?: keyof typeof flags;
  /** What allows it otherwise, as the end of "it needs". */
  readonly needs?: string;
  /** It only holds for a resource with `protect: true`, and for what is below one. */
  readonly ofProtected?: true;
}

/** More deletions of one kind than `most`, or this share of at least `of`, are more than one edit usually means. */
export const usual = { most: 10, share: 0.3, of: 10 };

/** Of so few things that go together one edit may well mean all. */
export const few = 2;

const lifted = '`protect: false` in the block, applied before';

/** Every safeguard. The plan and its guards go by this table. */
export const safeguards = {
  protected: {
    would:
      'delete or replace a resource with `protect: true`, also after you removed that line or its block; or empty it with `trueup run rebuild`',
    knows: '`protect:` as it was applied last, in the state',
    code: 'protected',
    needs: lifted,
  },
  data: {
    would:
      'delete or replace a database; replace a compose, or delete it with `deleteVolumes: true`; delete a destination, with which the platform deletes all backups that use it; delete a git provider that a person connected in the browser; delete an SSH key, a registry or a server, which other projects may use; delete or replace a file whose path the platform has other files below; empty a database with `trueup run rebuild`; deploy a raw compose with data in a folder of its source, or a compose whose `command:` removes volumes, where it has `protect: true` or Trueup never deployed it',
    knows: 'the row of the object, and the options and deployments in the state',
    code: 'data-at-risk',
    permission: 'dataLoss',
    needs: lifted,
  },
  'another object': {
    would: 'delete an object with the id of the state, whose key and most values differ from what the last apply left',
    knows: 'the row of the object, and the values in the state',
    code: 'data-at-risk',
    permission: 'dataLoss',
    needs: lifted,
  },
  volume: {
    would:
      'stop mounting a named volume: without its mount, its application or its compose; under another `volumeName:` or `mountPath:`; by another `composeFile:` or variable in it, or a field that renames the volumes of a compose, also by the project that `command:` names; mount something else in place of a folder of the host; let a program look for its data elsewhere: by another image, `PGDATA` and its like, a flag such as `--datadir`, or something that is mounted over its folder; or give a compose a `command:` that removes volumes',
    knows:
      'the rows of mounts; the image, `env:`, `command:` and `args:` of a service; and the compose files before and after, with their variables filled in and the blocks under `files:` that `env_file:` names',
    code: 'data-at-risk',
    permission: 'dataLoss',
    needs: lifted,
  },
  version: {
    would:
      'run a database, or another program that Trueup knows to keep data, with an image of another major version, of an older version, or of a version that its tag does not tell; also one in a compose file, by its variables too, or in an application, with a volume or a folder of the host',
    knows: 'the tag of the image before and after',
    code: 'data-at-risk',
    permission: 'dataLoss',
    needs: lifted,
  },
  backups: {
    would:
      'make fewer backups of a service with `protect: true`: remove or disable a schedule, run it more rarely, keep fewer, or back up something else',
    knows: 'the row of the backup and the new values; `protect:` of its service in the state',
    code: 'data-at-risk',
    permission: 'dataLoss',
    needs: '`protect: false` in the block of the backup, applied before',
    ofProtected: true,
  },
  'backups elsewhere': {
    would:
      'write the backups of a service with `protect: true` to another `destinationId:` or `prefix:`, or to another `bucket:` or `endpoint:` of their destination',
    knows: 'the rows of the backup and the destination and the new values; `protect:` of its service in the state',
    code: 'backup-moves',
    needs: 'nothing; the plan warns',
    ofProtected: true,
  },
  dashboard: {
    would: 'give the dashboard of the platform another `host:`, or none',
    knows: 'the settings of the server and the new value',
    code: 'dashboard-moves',
    needs: 'nothing; the plan warns',
  },
  'many of a kind': {
    would: `delete more than ${usual.most} resources of a kind, or at least ${usual.share * 100} % of those in the state when these are ${usual.of} or more`,
    knows: 'the deletions and replacements of the plan, and the number of resources of the kind in the state',
    code: 'mass-deletion',
    permission: 'massDeletion',
  },
  'all but provided': {
    would: `delete everything except what the organization has and the objects that each project has, such as its default environment; ${few + 1} resources or more, not counting those inside others`,
    knows: 'the deletions of the plan, and all addresses of the state',
    code: 'mass-deletion',
    permission: 'massDeletion',
  },
  'other manifest': {
    would:
      'delete what the state holds, or remove from the state what stays on the platform, while the manifest declares none of it: it may be the state of another manifest',
    knows: 'the addresses of the manifest after `moved:`, those of the state, and the deletions of the plan',
    code: 'other-manifest',
    permission: 'massDeletion',
    needs: 'a state of its own, or entries under `moved:`, or `trueup destroy` where nothing of the state would stay',
  },
  vanished: {
    would: `create again all that the state holds in the project, 2 objects or more that are not inside one another; or more than ${usual.most} resources of a kind, or at least ${usual.share * 100} % of those in the state when these are ${usual.of} or more`,
    knows: 'the ids in the state, and two reads that lack their objects',
    code: 'vanished',
    permission: 'massRecreation',
  },
  everything: {
    would: 'delete everything that the state holds, at least 2 resources; also but for what `--exclude` leaves out',
    knows: 'the deletions of the plan, and all addresses of the state',
    code: 'deletes-everything',
    needs: '`trueup destroy`',
  },
  'all of the environment': {
    would:
      'delete all services of the environment that the root file names with `environment:`, at least 2, and keep the environment',
    knows: 'the deletions of the plan, and the services that the state has in the environment',
    code: 'deletes-everything',
    needs: '`trueup destroy`',
  },
  'services of others': {
    would:
      'delete an environment that holds services which are not in the state; the refusal names them and their data',
    knows: 'the lists of the environment on the platform, and the ids in the state',
    code: 'not-empty',
    needs: 'to move those services, or to delete them on the platform',
  },
  adoption: {
    would: 'adopt an object that Trueup did not create, and overwrite its values',
    knows: 'the keys of the blocks, and objects of that key which the state does not have',
    code: 'consent',
    permission: 'adoption',
    needs: 'a yes, or `id:` in the block',
  },
  foreign: {
    would: 'touch an object that the platform shows in another project',
    knows: 'the project and the organization in the row of the object and the rows above it',
    code: 'foreign-object',
    needs: 'a correct `id:`, or a correct state',
  },
  'state of another project': {
    would: 'use a state that belongs to another project or organization',
    knows: 'the ids of project and organization in the state, and the organization of the API key',
    code: 'state-unusable',
    needs: 'the project or the key that the state belongs to, or a state of its own',
  },
} as const satisfies Record<string, Safeguard>;
