import { hasMark } from '../../formats/secret-mark.ts';
import type { CheckedResource, Checks } from '../../kind/checks.ts';
import { composeOf } from './compose-model.ts';

type Repeats = NonNullable<Checks['repeats']>;

/**
 * Whether the name of an image means one version: it has a digest, or a tag that begins with a number (also behind `v`,
 * `release-` or `version-`) or is a commit. `latest`, no tag and the names of branches and lines of releases mean another
 * version each time.
 */
function isFixedImage(image: string): boolean {
  if (image.includes('@sha256:')) return true;
  const tag = /:([^:/]+)$/.exec(image)?.[1] ?? 'latest';
  return /^((release|rel|version|ver)[-._]?)?v?\d/i.test(tag) || /^((sha|git)[-._])?[\da-f]{7,40}$/.test(tag);
}

const remedy = 'Write a version or a digest, such as shop:1.4.2, or leave deploy: out.';

function otherImage(
  { shown }: CheckedResource,
  image: string,
): { readonly message: string; readonly remedy: string } | undefined {
  if (isFixedImage(image) || image.includes('$') || hasMark(image)) return undefined; // a variable that is not known yet, or a secret
  return { message: `${shown(image)} means another version each time that it is pulled`, remedy };
}

/** A repository gives the code that it has when it is asked. */
function ofRepository(source: unknown): ReturnType<Repeats> {
  if (typeof source !== 'string') return undefined;
  const what = `the source is ${source}, and a deployment takes the newest code`;
  return { field: 'sourceType', message: what, remedy: 'Deploy an image with a version, or leave deploy: out.' };
}

/** A database runs its image. */
export const imageRepeats: Repeats = (self) => {
  const { dockerImage } = self.values;
  const found = typeof dockerImage === 'string' ? otherImage(self, dockerImage) : undefined;
  return found && { field: 'dockerImage', ...found };
};

/** An application runs an image or what a repository has. */
export const applicationRepeats: Repeats = (self) =>
  self.values.sourceType === 'docker' ? imageRepeats(self) : ofRepository(self.values.sourceType);

/** A compose runs the images of its file; `build:` takes the newest code. */
export const composeRepeats: Repeats = (self: CheckedResource) => {
  if (self.values.sourceType !== 'raw') return ofRepository(self.values.sourceType);
  const read = composeOf(self);
  if (read === undefined || 'problem' in read) return undefined;
  for (const { name, image, definition } of read.model.services.values()) {
    const path = ['services', name, 'image'];
    if (definition.build !== undefined) {
      const message = `the service ${name} is built from code that the platform does not give back`;
      return { field: 'composeFile', path: ['services', name, 'build'], message, remedy };
    }
    const found = image === undefined ? undefined : otherImage(self, image);
    if (found !== undefined) return { field: 'composeFile', path, ...found, message: `${name}: ${found.message}` };
  }
  return undefined;
};
