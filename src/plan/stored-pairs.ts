import { plain } from '../kind/codecs.ts';
import { type Json, textsIn } from '../formats/json.ts';
import { type Outputs, type Wanted, knownValue, withHidden } from '../manifest/wanted.ts';
import type { Digest } from '../secrets/digest.ts';
import { hiddenLines, maskAttribute } from '../secrets/looks-secret.ts';
import { redacted } from '../secrets/secret.ts';
import type { ClearAround, Pair } from '../state/record.ts';
import { toStored } from '../state/stored.ts';
import type { AttributeChange } from './action.ts';
import { toStoredTemplate } from './template.ts';

type Planned = Pick<AttributeChange, 'attribute' | 'field'>;
type Storable = Planned & { readonly wanted: Wanted };
type Stored = Pick<Pair, 'wanted' | 'answered'>;

/** What making the stored form of a value needs. */
interface Storage {
  readonly outputs: Outputs;
  readonly digest: Digest;
  /** Replaces the secrets of the run in what the platform answered. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** The pairs of what was sent: a run announces, records and settles the same. */
const sent = new WeakMap<Planned, { readonly meant: Json; readonly pair: Stored }>();

/** What the state holds of a value that is sent, until the platform is read: it stands for the answer too. */
export function sentPair(planned: Planned, wanted: Wanted, meant: Json, storage: Storage): Stored {
  const known = sent.get(planned);
  if (known?.meant === meant) return known.pair;
  const pair = makePair(planned, wanted, [meant, meant], storage);
  sent.set(planned, { meant, pair });
  return pair;
}

/** What the state holds of a wanted value, and of what the platform answered in its place: the same by default. */
export function storedPair(
  planned: Planned,
  wanted: Wanted,
  [meant, answered = meant]: readonly [Json, (Json | undefined)?],
  storage: Storage,
): Stored {
  const known = sent.get(planned);
  if (answered === meant && known?.meant === meant) return known.pair;
  return makePair(planned, wanted, [meant, answered], storage);
}

function makePair(
  { attribute, field }: Planned,
  wanted: Wanted,
  [meant, answered]: readonly [Json, Json],
  { outputs, digest, redact = (text) => text }: Storage,
): Stored {
  const { isSecret, privateKeys } = wanted;
  const secretLines =
    isSecret || privateKeys !== undefined ? linesOfSecrets({ attribute, field, wanted }, outputs) : undefined;
  const how = { attribute, field, isSecret, secretLines, privateKeys, digest };
  const stored = toStored(how, meant);
  const isHidden = isSecret || field.secrecy === 'secret' || (secretLines?.size ?? 0) > 0;
  const template = isHidden ? toStoredTemplate(wanted, { outputs, digest }) : undefined;
  // Another form that the platform gave it is a text from elsewhere.
  const isFound = () => textsIn(answered).some((text) => redact(text) !== text);
  return {
    wanted: template === undefined ? stored : { ...stored, template },
    answered:
      answered === meant
        ? stored
        : toStored({ ...how, isSecret: isSecret || isFound(), secretLines: undefined }, answered),
  };
}

/**
 * The lines of a text that secrets flow into, or that hold what the user calls private, from 0; undefined for what is no
 * text, or is secret as a whole.
 */
function linesOfSecrets(
  { wanted, ...about }: Storable,
  outputs: Outputs,
): ReadonlyMap<number, ClearAround> | undefined {
  const { codec = plain } = about.field;
  const text = wanted.isSecret ? withHidden(wanted, outputs, (secret) => secret) : knownValue(wanted);
  if (typeof text !== 'string' || codec.normal(text) !== text) return undefined;
  const { privateKeys } = wanted;
  const [open, kept] = (privateKeys === undefined ? [] : [undefined, privateKeys]).map((keys) =>
    linesOf(maskAttribute(about, text, keys)),
  );
  const secret = linesOf(wanted.isSecret ? withHidden(wanted, outputs, hiddenLines) : text);
  const lines = linesOf(text);
  if ([open, kept, secret].some((shown) => shown !== undefined && shown.length !== lines.length)) return undefined;
  return new Map(
    lines.flatMap((line, at) => {
      const shown = [secret[at] === line ? undefined : secret[at], kept?.[at] === open?.[at] ? undefined : kept?.[at]];
      const found = shown.filter((one) => one !== undefined).map(clearAround);
      if (found.length === 0) return [];
      const [before, behind] = [0, 1].map((side) => Math.min(...found.map((sides) => sides[side] ?? 0)));
      return [[at, [before ?? 0, behind ?? 0]]];
    }),
  );
}

function linesOf(text: unknown): readonly string[] {
  return String(text).split('\n');
}

/** What is in clear of a line with marks, before the first one and behind the last. */
function clearAround(line: string): ClearAround {
  const [first, last] = [line.indexOf(redacted), line.lastIndexOf(redacted)];
  return first === -1 ? [0, 0] : [first, line.length - last - redacted.length];
}
