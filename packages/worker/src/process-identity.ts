import { hostname } from 'node:os'

/** What the registry of workers says of this process. */
export function processIdentity() {
  return { hostname: hostname(), pid: process.pid, zoneVersion: process.versions['tz'] ?? 'unknown' }
}
