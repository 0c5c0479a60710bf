import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { defined } from '../formats/json.ts';
import { planDocument } from '../render/document-schemas.ts';

/** The result of planning one stage, as a file: the job of the comment has no credentials, and reads these. */
const schema = z.strictObject({
  format: z.literal('trueup-ci/stage'),
  version: z.literal(1),
  /** The root file, without its folder. */
  file: z.string(),
  commit: z.string(),
  /** That of `trueup`. */
  exitCode: z.number().int(),
  /** A pull request of a fork without a key: its manifest was validated, not planned. */
  isBlind: z.boolean(),
  /** The name of the stored plan; missing: none is stored. */
  artifact: z.string().exactOptional(),
  plan: planDocument.exactOptional(),
  /** What the run printed. */
  output: z.string(),
});

/** The result of planning one stage. */
export type StageDocument = z.output<typeof schema>;

/** Writes the result of planning a stage. `plan`: as `trueup show` printed it. */
export async function writeStageDocument(
  path: string,
  {
    artifact,
    plan,
    ...rest
  }: Omit<StageDocument, 'format' | 'version' | 'artifact' | 'plan'> & {
    readonly artifact: string | undefined;
    readonly plan: unknown;
  },
): Promise<void> {
  const document = { format: 'trueup-ci/stage', version: 1, ...rest, ...defined({ artifact, plan }) };
  await writeFile(path, `${JSON.stringify(document)}\n`);
}

/** Reads the result of planning a stage; undefined: its job left none of this commit. */
export async function readStageDocument(path: string, commit: string): Promise<StageDocument | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  try {
    const document = schema.safeParse(JSON.parse(text)).data;
    return document?.commit === commit ? document : undefined;
  } catch {
    return undefined;
  }
}
