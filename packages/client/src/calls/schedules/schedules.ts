import { isDoneByLostAttempt } from '../../api-error.ts'
import { callOptions, type RulesOfCalls, text } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import type { Transport } from '../../transport.ts'
import type {
  BuiltInKinds,
  CreateSchedule,
  Job,
  Schedule,
  ScheduleFilter,
  ScheduleList,
  SchedulePageQuery,
  SchedulePreview,
  ScheduleSyncReport,
  ScheduleTiming,
  SyncSchedules,
  UpdateSchedule,
} from '../../wire.ts'
import { paginate } from '../paginate.ts'
import { isScheduleOf } from './same-schedule.ts'

export interface RunNowOptions extends CallOptions {
  /** Identifies this run, so that a retry after a lost reply makes no second job. Default: a random key. */
  readonly idempotencyKey?: string
}

export interface ScheduleCalls<Kinds extends object = BuiltInKinds> {
  /**
   * Creates a schedule. After a lost reply, a schedule with this name is taken for the created one only if it has every member of
   * the request, and the defaults of the API for those that are not sent.
   *
   * @throws ApiError `invalid_schedule`, `unknown_kind`, `schedule_exists`.
   */
  createSchedule(schedule: CreateSchedule<Kinds>, options?: CallOptions): Promise<Schedule>
  /** @throws ApiError `schedule_not_found`. */
  schedule(name: string, options?: CallOptions): Promise<Schedule>
  /** All schedules that match the filter, by name. */
  schedules(filter?: ScheduleFilter, options?: CallOptions): AsyncIterable<Schedule>
  /** One page of schedules. */
  schedulesPage(query?: SchedulePageQuery, options?: CallOptions): Promise<ScheduleList>
  /**
   * Changes a schedule. Absent members stay as they are; null removes a member.
   *
   * @throws ApiError `schedule_not_found`, `invalid_schedule`, `unknown_kind`.
   */
  updateSchedule(name: string, changes: UpdateSchedule, options?: CallOptions): Promise<Schedule>
  /** @throws ApiError `schedule_not_found`. */
  deleteSchedule(name: string, options?: CallOptions): Promise<void>
  /**
   * Pauses a schedule. Once this resolves, it enqueues nothing until it is resumed.
   *
   * @throws ApiError `schedule_not_found`.
   */
  pauseSchedule(name: string, options?: CallOptions): Promise<Schedule>
  /**
   * Resumes a schedule. Runs that were due during the pause are not made up for.
   *
   * @throws ApiError `schedule_not_found`.
   */
  resumeSchedule(name: string, options?: CallOptions): Promise<Schedule>
  /**
   * Enqueues one job of a schedule now.
   *
   * @throws ApiError `schedule_not_found`, `schedule_overlaps`.
   */
  runScheduleNow(name: string, options?: RunNowOptions): Promise<Job>
  /**
   * The next runs of the schedule with this name, or of a schedule with this timing.
   *
   * @throws ApiError `schedule_not_found`, `invalid_schedule`.
   */
  previewSchedule(of: string | ScheduleTiming, options?: CallOptions): Promise<SchedulePreview>
  /**
   * Creates, changes and deletes the schedules of a source so that they match the list, all or none.
   *
   * @throws ApiError `invalid_schedule`, `unknown_kind`, `schedule_exists`.
   */
  syncSchedules(sync: SyncSchedules<Kinds>, options?: CallOptions): Promise<ScheduleSyncReport>
}

/** The largest page, because `schedules` reads all of them. */
const schedulesPageSize = 200

type AnyKinds = Readonly<Record<string, unknown>>
type AnyScheduleCalls = ScheduleCalls<AnyKinds>
type ReadCalls = Pick<AnyScheduleCalls, 'schedule' | 'schedules' | 'schedulesPage' | 'previewSchedule'>
type WriteCalls = Pick<
  AnyScheduleCalls,
  'createSchedule' | 'updateSchedule' | 'deleteSchedule' | 'syncSchedules'
>
type RunCalls = Pick<AnyScheduleCalls, 'pauseSchedule' | 'resumeSchedule' | 'runScheduleNow'>

/** The options of these calls. */
export const scheduleOptions: RulesOfCalls<AnyScheduleCalls> = {
  createSchedule: { at: 1, options: callOptions },
  schedule: { at: 1, options: callOptions },
  schedules: { at: 1, options: callOptions, iterates: true },
  schedulesPage: { at: 1, options: callOptions },
  updateSchedule: { at: 2, options: callOptions },
  deleteSchedule: { at: 1, options: callOptions },
  pauseSchedule: { at: 1, options: callOptions },
  resumeSchedule: { at: 1, options: callOptions },
  runScheduleNow: { at: 1, options: { ...callOptions, idempotencyKey: text } },
  previewSchedule: { at: 1, options: callOptions },
  syncSchedules: { at: 1, options: callOptions },
}

