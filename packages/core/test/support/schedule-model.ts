import { isTerminal } from '../../src/domain/transitions.ts'
import type { MissedPolicy, OverlapPolicy } from '../../src/domain/schedule-policies.ts'
import type { Model } from './model.ts'

/** What the model knows of a schedule. It fires once a day, an hour after the model began. */
export interface ModelSchedule {
  readonly name: string
  missed: MissedPolicy
  readonly overlap: OverlapPolicy
  /** Days that a run may be late; null: what its policy says. */
  readonly windowDays: number | null
  paused: boolean
  /** Instants that have come since the last firing. The latest of them is less than a day ago. */
  overdue: number
  lastJobId: string | null
  fired: number
  dropped: number
  skipped: number
}

/** How many jobs a firing makes, and what it drops. */
export interface ModelFiring {
  readonly fired: number
  readonly dropped: number
  readonly skipped: number
}

export function newSchedule(
  rules: Pick<ModelSchedule, 'name' | 'missed' | 'overlap' | 'windowDays'>,
): ModelSchedule {
  return { ...rules, paused: false, overdue: 0, lastJobId: null, fired: 0, dropped: 0, skipped: 0 }
}

/** Whether the job of the last run has not ended. */
export function isBusy(model: Model, { lastJobId }: ModelSchedule): boolean {
  const job = model.jobs.find(({ id }) => id === lastJobId)
  return job !== undefined && !isTerminal(job.status)
}

/** What a firing has to do for a schedule, by what docs/schedules.md says of its policies. */
export function firingOf(model: Model, schedule: ModelSchedule): ModelFiring {
  const { overdue, missed, overlap, windowDays } = schedule
  if (schedule.paused || overdue === 0) return { fired: 0, dropped: 0, skipped: 0 }
  // The instant n days before the latest is that many days late, and some hours: it is in a window of more days than n.
  const defaultDays = { skip: 0, once: Number.POSITIVE_INFINITY, all: 1 }[missed]
  const inTime = Math.min(overdue, windowDays ?? defaultDays, missed === 'all' ? overdue : 1)
  const room = overlap === 'allow' ? inTime : Math.min(inTime, isBusy(model, schedule) ? 0 : 1)
  return { fired: room, dropped: overdue - inTime, skipped: inTime - room }
}

export function noteFiring(
  schedule: ModelSchedule,
  { fired, dropped, skipped }: ModelFiring,
  jobIds: readonly string[],
): void {
  schedule.fired += fired
  schedule.dropped += dropped
  schedule.skipped += skipped
  schedule.lastJobId = jobIds.at(-1) ?? schedule.lastJobId
  if (!schedule.paused) schedule.overdue = 0
}
