import { ApiError } from '../api-error.ts'
import type { CallOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
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
} from '../wire.ts'
import { paginate } from './paginate.ts'

export interface RunNowOptions extends CallOptions {
  /** Absent: a random one, so that a repetition after a lost reply makes no second job. */
  readonly idempotencyKey?: string
}

export interface Schedules<Kinds extends object = BuiltInKinds> {
  /** @throws ApiError `invalid_schedule`, `unknown_kind`, `schedule_exists`. */
  createSchedule(schedule: CreateSchedule<Kinds>, options?: CallOptions): Promise<Schedule>
  /** @throws ApiError `schedule_not_found`. */
  schedule(name: string, options?: CallOptions): Promise<Schedule>
  /** All that fit the filter, by name. */
  schedules(filter?: ScheduleFilter, options?: CallOptions): AsyncIterable<Schedule>
  /** One page of them. */
  schedulesPage(query?: SchedulePageQuery, options?: CallOptions): Promise<ScheduleList>
  /**
   * Absent members stay, and null takes away.
   *
   * @throws ApiError `schedule_not_found`, `invalid_schedule`, `unknown_kind`.
   */
  updateSchedule(name: string, changes: UpdateSchedule, options?: CallOptions): Promise<Schedule>
  /** @throws ApiError `schedule_not_found`. */
  deleteSchedule(name: string, options?: CallOptions): Promise<void>
  /**
   * Once this resolves, the schedule enqueues nothing.
   *
   * @throws ApiError `schedule_not_found`.
   */
  pauseSchedule(name: string, options?: CallOptions): Promise<Schedule>
  /**
   * It goes on from now: runs that fell into the pause are not made up for.
   *
   * @throws ApiError `schedule_not_found`.
   */
  resumeSchedule(name: string, options?: CallOptions): Promise<Schedule>
  /**
   * Enqueues one job of it now.
   *
   * @throws ApiError `schedule_not_found`, `schedule_overlaps`.
   */
  runScheduleNow(name: string, options?: RunNowOptions): Promise<Job>
  /**
   * When the schedule of this name fires, or one with this timing would.
   *
   * @throws ApiError `schedule_not_found`, `invalid_schedule`.
   */
  previewSchedule(of: string | ScheduleTiming, options?: CallOptions): Promise<SchedulePreview>
  /**
   * Makes the schedules of a source what the list says, all or none.
   *
   * @throws ApiError `invalid_schedule`, `unknown_kind`, `schedule_exists`.
   */
  syncSchedules(sync: SyncSchedules<Kinds>, options?: CallOptions): Promise<ScheduleSyncReport>
}

/** As many as a page may have: all are wanted. */
const pageSchedulesMax = 200

type AnyKinds = Readonly<Record<string, unknown>>

/** Which kinds there are is for the caller's compiler, and for the API: here they are sent as they come. */
export function scheduleCalls(transport: Transport): Schedules<AnyKinds> {
  return { ...readCalls(transport), ...writeCalls(transport), ...controlCalls(transport) }
}

function readCalls({ http, send }: Transport) {
  const schedulesPage: Schedules['schedulesPage'] = async (query = {}, { signal } = {}) => {
    const { data } = await send({
      request: 'GET /schedules',
      repetition: 'freely',
      signal,
      fetch: (attempt) => http.GET('/schedules', { params: { query }, signal: attempt }),
    })
    return data
  }
  const schedules: Schedules['schedules'] = (filter = {}, options = {}) =>
    paginate((cursor) =>
      schedulesPage({ limit: pageSchedulesMax, ...filter, ...(cursor !== undefined && { cursor }) }, options),
    )
  const schedule: Schedules['schedule'] = async (name, { signal } = {}) => {
    const { data } = await send({
      request: `GET /schedules/${name}`,
      repetition: 'freely',
      signal,
      fetch: (attempt) => http.GET('/schedules/{name}', { params: { path: { name } }, signal: attempt }),
    })
    return data
  }
  const previewSchedule: Schedules['previewSchedule'] = async (of, { signal } = {}) => {
    const { data } = await send({
      request: typeof of === 'string' ? `GET /schedules/${of}/preview` : 'POST /schedules/preview',
      repetition: 'freely',
      signal,
      fetch: (attempt) =>
        typeof of === 'string'
          ? http.GET('/schedules/{name}/preview', { params: { path: { name: of } }, signal: attempt })
          : http.POST('/schedules/preview', { body: of, signal: attempt }),
    })
    return data
  }
  return { schedulesPage, schedules, schedule, previewSchedule }
}

