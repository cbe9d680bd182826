import type { CreateSchedule, Schedule } from '../../wire.ts'

/** The members of a request that a schedule shows under another name. */
const shownNames: Readonly<Record<string, string>> = { version: 'kind_version' }
const instants: ReadonlySet<string> = new Set(['starts_at', 'ends_at'])
/** The members that a request leaves out, where they do not depend on its kind or on other members. */
const defaults: Readonly<Record<string, unknown>> = {
  cron: null,
  time_zone: 'UTC',
  every_ms: null,
  starts_at: null,
  ends_at: null,
  jitter_ms: 0,
  missed: 'once',
  overlap: 'allow',
  metadata: null,
  expires_in_ms: null,
  unique: null,
}

/**
 * Whether a schedule is what a request asks for: it has every member that was sent, the defaults of the API for others, and no sync
 * wrote it. What the API adds to a payload by default is ignored. A schedule whose payload the caller sees masked is not the same, because nothing tells it from another.
 */
export function isScheduleOf(schedule: Schedule, request: CreateSchedule): boolean {
  if (schedule.source !== '') return false
  const shown: Readonly<Record<string, unknown>> = schedule
  return Object.entries({ ...defaults, ...request }).every(([name, sent]: [string, unknown]) => {
    const value = shown[shownNames[name] ?? name]
    return instants.has(name) ? isSameInstant(value, sent) : contains(value, sent)
  })
}

function isSameInstant(shown: unknown, sent: unknown): boolean {
  if (typeof shown !== 'string' || typeof sent !== 'string') return contains(shown, sent)
  return Date.parse(shown) === Date.parse(sent)
}

/** Whether a JSON value has each member of another, at every depth. An absent member is sent as nothing. */
function contains(shown: unknown, sent: unknown): boolean {
  if (sent === undefined) return true
  if (typeof sent !== 'object' || sent === null) return shown === sent
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown) !== Array.isArray(sent))
    return false
  if (Array.isArray(sent) && sent.length !== (shown as unknown[]).length) return false
  const members = shown as Readonly<Record<string, unknown>>
  return Object.entries(sent).every(([name, member]) => contains(members[name], member))
}
