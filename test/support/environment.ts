/**
 * The environment of this process as a person has it: without CI, which pins a run to the platform and the state of its
 * environment. A test of pinned runs sets CI itself.
 */
export function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { CI: _, ...rest } = process.env;
  return { ...rest, ...more };
}
