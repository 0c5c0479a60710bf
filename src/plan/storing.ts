import { plain } from '../kind/codecs.ts';
import type { Outputs, Wanted } from '../manifest/wanted.ts';
import { withHidden } from '../manifest/wanted.ts';
import type { Digest } from '../secrets/digest.ts';
import { hiddenLines } from '../secrets/looks-secret.ts';
import type { Storing } from '../state/stored.ts';
import type { AttributeChange } from './action.ts';
import { toStoredTemplate } from './template.ts';

/** What is known of the secrets in a wanted value, to store it, or what the platform answered in its place. */
export function storing(
  { attribute, field, wanted }: Pick<AttributeChange, 'attribute' | 'field'> & { readonly wanted: Wanted },
  { outputs, digest }: { readonly outputs: Outputs; readonly digest: Digest },
): Storing {
  const { isSecret, privateKeys } = wanted;
  const how = { attribute, field, isSecret, digest, ...(privateKeys === undefined ? {} : { privateKeys }) };
  const secretLines = isSecret ? linesOfSecrets(wanted, outputs, field) : undefined;
  const isHidden = isSecret || field.secrecy === 'secret' || wanted.template !== undefined;
  const template = isHidden ? toStoredTemplate(wanted, { outputs, digest }) : undefined;
  return {
    ...how,
    ...(secretLines === undefined ? {} : { secretLines }),
    ...(template === undefined ? {} : { template }),
  };
}

/** The lines of a text, from 0, that secrets flow into; undefined for what is no text, or is secret as a whole. */
function linesOfSecrets(wanted: Wanted, outputs: Outputs, { codec = plain }: AttributeChange['field']) {
  const text = withHidden(wanted, outputs, (secret) => secret);
  const masked = withHidden(wanted, outputs, hiddenLines);
  if (typeof text !== 'string' || typeof masked !== 'string' || codec.normal(text) !== text) return undefined;
  const shown = masked.split('\n');
  return text.split('\n').flatMap((line, at) => (line === shown[at] ? [] : [at]));
}
