import { type LockHolder, type Stop, stop } from '../diagnostics/diagnostic.ts';

/** Stops a run whose state cannot be used; `what` follows the location: `is damaged in line 3`. */
export function unusable(location: string, what: string, about: { remedy?: string; cause?: unknown } = {}): Stop {
  const { remedy = restore, cause } = about;
  return stop('state', 'state-unusable', `the state ${location} ${what}`, { remedy, cause });
}

/** Stops a run whose state was not written with its key; `what` follows the location: `does not fit its MAC`. */
export function forged(location: string, what: string, keyName: string): Stop {
  const message = `the state ${location} ${what}: it was changed, or written with another key than that of ${keyName}`;
  const remedy =
    'Nothing was sent. Set TRUEUP_STATE_KEY to the key it was written with, or restore a copy of the state. If neither ' +
    'helps, find out who can write it.';
  return stop('state', 'state-forged', message, { remedy });
}

/** Stops a run whose state has no MAC, although it should have one; `why` follows: `there is a key for it`. */
export function withoutMac(location: string, why: string): Stop {
  const message = `the state ${location} has no MAC, and ${why}: an earlier version wrote it, or its MAC was removed`;
  const remedy =
    'Nothing was sent. If you just updated Trueup, once: trueup state key --migrate. If not, find out who can write the ' +
    'state, and restore a copy of it.';
  return stop('state', 'state-forged', message, { remedy });
}

/** Stops a run whose state was replaced by an older one. */
export function older(location: string, what: string): Stop {
  const remedy =
    'Nothing was sent. Restore the newest state. If you mean to go on from this one: trueup state accept-older.';
  return stop('state', 'state-older', `the state ${location} ${what}`, { remedy });
}

/** Stops a run whose state was removed. */
export function gone(location: string, serial: number): Stop {
  const remedy =
    'Nothing was sent. Restore the newest state. Without a copy make a new one: trueup state rebuild adopts what the ' +
    'manifest declares and the platform has.';
  const message = `the state ${location} is not there, and version ${serial} was saved here last`;
  return stop('state', 'state-older', message, { remedy });
}

/** Stops a run that has no key for its state, or an unusable one. */
export function keyProblem(message: string, remedy: string, cause?: unknown): Stop {
  return stop('state', 'state-key', message, { remedy, cause });
}

/** Stops a run that has lost the key of its state. */
export function lostKey(location: string, keyName: string): Stop {
  const message = `the key of the state ${location} is missing: there is no ${keyName}`;
  const remedy =
    `Set TRUEUP_STATE_KEY to the key that it was written with, or restore ${keyName}. If no copy is left, move state.json ` +
    'and the journal beside it away, in a database delete its rows, and make a new one: trueup state rebuild.';
  return keyProblem(message, remedy);
}

/** Stops a run that may not write: another run holds the lock, or may hold it. */
export function locked(message: string, remedy: string, holder?: LockHolder): Stop {
  return stop('locked', 'locked', message, { remedy, holder });
}

/** Stops a run that cannot take the lock, although no other run holds it; `why` follows: `its counter is 1`. */
export function lockUnusable(of: string, why: string): Stop {
  const remedy =
    'Nothing was sent. A proxy before a store must leave the header ETag as it is. If somebody wrote the lock by hand, find out ' +
    'who can write the place of the state, and remove the lock there: the folder lease, the row of the table lease, or the object.';
  return stop('state', 'state-unusable', `the lock of ${of} cannot be taken: ${why}`, { remedy });
}

/** Stops a run that lost its lock; `why` follows: `another run has it`. */
export function lockLost(of: string, why: string): Stop {
  return locked(
    `the lock of ${of} is lost: ${why}; nothing more is sent and nothing more is saved`,
    'Run it again: what was done is found then.',
  );
}

const restore =
  'Nothing was overwritten. Restore the state from a copy. Without one move state.json and the journal beside it away, in a ' +
  'database delete its rows, and make a new one: trueup state rebuild.';
