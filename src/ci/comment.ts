import { ForgeError } from '../forge/call-forge.ts';
import { writeComment } from '../forge/comments.ts';
import { marker } from '../render/markdown.ts';
import type { Job } from './ci-job.ts';

/** Writes the comment about a job where one is asked for and there is a token. A missing comment fails no job. */
export async function commentOn(
  { forge, report, manifest, options }: Job,
  pull: number,
  { command, body }: { readonly command: 'apply' | 'preview'; readonly body: string },
): Promise<void> {
  if (forge?.token === undefined || !options.comments) return;
  try {
    await writeComment(forge, pull, `${marker(command, { key: manifest.name })}\n${body}`);
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    report.say(`No comment was written: ${error.message}.`);
  }
}
