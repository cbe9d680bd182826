/** The lock modes of tables, from the weakest to the strongest (PostgreSQL manual, 13.3.1). */
export const lockModes = [
  'ACCESS SHARE',
  'ROW SHARE',
  'ROW EXCLUSIVE',
  'SHARE UPDATE EXCLUSIVE',
  'SHARE',
  'SHARE ROW EXCLUSIVE',
  'EXCLUSIVE',
  'ACCESS EXCLUSIVE',
] as const

export type LockMode = (typeof lockModes)[number]

/** The weakest mode that each mode conflicts with. It also conflicts with all stronger modes (PostgreSQL manual, table 13.2). */
const conflictsFrom: Readonly<Record<LockMode, LockMode>> = {
  'ACCESS SHARE': 'ACCESS EXCLUSIVE',
  'ROW SHARE': 'EXCLUSIVE',
  'ROW EXCLUSIVE': 'SHARE',
  'SHARE UPDATE EXCLUSIVE': 'SHARE UPDATE EXCLUSIVE',
  SHARE: 'ROW EXCLUSIVE',
  'SHARE ROW EXCLUSIVE': 'ROW EXCLUSIVE',
  EXCLUSIVE: 'ROW SHARE',
  'ACCESS EXCLUSIVE': 'ACCESS SHARE',
}

/** Whether two lock modes conflict. */
export function conflict(requested: LockMode, existing: LockMode): boolean {
  // SHARE is the only mode that does not conflict with itself although it conflicts with a weaker one.
  if (requested === 'SHARE' && existing === 'SHARE') return false
  return lockModes.indexOf(existing) >= lockModes.indexOf(conflictsFrom[requested])
}

/** Whether this mode conflicts with vacuum, which holds SHARE UPDATE EXCLUSIVE. */
export function meetsVacuum(lock: LockMode): boolean {
  return conflict(lock, 'SHARE UPDATE EXCLUSIVE')
}
