import { readFileSync } from 'node:fs';
import ts from 'typescript';

/**
 * Gives a random share of the top-level functions of files, as ranges that Stryker takes: each function with all of its
 * mutants. The same seed gives the same sample.
 */
export function sampleOf(patterns, share, seed) {
  const random = generator(seed);
  return patterns
    .flatMap((pattern) => ts.sys.readDirectory('.', ['.ts'], [], [pattern]))
    .toSorted()
    .flatMap((file) => {
      const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
      const functions = source.statements.filter((one) => ts.isFunctionDeclaration(one) && random() < share);
      return functions.map((one) => {
        const lineOf = (at) => source.getLineAndCharacterOfPosition(at).line + 1;
        return `${file}:${lineOf(one.getStart(source))}-${lineOf(one.end)}`;
      });
    });
}

/** Numbers from 0 up to 1, by the generator mulberry32. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
