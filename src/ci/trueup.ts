import { spawn } from 'node:child_process';
import type { Process } from '../cli/process.ts';
import { approvalMessages, askingParent } from '../cli/parent.ts';
import { unchanged } from '../render/printable.ts';

/** The end of a run of `trueup`. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  /** stdout and stderr in the order in which they came. */
  readonly all: string;
}

/**
 * Runs `trueup` with arguments. `isShown`: what it prints appears in the log of the job. `withoutEmpty`: it does not get
 * the variables that are set and empty. `mayWrite`: is asked under the lock of the state, right before the first write.
 */
export type Trueup = (
  args: readonly string[],
  how?: {
    readonly isShown?: boolean;
    readonly withoutEmpty?: boolean;
    readonly mayWrite?: () => Promise<boolean>;
  },
) => Promise<Ended>;

/**
 * Runs the program in a process of its own, without the token of the forge. Signals of the runner go on to it, so that a
 * cancelled apply ends as the one on a terminal does.
 *
 * @param program the file of the program
 */
export function trueupOf(process: Process, node: string, program: string): Trueup {
  const { TRUEUP_FORGE_TOKEN: _, ...env } = process.env;
  return (args, { isShown = false, withoutEmpty = false, mayWrite } = {}) =>
    new Promise((resolve, reject) => {
      const given = withoutEmpty ? Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')) : env;
      const child = spawn(node, [program, ...args], {
        cwd: process.cwd(),
        env: { ...given, ...(mayWrite === undefined ? {} : askingParent) },
        stdio: ['ignore', 'pipe', 'pipe', ...(mayWrite === undefined ? [] : (['ipc'] as const))],
        // A group of its own: a signal to the whole group would reach it twice, and the second one ends a run at once.
        detached: true,
      });
      let refusal: unknown;
      child.on('message', (message) => {
        if (message !== approvalMessages.question || mayWrite === undefined) return;
        const answer = (isYes: boolean) => child.connected && child.send(approvalMessages[isYes ? 'yes' : 'no']);
        mayWrite().then(answer, (error: unknown) => {
          refusal = error;
          answer(false);
        });
      });
      let [out, all] = ['', ''];
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        out += text;
        all += text;
        // The program escaped it.
        if (isShown) process.stdout.write(unchanged(text));
      });
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        all += text;
        process.stderr.write(unchanged(text));
      });
      const signals = ['SIGINT', 'SIGTERM'] as const;
      const pass = signals.map((signal) => () => void child.kill(signal));
      signals.forEach((signal, at) => process.on(signal, pass[at] ?? (() => {})));
      const stop = () => signals.forEach((signal, at) => process.off(signal, pass[at] ?? (() => {})));
      child.on('error', (error) => {
        stop();
        reject(error);
      });
      child.on('close', (code) => {
        stop();
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- as it was thrown
        if (refusal !== undefined) reject(refusal);
        else resolve({ code: code ?? 130, out, all });
      });
    });
}
