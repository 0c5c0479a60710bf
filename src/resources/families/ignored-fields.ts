import type { CheckedResource, Problem } from '../../kind/checks.ts';

/** Fields that have no effect beside the value of another one. */

/** Whether a block has a value for a field, known or not. */
export function isSet({ values, unknown = [] }: CheckedResource, field: string): boolean {
  return (values[field] ?? null) !== null || unknown.includes(field);
}

/**
 * When a field has none of its values that turn something on: always, where the block says so; where the block leaves it out, of
 * a new object only. undefined: it may have one.
 */
function offAt(self: CheckedResource, field: string): Pick<Problem, 'when'> | undefined {
  if (self.values[field] === undefined && !isSet(self, field)) return { when: { isNew: true } };
  const value = self.values[field];
  return isSet(self, field) && value !== false && value !== '' ? undefined : {};
}

/** A field that has no effect, in the form of a problem. */
export function ignoredField(
  { address }: CheckedResource,
  field: string,
  says: Pick<Problem, 'message' | 'remedy' | 'when'>,
): Problem {
  return { code: 'ignored-setting', address, field, ...says };
}

/**
 * Fields of an application that its build, or its deployment, does not read. Source: getBuildCommand, utils/builders and
 * uploadImageRemoteCommand of v0.30.2.
 */
export function buildWorks(self: CheckedResource): readonly Problem[] {
  const { sourceType, buildType, rollbackActive, cleanCache } = self.values;
  const found: Problem[] = [];
  const isImage = sourceType === 'docker';
  const ofBuild = ['buildArgs', 'buildSecrets'].filter(
    (field) => isSet(self, field) || (self.maps[field]?.entries.size ?? 0) > 0,
  );
  const unbuilt = 'the platform builds nothing from an image: it has no effect';
  for (const field of [...ofBuild, ...(cleanCache === true ? ['cleanCache'] : [])])
    if (isImage) found.push(ignoredField(self, field, { message: unbuilt, remedy: 'Remove it.' }));
  const isOther = typeof sourceType === 'string' && !isImage && !self.unknown?.includes('buildType');
  if (isOther && buildType !== 'dockerfile') {
    const message = `only a build by a Dockerfile reads it, and not one by ${String(buildType ?? 'nixpacks')}`;
    const remedy = 'Write build: { type: dockerfile }, or what the build needs under env:.';
    const when = buildType === undefined ? { when: { isNew: true } as const } : {};
    found.push(...ofBuild.map((field) => ignoredField(self, field, { message, remedy, ...when })));
  }
  const none = offAt(self, 'rollbackRegistryId');
  if (rollbackActive === true && none !== undefined) {
    const message = 'without rollbackRegistry no deployment keeps its image, and there is nothing to roll back to';
    found.push(
      ignoredField(self, 'rollbackActive', { message, remedy: 'Add rollbackRegistry: with a registry.', ...none }),
    );
  }
  return found;
}

/** A certificate that nothing asks for: a domain without https has no route with TLS. Source: utils/docker/domain.ts of v0.30.2. */
export function certificateIsUsed(self: CheckedResource): readonly Problem[] {
  const { certificateType } = self.values;
  const off = offAt(self, 'https');
  if (typeof certificateType !== 'string' || certificateType === 'none' || off === undefined) return [];
  const message = 'without https: true the domain has no route with TLS, and nothing asks for a certificate';
  return [ignoredField(self, 'certificateType', { message, remedy: 'Add https: true.', ...off })];
}

/** Settings of names of a compose without what they go with. Source: addDomainToCompose of v0.30.2. */
export function namesAreUsed(self: CheckedResource): readonly Problem[] {
  const { randomize, isolatedDeploymentsVolume, suffix } = self.values;
  const [notRandom, notIsolated, noSuffix] = ['randomize', 'isolatedDeployment', 'suffix'].map((field) =>
    offAt(self, field),
  );
  const found: Problem[] = [];
  if (randomize === true && noSuffix !== undefined && notIsolated !== undefined) {
    const message = 'without a suffix randomize changes no name';
    found.push(
      ignoredField(self, 'randomize', { message, remedy: 'Add suffix: with the text to append.', ...noSuffix }),
    );
  }
  if (typeof suffix === 'string' && suffix !== '' && notRandom !== undefined && notIsolated !== undefined) {
    const message = 'without randomize: true no name gets the suffix';
    found.push(ignoredField(self, 'suffix', { message, remedy: 'Add randomize: true.', ...notIsolated, ...notRandom }));
  }
  if (isolatedDeploymentsVolume === true && notIsolated !== undefined) {
    const message = 'without isolatedDeployment: true volumes keep their names';
    const remedy = 'Add isolatedDeployment: true.';
    found.push(ignoredField(self, 'isolatedDeploymentsVolume', { message, remedy, ...notIsolated }));
  }
  return found;
}
