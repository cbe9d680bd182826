import { toRefused } from '@queue/postgres'
import type { z } from 'zod'
import type { ActDatabase, Perform, Told } from '../acts.ts'
import type { AuditedAct } from '../audit/actor.ts'
import type { Change } from '../audit/write-audit-entry.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { createIdMint } from '../database/id-mint.ts'
import type { Enqueued } from '../transitions/enqueue-jobs.ts'
import { createSchedule } from './create-schedule.ts'
import type { NewSchedule, ScheduleChanges, ScheduleTimingOptions } from './definition.ts'
import { deleteSchedule } from './delete-schedule.ts'
import { pauseSchedule, resumeSchedule } from './pause-schedule.ts'
import { previewSchedule, type SchedulePreview } from './preview-schedule.ts'
import { getSchedule, listSchedules, type ScheduleFilter, type SchedulePage } from './read-schedules.ts'
import { type RunNowOptions, runScheduleNow } from './run-now.ts'
import type { Schedule } from './schedule-row.ts'
import { type SyncOptions, type SyncReport, syncSchedules } from './sync-schedules.ts'
import { updateSchedule } from './update-schedule.ts'

/** What changes schedules. Each throws `refused` where the database's owner forbids it. */
export interface ScheduleActs {
  /** Throws `invalid_schedule` with what is wrong and what is accepted, and `schedule_exists`. */
  create<Kind extends string, Payload extends z.ZodType>(
    schedule: NewSchedule<Kind, Payload>,
  ): Promise<Schedule>
  /**
   * Changes what is given. Where that changes when the schedule is due, it starts anew from now. Throws `schedule_not_found` and
   * `invalid_schedule`.
   */
  update(name: string, changes: ScheduleChanges): Promise<Schedule>
  /** Removes the schedule and leaves its jobs. Throws `schedule_not_found`. */
  delete(name: string): Promise<void>
  /** Once this has answered, the schedule enqueues nothing. Throws `schedule_not_found`. */
  pause(name: string): Promise<Schedule>
  /** It goes on from now: what fell into the pause is not made up for. Throws `schedule_not_found`. */
  resume(name: string): Promise<Schedule>
  /** Enqueues one job, paused or not. Throws `schedule_not_found`, and `schedule_overlaps` where `overlap` is `skip`. */
  runNow(name: string, options?: RunNowOptions): Promise<Enqueued>
  /** Makes the schedules of a source what the list says. Throws `invalid_schedule` and `schedule_exists`. */
  sync(schedules: readonly NewSchedule[], options: SyncOptions): Promise<SyncReport>
}

/** Jobs that are enqueued again and again, by any worker. */
export interface Schedules extends ScheduleActs {
  /** The schedule, or undefined when there is none. */
  get(name: string): Promise<Schedule | undefined>
  /** One page, by name. */
  list(filter?: ScheduleFilter): Promise<SchedulePage>
  /**
   * When a schedule fires from now on: the one of this name, or one with this timing. Throws `schedule_not_found` and
   * `invalid_schedule`.
   */
  preview(of: string | ScheduleTimingOptions): Promise<SchedulePreview>
}

export function scheduleReads(database: QueueDatabase): Omit<Schedules, keyof ScheduleActs> {
  return {
    get: (name) => getSchedule(database, name),
    list: (filter) => listSchedules(database, filter),
    preview: (of) => previewSchedule(database, of),
  }
}

/** Each told to the workers where it may make a schedule due sooner than they know. */
export function scheduleActs(
  perform: Perform,
  { notifier, full }: Pick<Told, 'notifier' | 'full'>,
): ScheduleActs {
  const mintIds = createIdMint(full.clock)
  const tellWorkers = (): void => notifier.tell([{ type: 'schedules' }])
  const act = <Result>(
    name: AuditedAct,
    target: string,
    work: (database: ActDatabase) => Promise<Result>,
  ): Promise<Result> => orRefused(perform({ act: name, work, changeOf: () => ({ count: 1, target }) }))
  const told = async <Result>(acted: Promise<Result>): Promise<Result> => {
    const result = await acted
    tellWorkers()
    return result
  }
  return {
    create: (schedule) =>
      told(act('schedule.create', schedule.name, (database) => createSchedule(database, schedule))),
    update: (name, changes) =>
      told(act('schedule.update', name, (database) => updateSchedule(database, name, changes))),
    delete: (name) => act('schedule.delete', name, (database) => deleteSchedule(database, name)),
    pause: (name) => act('schedule.pause', name, (database) => pauseSchedule(database, name)),
    resume: (name) => told(act('schedule.resume', name, (database) => resumeSchedule(database, name))),
    runNow: async (name, options) => {
      await full.refresh()
      const enqueued = await orRefused(
        perform({
          act: 'schedule.run_now',
          work: (database) => runScheduleNow(database, name, { ...options, mintIds, full }),
          changeOf: ({ job, replayed }) => {
            const jobIds = replayed ? [] : [job.id]
            return { count: jobIds.length, target: name, jobIds }
          },
        }),
      )
      notifier.tell([{ type: 'queue', queue: enqueued.job.queue }])
      return enqueued
    },
    sync: async (schedules, options) =>
      told(
        orRefused(
          perform({
            act: 'schedule.sync',
            work: (database) => syncSchedules(database, schedules, options),
            changeOf: (report) => changeOfSync(report, options),
          }),
        ),
      ),
  }
}

/** What a sync has changed, by the names of the schedules. */
function changeOfSync(report: SyncReport, { source }: SyncOptions): Change {
  const { revision, created, updated, deleted } = report
  const count = created.length + updated.length + deleted.length
  return {
    count,
    target: source,
    filter: { revision, created: [...created], updated: [...updated], deleted: [...deleted] },
  }
}

function orRefused<Result>(change: Promise<Result>): Promise<Result> {
  return change.catch((error: unknown) => {
    throw toRefused(error)
  })
}
