import { writeFileSync } from 'node:fs';
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
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpu: (userCPUTime + systemCPUTime) / 1e6, memory: (maxRSS * 1024) / 1e6, syncs };
  if (process.env.TRUEUP_USAGE !== undefined) writeFileSync(process.env.TRUEUP_USAGE, JSON.stringify(usage));
});
