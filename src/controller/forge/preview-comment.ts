import { code, marker } from '../../render/markdown.ts';
import { isPlainAddress } from '../../render/plain-address.ts';
import { digestOf } from '../records/plans.ts';
import type { DueStatus } from '../records/statuses.ts';
import { saying } from './status-text.ts';

/**
 * The comment about a preview on its pull request: how it stands, and where it answers.
 *
 * @param page what the status links to; undefined: there is none
 */
export function previewComment(due: DueStatus, page: string | undefined): string {
  const { stack, path, commit, addresses, is } = due;
  const shown = is === 'removed' ? [] : addresses;
  const lines = shown.map(
    ({ name, value }) => `- ${code(name)}: ${isPlainAddress(value) ? `<${value}>` : code(value)}`,
  );
  const parts = [
    `${marker('preview', { key: `controller-${digestOf(stack).slice(0, 16)}` })}\n### Trueup: preview of ${code(path)}`,
    saying(due).description,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    `Commit ${code(commit)}.${page === undefined ? '' : ` [Its page](${page})`}`,
  ];
  return `${parts.join('\n\n')}\n`;
}
