import * as z from 'zod';
import * as commands from './schemas/command-schemas.ts';
import * as controller from './schemas/controller-schemas.ts';
import * as drift from './schemas/drift-schemas.ts';
import * as plan from './schemas/plan-schemas.ts';
import * as state from './schemas/state-schemas.ts';

/**
 * The JSON documents that `--format json` prints: one per run, and of `apply` and `destroy` one per line. Within a
 * version members are added, never removed or changed; readers ignore what they do not know.
 */

export * from './schemas/command-schemas.ts';
export * from './schemas/controller-schemas.ts';
export * from './schemas/drift-schemas.ts';
export type { ActionName, DiagnosticDocument, Shown } from './schemas/schema-parts.ts';
export * from './schemas/plan-schemas.ts';
export * from './schemas/state-schemas.ts';

/** Every document, for readers that do not know which one comes, of this version and of earlier ones. */
export const anyDocument = z.discriminatedUnion('format', [
  z.discriminatedUnion('version', [plan.planDocument, plan.planDocument1]),
  z.discriminatedUnion('version', [drift.driftDocument, drift.driftDocument1]),
  drift.driftAcceptDocument,
  drift.driftAdoptDocument,
  plan.eventDocument,
  z.discriminatedUnion('version', [plan.resultDocument, plan.resultDocument1]),
  commands.errorDocument,
  commands.stagesDocument,
  commands.validationDocument,
  state.stateListDocument,
  state.stateShowDocument,
  state.stateEditDocument,
  commands.secretsDocument,
  commands.previewsDocument,
  commands.graphDocument,
  commands.emulatorDocument,
  commands.operationsDocument,
  commands.runDocument,
  commands.statusDocument,
  commands.doctorDocument,
  commands.controllerDoctorDocument,
  commands.enrolmentDocument,
  commands.migrationDocument,
  commands.controllerKeyDocument,
  commands.controllerDocument,
  commands.logsDocument,
  state.unlockDocument,
  state.stateKeyDocument,
  state.acceptOlderDocument,
  commands.outputsDocument,
  commands.evaluationDocument,
  commands.exportDocument,
  commands.explanationDocument,
  commands.addressDocument,
  commands.formatDocument,
  controller.controllerStacksDocument,
  controller.controllerStackDocument,
  controller.controllerPlanDocument,
  controller.controllerRunDocument,
  controller.controllerEventsDocument,
]);
