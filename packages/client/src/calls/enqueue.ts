import type { CallOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type { BuiltInKinds, CreateJob, Job, JobMembers, Kind } from '../wire.ts'

export interface EnqueueCallOptions extends CallOptions {
  /** `reject`: a known idempotency key with another kind, queue or payload is refused with 422. */
  readonly onMismatch?: 'replay' | 'reject' | undefined
  /** A W3C trace context; it travels with the job to its handler. */
  readonly traceparent?: string | undefined
}

/** What a job may have beside its kind and payload, by its names in the API, and how the call is made. */
export type EnqueueOptions = JobMembers & EnqueueCallOptions

export interface Enqueued {
  readonly job: Job
  /** True when the idempotency key was known: this is the job that it made. Never true for a key made up here. */
  readonly replayed: boolean
  /** True when that job was made by another kind, queue or payload. */
  readonly mismatch: boolean
  /** Present when another job holds the unique key: `job` is that one, and this was done to it. */
  readonly conflict?: Conflict
}

export type Conflict = 'returned' | 'replaced' | 'rescheduled'

export interface EnqueuedMany {
  /** In the order of the request. */
  readonly jobs: Job[]
  /** The places, from 0, of the jobs whose own idempotency key was known. */
  readonly replayed: number[]
  /** The places, from 0, of the jobs whose unique key was held, and what was done to the job that holds it. */
  readonly conflicts: { readonly index: number; readonly outcome: Conflict }[]
}

export interface Enqueueing<Kinds extends object = BuiltInKinds> {
  /**
   * Enqueues one job; it is committed when this resolves. Sent again after a lost reply it makes no second one: a job
   * without an idempotency key gets a random one.
   */
  enqueue<K extends Kind<Kinds>>(kind: K, payload: Kinds[K], options?: EnqueueOptions): Promise<Enqueued>
  /** Enqueues up to 1 000 jobs, all of them or none, as safely as one. */
  enqueueMany(jobs: readonly CreateJob<Kinds>[], options?: EnqueueCallOptions): Promise<EnqueuedMany>
}

type AnyKinds = Readonly<Record<string, unknown>>

/** Which kinds there are is for the caller's compiler, and for the API: here they are sent as they come. */
export function enqueueCalls({ http, send }: Transport): Enqueueing<AnyKinds> {
  return {
    async enqueue(kind, payload, options = {}) {
      const { signal, onMismatch, traceparent, ...rest } = options
      const ownKey = rest.idempotency_key !== undefined
      const body = withKey({ ...rest, kind, payload })
      const header = headersOf({ onMismatch, traceparent })
      const { data, headers } = await send({
        request: 'POST /jobs',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.POST('/jobs', { body, params: { header }, signal: attempt }),
      })
      const is = (name: string): boolean => ownKey && headers.get(name) === 'true'
      const conflict = headers.get('unique-conflict') as Conflict | null
      return {
        job: data,
        replayed: is('idempotent-replayed'),
        mismatch: is('idempotency-mismatch'),
        ...(conflict !== null && { conflict }),
      }
    },

    async enqueueMany(jobs, options = {}) {
      const body = { jobs: jobs.map(withKey) }
      const header = headersOf(options)
      const { data } = await send({
        request: 'POST /jobs/batch',
        repetition: 'freely',
        signal: options.signal,
        fetch: (attempt) => http.POST('/jobs/batch', { body, params: { header }, signal: attempt }),
      })
      const replayed = data.replayed.filter((place) => jobs[place]?.idempotency_key !== undefined)
      return { jobs: data.data, replayed, conflicts: data.conflicts }
    },
  }
}

/** The job as the document describes it, with a key. */
function withKey(job: CreateJob<AnyKinds>): CreateJob {
  const keyed = job.idempotency_key === undefined ? { ...job, idempotency_key: crypto.randomUUID() } : job
  return keyed as CreateJob
}

function headersOf({ onMismatch, traceparent }: EnqueueCallOptions): {
  prefer?: string
  traceparent?: string
} {
  return {
    ...(onMismatch === 'reject' ? { prefer: 'handling=strict' } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
  }
}
