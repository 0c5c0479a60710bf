import { type ExpressionSource, type Resolution, nextBrace, refusePrivate } from './source.ts';
import { withoutMark } from '../../formats/utf8.ts';

/** `${file:path}`: the text of a file of the workspace, without a byte order mark. Reads no file that may hold secrets. */
export const file: ExpressionSource = {
  name: 'file',
  closing: nextBrace,
  files: (path) => [path],
  resolve: (path, values, at) => {
    const found = values.file(path, at);
    if ('problem' in found) {
      const { problem, isPrivate, remedy } = found;
      return isPrivate === undefined ? unreadable(problem, remedy) : refusePrivate(problem, isPrivate.remedy);
    }
    if (found.text.includes('\0')) return unreadable(`${path} is not text: it contains the character NUL`);
    return { is: 'text', text: withoutMark(found.text) };
  },
};

function unreadable(message: string, remedy = 'Name a text file of the workspace, relative to this file.'): Resolution {
  return { is: 'refused', code: 'file-unreadable', message, remedy };
}
