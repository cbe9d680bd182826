import { isTerminal } from '../../src/domain/transitions.ts'
import type { MissedPolicy, OverlapPolicy } from '../../src/domain/schedule-policies.ts'
import type { JobStatus } from '../../src/domain/job.ts'

/** A schedule of the model. It fires once a day, an hour after the model started. */
export interface ModelSchedule {
  readonly name: string
  missed: MissedPolicy
  readonly overlap: OverlapPolicy
  /** How many days late a run may be; null for the default of the policy. */
  readonly windowDays: number | null
  paused: boolean
  /** Instants since the last firing. The latest of them is less than a day ago. */
  overdue: number
  lastJobId: string | null
  fired: number
  dropped: number
  skipped: number
}

/** What the policies of a schedule look at: the jobs of the model. */
interface Jobs {
  readonly jobs: readonly { readonly id: string; readonly status: JobStatus }[]
}

/** How many jobs a firing makes, and how many instants it drops or skips. */
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
export function isBusy(model: Jobs, { lastJobId }: ModelSchedule): boolean {
  const job = model.jobs.find(({ id }) => id === lastJobId)
  return job !== undefined && !isTerminal(job.status)
}

/** What a firing must do for a schedule, according to the policies in docs/schedules.md. */
export function firingOf(model: Jobs, schedule: ModelSchedule): ModelFiring {
  const { overdue, missed, overlap, windowDays } = schedule
  if (schedule.paused || overdue === 0) return { fired: 0, dropped: 0, skipped: 0 }
  // The instant n days before the latest is n days and some hours late, so it lies in a window of more than n days.
  const defaultDays = { skip: 0, once: Number.POSITIVE_INFINITY, all: 1 }[missed]
  const inTime = Math.min(overdue, windowDays ?? defaultDays, missed === 'all' ? overdue : 1)
  const fired = overlap === 'allow' ? inTime : Math.min(inTime, isBusy(model, schedule) ? 0 : 1)
  return { fired, dropped: overdue - inTime, skipped: inTime - fired }
}

export function applyFiring(
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
