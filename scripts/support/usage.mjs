import { writeFileSync } from 'node:fs';

// Writes what the process used when it ends: CPU in seconds, peak memory in millions of bytes.
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpu: (userCPUTime + systemCPUTime) / 1e6, memory: (maxRSS * 1024) / 1e6 };
  if (process.env.TRUEUP_USAGE !== undefined) writeFileSync(process.env.TRUEUP_USAGE, JSON.stringify(usage));
});