function writeCalls(transport: Transport) {
  const { http, send } = transport
  const { schedule } = readCalls(transport)
  const createSchedule: Schedules<AnyKinds>['createSchedule'] = async (given, { signal } = {}) => {
    const body = given as CreateSchedule
    const creating = send({
      request: 'POST /schedules',
      repetition: 'freely',
      signal,
      fetch: (attempt) => http.POST('/schedules', { body, signal: attempt }),
    })
    return creating.then(
      ({ data }) => data,
      // The attempt whose reply was lost has made it.
      (error: unknown) => orAfterLostReply(error, 'schedule_exists', () => schedule(body.name, { signal })),
    )
  }
  const updateSchedule: Schedules['updateSchedule'] = async (name, body, { signal } = {}) => {
    const { data } = await send({
      request: `PATCH /schedules/${name}`,
      repetition: 'freely',
      signal,
      fetch: (attempt) =>
        http.PATCH('/schedules/{name}', { params: { path: { name } }, body, signal: attempt }),
    })
    return data
  }
  const deleteSchedule: Schedules['deleteSchedule'] = async (name, { signal } = {}) => {
    const deleting = send({
      request: `DELETE /schedules/${name}`,
      repetition: 'freely',
      signal,
      fetch: (attempt) => http.DELETE('/schedules/{name}', { params: { path: { name } }, signal: attempt }),
    })
    await deleting.catch((error: unknown) => orAfterLostReply(error, 'schedule_not_found', () => undefined))
  }
  const syncSchedules: Schedules<AnyKinds>['syncSchedules'] = async (given, { signal } = {}) => {
    const body = given as SyncSchedules
    const { data } = await send({
      request: 'POST /schedules/sync',
      repetition: 'freely',
      signal,
      fetch: (attempt) => http.POST('/schedules/sync', { body, signal: attempt }),
    })
    return data
  }
  return { createSchedule, updateSchedule, deleteSchedule, syncSchedules }
}

/** What an error means that an earlier attempt of the same call has caused. Throws every other one. */
function orAfterLostReply<Result>(error: unknown, slug: string, then: () => Result): Result {
  if (error instanceof ApiError && error.afterLostReply && error.error === slug) return then()
  throw error
}

function controlCalls({ http, send }: Transport) {
  const pauseSchedule: Schedules['pauseSchedule'] = async (name, { signal } = {}) => {
    const { data } = await send({
      request: `POST /schedules/${name}/pause`,
      repetition: 'freely',
      signal,
      fetch: (attempt) =>
        http.POST('/schedules/{name}/pause', { params: { path: { name } }, signal: attempt }),
    })
    return data
  }
  const resumeSchedule: Schedules['resumeSchedule'] = async (name, { signal } = {}) => {
    const { data } = await send({
      request: `POST /schedules/${name}/resume`,
      repetition: 'freely',
      signal,
      fetch: (attempt) =>
        http.POST('/schedules/{name}/resume', { params: { path: { name } }, signal: attempt }),
    })
    return data
  }
  const runScheduleNow: Schedules['runScheduleNow'] = async (name, { signal, idempotencyKey } = {}) => {
    const params = {
      path: { name },
      header: { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() },
    }
    const { data } = await send({
      request: `POST /schedules/${name}/run-now`,
      repetition: 'freely',
      signal,
      fetch: (attempt) => http.POST('/schedules/{name}/run-now', { params, signal: attempt }),
    })
    return data
  }
  return { pauseSchedule, resumeSchedule, runScheduleNow }
}
