/** Why an export of a project leaves out a single block at the top: a second project would manage the same object. */
export function ofWholeServer(section: string): string {
  return `it is of the whole server, and one manifest alone can manage it: trueup export --address ${section} adds it to one that is there`;
}
