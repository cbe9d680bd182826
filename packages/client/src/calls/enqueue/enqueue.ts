import { assertList } from '../../invalid-call.ts'
import { callOptions, oneOf, type Rules, type RulesOfCalls, text } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import type { Transport } from '../../transport.ts'
import type { BuiltInKinds, CreateJob, Job, JobMembers, Kind } from '../../wire.ts'

export interface EnqueueCallOptions extends CallOptions {
  /**
   * What happens if the idempotency key is known, but with another kind, queue or payload. `replay` (default) returns the
   * existing job; `reject` fails with 422.
   */
  readonly onMismatch?: 'replay' | 'reject' | undefined
  /** A W3C trace context. The handler of the job gets it. */
  readonly traceparent?: string | undefined
}

/** The members of a job besides kind and payload, by their names in the API, and the options of the call. */
export type EnqueueOptions = JobMembers & EnqueueCallOptions

export interface Enqueued {
  readonly job: Job
  /** True if the idempotency key was known: `job` is the existing job. Always false if the client made the key. */
  readonly replayed: boolean
  /** True if the existing job has another kind, queue or payload. */
  readonly mismatch: boolean
  /** Present if another job holds the unique key: `job` is that job, and this says what was done to it. */
  readonly conflict?: Conflict
}

export type Conflict = 'returned' | 'replaced' | 'rescheduled'

export interface EnqueuedMany {
  /** In the order of the request. */
  readonly jobs: Job[]
  /** The indexes of the jobs whose idempotency key was known. Keys that the client made do not count. */
  readonly replayed: number[]
  /** The indexes of the jobs whose unique key another job holds, and what was done to that job. */
  readonly conflicts: { readonly index: number; readonly outcome: Conflict }[]
}

export interface EnqueueCalls<Kinds extends object = BuiltInKinds> {
  /**
   * Enqueues one job. It is committed when this resolves. A retry after a lost reply makes no second job: a job without
   * an idempotency key gets a random one.
   */
  enqueue<K extends Kind<Kinds>>(kind: K, payload: Kinds[K], options?: EnqueueOptions): Promise<Enqueued>
  /** Enqueues up to 1 000 jobs, all or none. Retries are as safe as those of `enqueue`. */
  enqueueMany(jobs: readonly CreateJob<Kinds>[], options?: EnqueueCallOptions): Promise<EnqueuedMany>
}

type AnyKinds = Readonly<Record<string, unknown>>

const ownOptions: Rules<EnqueueCallOptions> = {
  ...callOptions,
  onMismatch: oneOf('replay', 'reject'),
  traceparent: text,
}

/** The options of these calls. */
export const enqueueOptions: RulesOfCalls<EnqueueCalls<AnyKinds>> = {
  enqueue: { at: 2, options: ownOptions, sendsOthers: true },
  enqueueMany: { at: 1, options: ownOptions },
}

/** The kinds are not checked at run time: the compiler of the caller and the API check them. */
export function enqueueCalls({ http, send, fetchData }: Transport): EnqueueCalls<AnyKinds> {
  return {
    async enqueue(kind, payload, options = {}) {
      const { signal, onMismatch, traceparent, ...members } = options
      const hasOwnKey = members.idempotency_key !== undefined
      const body = withKey({ ...members, kind, payload })
      const header = enqueueHeaders({ onMismatch, traceparent })
      const { data, headers } = await send({
        request: 'POST /jobs',
        idempotent: true,
        answer: 'job',
        signal,
        fetch: (attemptSignal) => http.POST('/jobs', { body, params: { header }, signal: attemptSignal }),
      })
      const conflict = headers.get('unique-conflict') as Conflict | null
      return {
        job: data,
        replayed: hasOwnKey && headers.get('idempotent-replayed') === 'true',
        mismatch: hasOwnKey && headers.get('idempotency-mismatch') === 'true',
        ...(conflict !== null && { conflict }),
      }
    },

    async enqueueMany(jobs, options = {}) {
      assertList('jobs', jobs, 'object')
      const body = { jobs: jobs.map(withKey) }
      const header = enqueueHeaders(options)
      const response = await fetchData({
        request: 'POST /jobs/batch',
        idempotent: true,
        answer: ['data', 'replayed', 'conflicts'],
        signal: options.signal,
        fetch: (attemptSignal) =>
          http.POST('/jobs/batch', { body, params: { header }, signal: attemptSignal }),
      })
      const replayed = response.replayed.filter((index) => jobs[index]?.idempotency_key !== undefined)
      return { jobs: response.data, replayed, conflicts: response.conflicts }
    },
  }
}

/** The job with an idempotency key: its own, or else a random one. */
function withKey(job: CreateJob<AnyKinds>): CreateJob {
  const keyed = job.idempotency_key === undefined ? { ...job, idempotency_key: crypto.randomUUID() } : job
  return keyed as CreateJob
}

function enqueueHeaders({ onMismatch, traceparent }: EnqueueCallOptions): {
  prefer?: string
  traceparent?: string
} {
  return {
    ...(onMismatch === 'reject' ? { prefer: 'handling=strict' } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
  }
}
