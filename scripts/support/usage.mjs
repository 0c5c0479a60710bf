import { readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';

let syncs = 0;
const handle = await open(import.meta.filename);
const files = Object.getPrototypeOf(handle);
await handle.close();
for (const name of ['sync', 'datasync']) {
  const original = files[name];
  files[name] = function counted() {
    syncs += 1;
    return original.call(this);
  };
}

// Writes what the process used when it ends: CPU in seconds, peak memory in millions of bytes, and how often it waited
// for the disk.
process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const usage = { cpu: (userCPUTime + systemCPUTime) / 1e6, memory: peakBytes() / 1e6, syncs };
  if (process.env.TRUEUP_USAGE !== undefined) writeFileSync(process.env.TRUEUP_USAGE, JSON.stringify(usage));
});

// The peak of this program. On Linux, `maxRSS` also counts what the process held before it became this program: the memory
// of the process that started it.
function peakBytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}
