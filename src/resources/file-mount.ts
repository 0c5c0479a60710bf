import * as z from 'zod';
import { filePath, text } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import { pathBelow } from '../kind/value-forms.ts';
import { filesOutOfReach, isTooLarge } from './families/large-files.ts';
import { leftByFile } from './families/left-by-file.ts';
import { filesBelow, filesInFiles, filesReadByShell, pathIsReadByShell } from './families/nested-paths.ts';
import { textBelow } from './families/short-forms.ts';

/** A file that the platform writes beside a compose file, where it is `../files/<path>`. */
export const fileMount = defineKind({
  kind: 'fileMount',
  section: 'files',
  summary: 'A file that the platform writes beside a compose file, where it is `../files/<path>`.',
  identity: { id: 'mountId', key: ['filePath'], keyField: 'filePath' },
  short: textBelow('content'),
  parents: {
    compose: {
      listed: { at: 'mounts' },
      rows: 'whole',
      set: {
        serviceId: { parent: 'id' },
        serviceType: { value: 'compose' },
        type: { value: 'file' },
        // The contract asks for a path inside a container; a compose has none and ignores it.
        mountPath: { sameAs: 'filePath' },
      },
      idAt: 'composeId',
    },
  },
  fields: {
    filePath: {
      schema: () => pathBelow.describe('Path below ../files; the key of the block by default.'),
      codec: filePath,
      onNull: { refuse: 'a file needs its path' },
      onChange: 'replace',
      examples: ['shop.conf', 'conf/shop.conf'],
    },
    content: {
      schema: () => z.string().describe('Text of the file.'),
      codec: text,
      secrecy: 'private',
      savedAs: { field: 'filePath' },
      needsNewObject: isTooLarge,
      appliesAt: 'deploy',
      needed: true,
      examples: ['a = 1\n', 'a = 2\n'],
    },
  },
  operations: { create: 'mounts.create', read: 'mounts.one', update: 'mounts.update', delete: 'mounts.remove' },
  lifecycle: {
    deletedWithParent: true,
    silentUpdate: true,
    dataAtRisk: ({ row, parent }) => {
      const risk = leftByFile(parent, row, undefined);
      return filesBelow(row, parent) ?? (risk && { of: 'volume', ...risk });
    },
    changeAtRisk: { volume: { content: ({ row, next, parent }) => leftByFile(parent.next, row, next) } },
  },
  checks: {
    all: (all, at) => [...filesInFiles(all), ...filesOutOfReach(all, at), ...filesReadByShell(all, at)],
    inPreview: pathIsReadByShell,
  },
  examples: ['shop.conf: { content: "a = 1\\n" }\n'],
});
