import { renderChecks } from './doctor-views.ts';
import type { EnrolmentDocument } from './document-schemas.ts';
import type { Style } from './style.ts';

type Report = Omit<EnrolmentDocument, 'format' | 'version'>;

const verbs = { added: 'enrolled', changed: 'changed', same: 'is enrolled so already:', removed: 'removed' } as const;

/** Renders what an enrolment or a removal did: the checks, and a line each for platform, source and webhook. */
export function renderEnrolment({ checks, platform, source }: Report, style: Style): string {
  const lines = [
    ...(platform === undefined ? [] : [`${verbs[platform.is]} platform ${platform.id}`]),
    ...(source === undefined ? [] : [`${verbs[source.is]} source ${source.id}`]),
    ...(source?.webhook === undefined ? [] : [`webhook: ${source.webhook}, with content type application/json`]),
    ...(source?.left ?? []).map((preview) => `its preview ${preview} stays on its platform, with its data`),
    ...(platform === undefined && source === undefined ? ['Nothing was written.'] : []),
  ];
  return renderChecks(checks, style) + lines.map((line) => `${line}\n`).join('');
}

/** The same as a document. */
export function enrolmentJson(report: Report): EnrolmentDocument {
  return { format: 'trueup/enrolment', version: 1, ...report };
}
