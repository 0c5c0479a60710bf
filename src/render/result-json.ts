import { blockAddress } from '../kind/address.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ResultView } from './apply-text.ts';
import { diagnosticJson } from './diagnostics-json.ts';
import type { ResultDocument } from './documents.ts';

/** The result of an apply as a document; `diagnostics` are those of the manifest and of the plan. */
export function resultJson(view: ResultView, exitCode: number, diagnostics: readonly Diagnostic[]): ResultDocument {
  const { result, ending, isInterrupted, counts } = view;
  return {
    format: 'trueup/result',
    version: 1,
    ending,
    interrupted: isInterrupted,
    exitCode,
    requests: { reads: counts.reads, writes: counts.writes },
    outcomes: result.outcomes.map((outcome) => {
      const address = blockAddress(outcome.action.address);
      const id = result.state.resources[address]?.id;
      return {
        address,
        kind: outcome.action.kind.kind,
        action: outcome.action.action,
        ...(typeof id === 'string' ? { id } : {}),
        result: outcome.result,
        diagnostics: outcome.diagnostics.map(diagnosticJson),
      };
    }),
    diagnostics: diagnostics.map(diagnosticJson),
  };
}
