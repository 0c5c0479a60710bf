import type { Running, StackRun } from './with-stack.ts';

/** Notes that the platform is in step with a commit; of a preview also where it answers. Says whether the stack wants another one. */
export async function noteInStep(
  { records, onError }: Running,
  { stack, commit, digest, project }: Pick<StackRun, 'stack' | 'commit' | 'digest' | 'project'>,
): ReturnType<Running['records']['inStep']> {
  if (stack.pull !== null) {
    const found = await project.outputs().catch((error: unknown) => {
      onError(error);
      return [];
    });
    await records.setAddresses(stack, found);
  }
  return records.inStep(stack, commit, digest);
}
