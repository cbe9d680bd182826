/** The locks of tables, from the weakest to the strongest (PostgreSQL manual, 13.3.1). */
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

/** The weakest lock that each one conflicts with; it conflicts with all that are stronger (the same, table 13.2). */
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

/** Whether one of them has to wait for the other. */
export function conflict(one: LockMode, other: LockMode): boolean {
  // SHARE is the one lock that several may hold and that conflicts with weaker ones.
  if (one === 'SHARE' && other === 'SHARE') return false
  return lockModes.indexOf(other) >= lockModes.indexOf(conflictsFrom[one])
}

/** Whether vacuum, which holds SHARE UPDATE EXCLUSIVE, is in the way of this lock. */
export function meetsVacuum(lock: LockMode): boolean {
  return conflict(lock, 'SHARE UPDATE EXCLUSIVE')
}
