import { toRefused } from '@queue/postgres'
import type { z } from 'zod'
import type { Notifier } from '../database/notifications.ts'
import type { FullQueues } from '../flow/full-queues.ts'
import type { ActDatabase, Perform } from '../audit/perform.ts'
import type { AuditedAct } from '../domain/actor.ts'
import { asChange, type Change, changeOn } from '../audit/write-audit-entry.ts'
import type { Acted } from '../database/acted.ts'
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
import { type ScheduleChangesOf, updateSchedule } from './update-schedule.ts'

/** The acts that change schedules. Each throws `refused` where the database does not allow the change. */
export interface ScheduleActs {
  /** Creates a schedule. Throws `invalid_schedule` with the faults and what is accepted, and `schedule_exists`. */
  create<Kind extends string, Payload extends z.ZodType>(
    schedule: NewSchedule<Kind, Payload>,
  ): Promise<Schedule>
  /**
   * Changes the given members, or those that a function of the current schedule returns. If that changes when the
   * schedule is due, it starts again from now. Throws `schedule_not_found` and `invalid_schedule`.
   */
  update(name: string, changes: ScheduleChanges | ScheduleChangesOf): Promise<Schedule>
  /** Deletes the schedule and leaves its jobs. Throws `schedule_not_found`. */
  delete(name: string): Promise<void>
  /** Once this has returned, the schedule enqueues nothing. Throws `schedule_not_found`. */
  pause(name: string): Promise<Schedule>
  /** Resumes a schedule from now: runs during the pause are not made up for. Throws `schedule_not_found`. */
  resume(name: string): Promise<Schedule>
  /**
   * Enqueues one job, paused or not. Throws `schedule_not_found`, and `schedule_overlaps` where `overlap` is `skip` and
   * the last job has not ended.
   */
  runNow(name: string, options?: RunNowOptions): Promise<Enqueued>
  /** Makes the schedules of a source equal to the list. Throws `invalid_schedule` and `schedule_exists`. */
  sync(schedules: readonly NewSchedule[], options: SyncOptions): Promise<SyncReport>
}

/** Schedules, which any worker fires. */
export interface Schedules extends ScheduleActs {
  /** The schedule; undefined when there is none. */
  get(name: string): Promise<Schedule | undefined>
  /** One page of schedules, by name. */
  list(filter?: ScheduleFilter): Promise<SchedulePage>
  /**
   * When a schedule fires from now on: the schedule of this name, or one with this timing. Throws `schedule_not_found`
   * and `invalid_schedule`.
   */
  preview(nameOrTiming: string | ScheduleTimingOptions): Promise<SchedulePreview>
}

export function scheduleReads(database: QueueDatabase): Omit<Schedules, keyof ScheduleActs> {
  return {
    get: (name) => getSchedule(database, name),
    list: (filter) => listSchedules(database, filter),
    preview: (nameOrTiming) => previewSchedule(database, nameOrTiming),
  }
}

/** Acts that may make a schedule due sooner notify the workers. */
export function scheduleActs(
  perform: Perform,
  { notifier, full }: { readonly notifier: Notifier; readonly full: FullQueues },
): ScheduleActs {
  const mintIds = createIdMint(full.clock)
  const notifyWorkers = (): void => notifier.tell([{ type: 'schedules' }])
  const act = async <Result>(
    name: AuditedAct,
    target: string,
    work: (database: ActDatabase) => Promise<Acted<Result>>,
  ): Promise<Result> => (await throwRefused(perform({ act: name, work, changeOf: changeOn(target) }))).result
  const thenNotify = async <Result>(acted: Promise<Result>): Promise<Result> => {
    const result = await acted
    notifyWorkers()
    return result
  }
  return {
    create: (schedule) =>
      thenNotify(
        act('schedule.create', schedule.name, (database) => asChange(createSchedule(database, schedule))),
      ),
    update: (name, changes) =>
      thenNotify(act('schedule.update', name, (database) => updateSchedule(database, name, changes))),
    delete: (name) => act('schedule.delete', name, (database) => asChange(deleteSchedule(database, name))),
    pause: (name) => act('schedule.pause', name, (database) => pauseSchedule(database, name)),
    resume: (name) => thenNotify(act('schedule.resume', name, (database) => resumeSchedule(database, name))),
    runNow: async (name, options) => {
      await full.refresh()
      const enqueued = await throwRefused(
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
      thenNotify(
        throwRefused(
          perform({
            act: 'schedule.sync',
            work: (database) => syncSchedules(database, schedules, options),
            changeOf: (report) => changeOfSync(report, options),
          }),
        ),
      ),
  }
}

/** The change of a sync, as the audit log records it: the names of the changed schedules. */
function changeOfSync(report: SyncReport, { source }: SyncOptions): Change {
  const { revision, created, updated, deleted } = report
  const count = created.length + updated.length + deleted.length
  return {
    count,
    target: source,
    filter: { revision, created: [...created], updated: [...updated], deleted: [...deleted] },
  }
}

/** Turns an error of a database that does not allow the change into `refused`. */
function throwRefused<Result>(change: Promise<Result>): Promise<Result> {
  return change.catch((error: unknown) => {
    throw toRefused(error)
  })
}
