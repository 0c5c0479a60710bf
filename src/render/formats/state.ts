import type { Holder } from '../../state/holder.ts';
import type { StateRecord } from '../../state/record.ts';
import type { State } from '../../state/state.ts';
import type { Formats, Screen, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import type { AcceptOlderReport, StateEdit, StateKeyReport } from '../state-json.ts';
import {
  acceptOlderJson,
  stateEditJson,
  stateKeyJson,
  stateListJson,
  stateShowJson,
  unlockJson,
} from '../state-json.ts';
import { renderStateEdit, renderStateList, renderStateRecord } from '../state-text.ts';
import { textView } from '../text-view.ts';

/** Prints what `state list` reports. */
export interface StateListView extends View {
  /** undefined: there is no state yet. */
  readonly state: (state: State | undefined) => void;
}

/** The formats of `state list`. */
export const stateListFormats: Formats<StateListView> = {
  text: (screen) => ({
    ...textView(screen),
    state: (state) => {
      screen.out(renderStateList(state, screen.outStyle));
      if (state === undefined) screen.err('There is no state yet: nothing was applied from here.\n');
    },
  }),
  json: (screen) => ({ ...jsonView(screen), state: (state) => printJson(screen, stateListJson(state)) }),
};

/** Prints what `state show` reports. */
export interface StateShowView extends View {
  readonly resource: (address: string, record: StateRecord) => void;
}

/** The formats of `state show`. */
export const stateShowFormats: Formats<StateShowView> = {
  text: (screen) => ({
    ...textView(screen),
    resource: (address, record) => screen.out(renderStateRecord(address, record, screen.outStyle)),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    resource: (address, record) => printJson(screen, stateShowJson(address, record)),
  }),
};

/** Prints what `state mv` and `state rm` report. */
export interface StateEditView extends View {
  readonly edited: (result: StateEdit) => void;
}

/** The formats of `state mv` and `state rm`. */
export const stateEditFormats: Formats<StateEditView> = {
  text: (screen) => ({ ...textView(screen), edited: (result) => screen.out(renderStateEdit(result, screen.outStyle)) }),
  json: (screen) => ({ ...jsonView(screen), edited: (result) => printJson(screen, stateEditJson(result)) }),
};

/** Prints what `state unlock` reports, beside its notices. */
export interface StateUnlockView extends View {
  /** The holder that lost the lock; undefined: the state was not locked. */
  readonly unlocked: (holder: Pick<Holder, 'owner' | 'purpose' | 'since'> | undefined) => void;
}

/** The formats of `state unlock`. */
export const stateUnlockFormats: Formats<StateUnlockView> = {
  text: (screen) => ({ ...textView(screen), unlocked: () => {} }),
  json: (screen) => ({ ...jsonView(screen), unlocked: (holder) => printJson(screen, unlockJson(holder)) }),
};

/** Prints what `state key` reports. */
export interface StateKeyView extends View {
  /** The place of the key, and what changed. */
  readonly place: (report: StateKeyReport) => void;
  /** The key itself, the same in every format. */
  readonly key: Screen['out'];
}

/** The formats of `state key`. */
export const stateKeyFormats: Formats<StateKeyView> = {
  text: (screen) => ({
    ...textView(screen),
    place: ({ state, key }) => screen.err(`The key of the state ${state}: ${key}\n`),
    key: screen.out,
  }),
  json: (screen) => ({
    ...jsonView(screen),
    place: (report) => printJson(screen, stateKeyJson(report)),
    key: screen.out,
  }),
};

/** Prints what `state accept-older` reports, beside its notices. */
export interface StateAcceptView extends View {
  readonly accepted: (report: AcceptOlderReport) => void;
}

/** The formats of `state accept-older`. */
export const stateAcceptFormats: Formats<StateAcceptView> = {
  text: (screen) => ({ ...textView(screen), accepted: () => {} }),
  json: (screen) => ({ ...jsonView(screen), accepted: (report) => printJson(screen, acceptOlderJson(report)) }),
};

/** Prints what `state rebuild` reports, beside its notices. */
export interface StateRebuildView extends View {
  readonly rebuilt: (state: State) => void;
}

/** The formats of `state rebuild`. */
export const stateRebuildFormats: Formats<StateRebuildView> = {
  text: (screen) => ({ ...textView(screen), rebuilt: () => {} }),
  json: (screen) => ({ ...jsonView(screen), rebuilt: (state) => printJson(screen, stateListJson(state)) }),
};
