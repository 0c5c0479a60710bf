import { readFileSync, writeFileSync } from 'node:fs';

/** Makes a state that says nothing of deployments one that an earlier version wrote: of format 2, without a MAC. */
export function makeUnsealed(file: string): void {
  const isNew = (name: string) => name === 'template';
  const state = JSON.parse(readFileSync(file, 'utf8'), (name, value: unknown) => (isNew(name) ? undefined : value));
  const { lineage, serial, organizationId, projectId, resources } = state as Readonly<Record<string, unknown>>;
  const facts = { lineage, serial, organizationId, projectId, resources };
  writeFileSync(file, JSON.stringify({ formatVersion: 2, ...facts, digestKey: 'k'.repeat(43) }));
}