/** The kinds are not checked at run time: the compiler of the caller and the API check them. */
export function scheduleCalls(transport: Transport): AnyScheduleCalls {
  const read = readCalls(transport)
  return { ...read, ...writeCalls(transport, read), ...runCalls(transport) }
}

function readCalls({ http, fetchData }: Transport): ReadCalls {
  const schedulesPage: ReadCalls['schedulesPage'] = (query = {}, { signal } = {}) =>
    fetchData({
      request: 'GET /schedules',
      idempotent: true,
      answer: ['data'],
      signal,
      fetch: (attemptSignal) => http.GET('/schedules', { params: { query }, signal: attemptSignal }),
    })

  return {
    schedulesPage,
    schedules: (filter = {}, options = {}) =>
      paginate((cursor) =>
        schedulesPage(
          { limit: schedulesPageSize, ...filter, ...(cursor !== undefined && { cursor }) },
          options,
        ),
      ),

    schedule: (name, { signal } = {}) =>
      fetchData({
        request: `GET /schedules/${name}`,
        idempotent: true,
        answer: ['name', 'next_run_at'],
        signal,
        fetch: (attemptSignal) =>
          http.GET('/schedules/{name}', { params: { path: { name } }, signal: attemptSignal }),
      }),

    previewSchedule: (nameOrTiming, { signal } = {}) =>
      fetchData({
        request:
          typeof nameOrTiming === 'string'
            ? `GET /schedules/${nameOrTiming}/preview`
            : 'POST /schedules/preview',
        idempotent: true,
        answer: ['description', 'instants'],
        signal,
        fetch: (attemptSignal) =>
          typeof nameOrTiming === 'string'
            ? http.GET('/schedules/{name}/preview', {
                params: { path: { name: nameOrTiming } },
                signal: attemptSignal,
              })
            : http.POST('/schedules/preview', { body: nameOrTiming, signal: attemptSignal }),
      }),
  }
}

function writeCalls({ http, fetchData }: Transport, { schedule }: ReadCalls): WriteCalls {
  return {
    async createSchedule(newSchedule, { signal } = {}) {
      const body = newSchedule as CreateSchedule
      try {
        return await fetchData({
          request: 'POST /schedules',
          idempotent: true,
          answer: ['name', 'next_run_at'],
          signal,
          fetch: (attemptSignal) => http.POST('/schedules', { body, signal: attemptSignal }),
        })
      } catch (error) {
        if (!isDoneByLostAttempt(error, 'schedule_exists')) throw error
        const existing = await schedule(body.name, { signal })
        if (!isScheduleOf(existing, body)) throw error
        return existing
      }
    },

    updateSchedule: (name, body, { signal } = {}) =>
      fetchData({
        request: `PATCH /schedules/${name}`,
        idempotent: true,
        answer: ['name', 'next_run_at'],
        signal,
        fetch: (attemptSignal) =>
          http.PATCH('/schedules/{name}', { params: { path: { name } }, body, signal: attemptSignal }),
      }),

    async deleteSchedule(name, { signal } = {}) {
      try {
        await fetchData({
          request: `DELETE /schedules/${name}`,
          idempotent: true,
          answer: 'nothing',
          signal,
          fetch: (attemptSignal) =>
            http.DELETE('/schedules/{name}', { params: { path: { name } }, signal: attemptSignal }),
        })
      } catch (error) {
        if (!isDoneByLostAttempt(error, 'schedule_not_found')) throw error
      }
    },

    syncSchedules: (sync, { signal } = {}) =>
      fetchData({
        request: 'POST /schedules/sync',
        idempotent: true,
        answer: ['created', 'updated'],
        signal,
        fetch: (attemptSignal) =>
          http.POST('/schedules/sync', { body: sync as SyncSchedules, signal: attemptSignal }),
      }),
  }
}

function runCalls({ http, fetchData }: Transport): RunCalls {
  return {
    pauseSchedule: (name, { signal } = {}) =>
      fetchData({
        request: `POST /schedules/${name}/pause`,
        idempotent: true,
        answer: ['name', 'next_run_at'],
        signal,
        fetch: (attemptSignal) =>
          http.POST('/schedules/{name}/pause', { params: { path: { name } }, signal: attemptSignal }),
      }),

    resumeSchedule: (name, { signal } = {}) =>
      fetchData({
        request: `POST /schedules/${name}/resume`,
        idempotent: true,
        answer: ['name', 'next_run_at'],
        signal,
        fetch: (attemptSignal) =>
          http.POST('/schedules/{name}/resume', { params: { path: { name } }, signal: attemptSignal }),
      }),

    runScheduleNow: (name, { signal, idempotencyKey = crypto.randomUUID() } = {}) =>
      fetchData({
        request: `POST /schedules/${name}/run-now`,
        idempotent: true,
        answer: 'job',
        signal,
        fetch: (attemptSignal) =>
          http.POST('/schedules/{name}/run-now', {
            params: { path: { name }, header: { 'idempotency-key': idempotencyKey } },
            signal: attemptSignal,
          }),
      }),
  }
}
