/**
 * Trueup as a library: what the command line does, as functions over plain data.
 *
 * ```ts
 * const workspace = await openWorkspace('.');
 * const { manifest } = await validate({ workspace, file: 'trueup.yaml', kinds, ... });
 * const made = await plan(manifest, { client, store, kinds });
 * const result = await applyPlan(made, { client, store, kinds }, { permissions, connections: 4 });
 * ```
 */

export type { Manifest, ManifestInput } from './manifest/manifest.ts';
export { readManifest } from './manifest/manifest.ts';
export type { Resource } from './manifest/resource.ts';
export type { SecretSource, Settings } from './manifest/settings.ts';
export { expressionSources } from './manifest/sources/all.ts';
export type { ExpressionSource, Refusal, Resolution, Values } from './manifest/sources/source.ts';
export { badExpression, nextBrace } from './manifest/sources/source.ts';
export type { Asked, AskingInput } from './manifest/secret-sources.ts';
export { askSources, missingSecrets } from './manifest/secret-sources.ts';
export type { Workspace } from './manifest/workspace.ts';
export { openWorkspace } from './manifest/workspace.ts';
export { manifestSchema } from './manifest/json-schema.ts';

export type { Validated, World } from './reconcile.ts';
export { applyPlan, importObject, plan, planDestruction, validate } from './reconcile.ts';
export type { Action, ActionName, Change, Plan, Shown } from './plan/action.ts';
export { hasChanges, isEffective } from './plan/action.ts';
export type { Permissions } from './plan/safeguard.ts';
export { obstacles } from './plan/safeguard.ts';
export type { ApplyEvent, ApplyResult, Outcome } from './apply/result.ts';

export type { Client, ClientOptions } from './api/client.ts';
export { createClient } from './api/client.ts';
export type { Pause } from './api/circuit-breaker.ts';
export type { Input, Operation } from './api/contract.ts';
export { openApi } from './api/openapi.ts';
export type { Transport, TransportOptions } from './api/transport.ts';
export { createTransport } from './api/transport.ts';
export type { Failure } from './api/errors.ts';
export { PlatformError } from './api/errors.ts';
export type { Send, WireAnswer, WireRequest } from './api/wire.ts';

export type { StateRecord } from './state/record.ts';
export type { State, StateStore } from './state/state.ts';
export type { Holder } from './state/holder.ts';
export type { Inherited, Lease, Taking, Terms, Wish } from './state/lease.ts';
export type { BeatingClock, Clock } from './state/clock.ts';
export { localStore } from './state/backends/local.ts';
export { memoryStore } from './state/backends/memory.ts';
export type { PostgresPlace } from './state/backends/postgres.ts';
export { postgresStore } from './state/backends/postgres.ts';
export type { BucketPlace } from './state/backends/bucket.ts';
export { s3Store } from './state/backends/s3.ts';
export type { Redactor } from './secrets/redactor.ts';
export { createRedactor } from './secrets/redactor.ts';
export { envSecrets } from './secrets/sources/env.ts';

export type { Emulator, EmulatorOptions, LoggedRequest } from './emulator/emulator.ts';
export { createEmulator } from './emulator/emulator.ts';
export { openEmulator } from './emulator/disk.ts';
export type { ServeOptions } from './emulator/server.ts';
export { serve } from './emulator/server.ts';

export type { Field, Union } from './kind/field.ts';
export type { ParentLink } from './kind/parent.ts';
export type { Kind } from './kind/kind.ts';
export { defineKind } from './kind/kind.ts';
export { kinds } from './resources/index.ts';

export type { Code } from './diagnostics/codes.ts';
export type { Diagnostic, Position } from './diagnostics/diagnostic.ts';
export { hasErrors, Stop } from './diagnostics/diagnostic.ts';

export { renderDiagnostics } from './render/diagnostics-text.ts';
export { renderPlan } from './render/plan-text.ts';
export type { ResultView } from './render/apply-text.ts';
export { renderResult } from './render/apply-text.ts';
export { endingOf } from './render/result.ts';
export { planJson } from './render/plan-json.ts';
export { resultJson } from './render/result-json.ts';
export * from './render/documents.ts';
export type { Style, Tone } from './render/style.ts';
export { plainStyle } from './render/style.ts';
