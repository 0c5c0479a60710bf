/** Decides the result of a pull by the name of the image, or by a text with the name. Reaches no registry. */

/** Why an image cannot be pulled: it is called `fail:…`. */
export function pullProblem(text: string): string | undefined {
  return /\bfail:/.test(text) ? 'cannot pull the image' : undefined;
}

/** Whether the pull of an image never ends: it is called `stall:…`. */
export function isEndlessPull(text: string): boolean {
  return /\bstall:/.test(text);
}
