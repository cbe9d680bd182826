import type { JobStatus } from '@queue/core'
import { transitions } from '@queue/core/internal'
import type { AuditEntry, JobState } from './job-history.ts'

/** Every change of state that the table of transitions allows, without operations that keep the state. */
const allowed: ReadonlySet<string> = new Set(
  Object.values(transitions).flatMap(({ from, to }) =>
    from.flatMap((before) =>
      to.filter((after) => after !== before).map((after) => changeName(before, after)),
    ),
  ),
)

function changeName(from: JobStatus, to: JobStatus): string {
  return `${from} → ${to}`
}

/** The faults of one change: of the state, the lease token, or the charged attempts. */
export function transitionFaults(entry: AuditEntry): string[] {
  const { from, to } = entry
  if (from === null) return to === null ? ['an empty entry'] : insertFaults(to)
  if (to === null) return [`a job in state ${from.status} was deleted`]
  const broken = from.status === to.status ? sameStateFaults(from, to) : changeFaults({ ...entry, from, to })
  return broken.map((fault) => `${changeName(from.status, to.status)}: ${fault}`)
}

function insertFaults(to: JobState): string[] {
  const isNew = to.status === 'queued' && to.attempts === 0 && to.token === 0 && to.crashes === 0
  return isNew ? [] : [`inserted as ${JSON.stringify(to)}`]
}

/** The audit omits changes that keep state, token and charged attempts, so any entry without a change of state is a fault. */
function sameStateFaults(from: JobState, to: JobState): string[] {
  return [`${JSON.stringify(from)} became ${JSON.stringify(to)}`]
}

interface Change extends AuditEntry {
  readonly from: JobState
  readonly to: JobState
}

function changeFaults(change: Change): string[] {
  const { from, to } = change
  if (!allowed.has(changeName(from.status, to.status))) return ['no such transition']
  if (to.status === 'running') return claimFaults(change)
  const token = to.token === from.token ? [] : [`the token went from ${from.token} to ${to.token}`]
  if (from.status === 'running') return [...token, ...endFaults(change)]
  return [...token, ...(to.status === 'queued' ? requeueFaults(to) : [])]
}

function claimFaults({ from, to, due, maxAttempts }: Change): string[] {
  return [
    ...(to.token === from.token + 1 ? [] : [`the token went from ${from.token} to ${to.token}`]),
    ...(to.attempts === from.attempts + 1 ? [] : [`attempts went from ${from.attempts} to ${to.attempts}`]),
    ...(to.attempts <= maxAttempts ? [] : [`attempt ${to.attempts} of ${maxAttempts}`]),
    ...(to.crashes === from.crashes ? [] : ['crashes changed']),
    ...(due ? [] : ['it was claimed before its run_at']),
  ]
}

function endFaults({ from, to, cancelRequested, maxAttempts }: Change): string[] {
  const charged = to.attempts === from.attempts
  const uncharged = to.attempts === from.attempts - 1
  const isWaiting = to.status === 'queued' || to.status === 'retrying'
  return [
    ...(charged || uncharged ? [] : [`attempts went from ${from.attempts} to ${to.attempts}`]),
    ...(isWaiting && to.attempts >= maxAttempts ? ['it waits, but has no attempt left'] : []),
    ...(to.crashes === from.crashes || (charged && to.crashes === from.crashes + 1)
      ? []
      : ['crashes changed']),
    ...(cancelRequested && to.status !== 'cancelled' && to.status !== 'succeeded'
      ? ['a cancel was requested']
      : []),
  ]
}

function requeueFaults(to: JobState): string[] {
  return to.attempts === 0 ? [] : ['attempts were not reset']
}
