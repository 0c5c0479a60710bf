import { type Row, isRow } from '../formats/json.ts';

/** A container of Docker or a task of Swarm, as one of the platform's lists shows it. */
export interface Unit {
  /** The id of the container or of the task. */
  readonly id: string;
  /** Names it for a person: that of the container, or the service and number of the task. */
  readonly name: string;
  /**
   * `waiting`: no process runs yet: no node is chosen, or the image is pulled. `starting`: it runs, and its health check
   * has not decided. `stopped`: Swarm ended it because another takes its place. `unclear`: paused, or in a word that
   * Trueup does not know.
   */
  readonly is: 'waiting' | 'starting' | 'up' | 'restarting' | 'ended' | 'stopped' | 'unclear';
  /** Of a unit that is up: the decision of its health check; undefined where none is known. */
  readonly health?: 'healthy' | 'unhealthy' | undefined;
  /** Of one that is up: how long its process runs; of one that ended: how long ago. Milliseconds, rounded down by Docker. */
  readonly ageMs?: number | undefined;
  /** Of one that restarts or ended: why, as a clause; undefined where it ended with 0. */
  readonly fault?: string | undefined;
  /** Of a task: Docker's error while it waits. */
  readonly error?: string | undefined;
}

/** The containers in an answer of Docker's `ps`; those in no known form are left out. Never throws. */
export function containersIn(answer: unknown): readonly Unit[] {
  return unitsIn(answer, (row) => {
    const [id, name] = [textAt(row, 'containerId'), textAt(row, 'name')];
    if (id === '' || name === '' || name === 'No container name') return undefined;
    return { id, name, ...statusOf(textAt(row, 'status')) };
  });
}

/** The tasks in an answer of Docker's `service ps` or `stack ps`, the newest of each slot first. Never throws. */
export function tasksIn(answer: unknown): readonly Unit[] {
  return unitsIn(answer, (row) => {
    const [id, name, state] = [textAt(row, 'containerId'), textAt(row, 'name'), textAt(row, 'currentState')];
    if (id === '' || state === '' || name === 'No container name') return undefined;
    const error = textAt(row, 'error').replace(/^"(.*)"$/su, '$1');
    // The history of a slot is shown below its newest task, with a branch in front.
    return { id, name: name.replace(/^\\_ /u, ''), ...currentState(state, error) };
  });
}

function unitsIn(answer: unknown, read: (row: Row) => Unit | undefined): readonly Unit[] {
  return Array.isArray(answer) ? answer.flatMap((item: unknown) => (isRow(item) ? (read(item) ?? []) : [])) : [];
}

function textAt(row: Row, at: string): string {
  const value = row[at];
  return typeof value === 'string' ? value.trim() : '';
}

type Condition = Omit<Unit, 'id' | 'name'>;

/** Reads a status as `docker ps` prints it: https://docs.docker.com/reference/cli/docker/container/ls */
function statusOf(status: string): Condition {
  const [word = ''] = status.split(' ');
  const code = /\((-?\d+)\)/u.exec(status)?.[1];
  const age = { ageMs: ageOf(status.replace(/\(.*?\)/gu, '').slice(word.length)) };
  const fault = code === '0' || code === undefined ? undefined : `it exited with code ${code}`;
  switch (word) {
    case 'Up':
      if (status.includes('(Paused)')) return { is: 'unclear' };
      if (status.includes('(health: starting)')) return { is: 'starting', ...age };
      if (status.includes('(unhealthy)')) return { is: 'up', health: 'unhealthy', ...age };
      return { is: 'up', health: status.includes('(healthy)') ? 'healthy' : undefined, ...age };
    case 'Restarting':
      return { is: 'restarting', fault: fault ?? 'it ends by itself, with code 0', ...age };
    case 'Exited':
      return { is: 'ended', fault: code === undefined ? 'it exited' : fault, ...age };
    case 'Dead':
      return { is: 'ended', fault: 'Docker calls it dead' };
    case 'Created':
      return { is: 'waiting' };
    default:
      return { is: 'unclear' };
  }
}

/** Reads the state of a task: https://docs.docker.com/engine/swarm/how-swarm-mode-works/swarm-task-states */
function currentState(state: string, error: string): Condition {
  const [word = ''] = state.split(' ');
  const age = { ageMs: ageOf(state.slice(word.length)) };
  const why = error === '' ? '' : `: ${error}`;
  switch (word.toLowerCase()) {
    case 'new':
    case 'allocated':
    case 'pending':
    case 'assigned':
    case 'accepted':
    case 'preparing':
    case 'ready':
      return { is: 'waiting', error: error === '' ? undefined : error };
    // A task with a health check runs as soon as that succeeds.
    case 'starting':
      return { is: 'starting', ...age };
    case 'running':
      return { is: 'up', ...age };
    case 'complete':
      return { is: 'ended', ...age };
    case 'failed':
      return { is: 'ended', fault: `it failed${why}`, ...age };
    case 'rejected':
      return { is: 'ended', fault: `its node rejected it${why}`, ...age };
    case 'orphaned':
      return { is: 'ended', fault: `its node is down${why}`, ...age };
    case 'shutdown':
    case 'remove':
      return { is: 'stopped', ...age };
    default:
      return { is: 'unclear' };
  }
}

const unitsOfTime: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
  year: 31_536_000_000,
};

/** A duration in Docker's words, such as "About a minute"; undefined where it is none. Milliseconds. */
function ageOf(text: string): number | undefined {
  const found = /(?:(less than|about) an? |(\d+) )(second|minute|hour|day|week|month|year)s?/iu.exec(text);
  if (found === null) return undefined;
  const [, about, count, unit = ''] = found;
  if (about?.toLowerCase() === 'less than') return 0;
  return Number(count ?? 1) * (unitsOfTime[unit.toLowerCase()] ?? 0);
}
