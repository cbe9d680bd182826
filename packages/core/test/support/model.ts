import type { ExecutionOutcome, JobStatus, Lease } from '../../src/domain/job.ts'
import { isTerminal, type Transition, transitions } from '../../src/domain/transitions.ts'
import type { ModelSchedule } from './schedule-model.ts'

/** What the model knows of a job: what the contract says of it, and nothing of how it is stored. */
export interface ModelJob {
  readonly id: string
  readonly key: string | null
  readonly tenant: string | null
  unique: { readonly key: string; readonly scope: 'waiting' | 'live' } | null
  priority: number
  readonly maxAttempts: number
  /** That of its kind. */
  readonly version: number
  status: JobStatus
  attempts: number
  token: number
  crashes: number
  cancelRequested: boolean
  owner: string | null
  due: boolean
  /** Whether it has an expiry that counts or will count again; `past` once it has been let pass. */
  expiry: 'none' | 'later' | 'past'
  hasDeadLetter: boolean
  /** Whether nothing is left of it but its key. */
  isReceipt: boolean
  readonly executions: Map<number, ExecutionOutcome>
}

/** An entry of the audit log, as far as it is decided by what was done. */
export interface ModelEntry {
  readonly act: string
  readonly tenant: string
  readonly jobId: string
}

/** What a key may have at once, where next to nothing comes back while a test runs. */
export const modelRate = { count: 1, perSeconds: 86_400, burst: 5 } as const

/** The writes by the holder of a lease. */
export const endings = [
  'succeed',
  'fail',
  'dead_letter',
  'snooze',
  'release',
  'returnUnstarted',
  'cancelObserved',
] as const
export type Ending = (typeof endings)[number]

/** How each ending is named in the table of transitions, and what its attempt leaves in the history. */
const acts = {
  succeed: { transition: 'succeed', outcome: 'succeeded', charged: true },
  fail: { transition: 'retry', outcome: 'failed', charged: true },
  dead_letter: { transition: 'dead_letter', outcome: 'failed', charged: true },
  snooze: { transition: 'snooze', outcome: 'snoozed', charged: false },
  release: { transition: 'release', outcome: 'released', charged: false },
  returnUnstarted: { transition: 'return_unstarted', outcome: null, charged: false },
  cancelObserved: { transition: 'cancel', outcome: 'cancelled', charged: true },
} as const satisfies Record<
  Ending,
  { transition: Transition; outcome: ExecutionOutcome | null; charged: boolean }
>

/** The causes of failures, by how they end. */
export const failureCauses = { fail: '0000000000000001', dead_letter: '0000000000000002' } as const

/** Failures of one cause: three times the same number. */
export interface CountedFailures {
  readonly tenant: string
  readonly fingerprint: string
  readonly count: number
  readonly ofDays: number
  readonly ofHours: number
}

/** The queue as the contract describes it (sections 2 to 7), in memory. Time passes when it is told to. */
export class Model {
  jobs: ModelJob[] = []
  readonly leases: Lease[] = []
  readonly activeWorkers: string[] = []
  readonly entries: ModelEntry[] = []
  /** What is left in the bucket of a key; undefined before its first request. */
  bucket: number | undefined
  readonly schedules: ModelSchedule[] = []
  /** By tenant and cause. */
  readonly failures = new Map<string, number>()
  readonly beganMs = Date.now()

  enqueue(
    job: Pick<
      ModelJob,
      'id' | 'key' | 'unique' | 'tenant' | 'priority' | 'maxAttempts' | 'version' | 'expiry'
    >,
  ): void {
    const fresh = { status: 'queued', attempts: 0, token: 0, crashes: 0, cancelRequested: false } as const
    const bare = { owner: null, due: true, hasDeadLetter: false, isReceipt: false } as const
    this.jobs.push({ ...job, ...fresh, ...bare, executions: new Map() })
  }

  /** Keys are unique within a tenant, and among the jobs without one. */
  withKey(key: string | null, tenant: string | null): ModelJob | undefined {
    return key === null ? undefined : this.jobs.find((job) => job.key === key && job.tenant === tenant)
  }

  /** Whether a caller who is bound to this tenant is told of the job; one without a tenant is told of all. */
  isShownTo(tenant: string | null, job: ModelJob): boolean {
    return tenant === null || job.tenant === tenant
  }

  /** How many requests a key is granted that returns some of an earlier grant, and wants so many. */
  take(wanted: number, returned: number): number {
    const level =
      this.bucket === undefined ? modelRate.burst : Math.min(modelRate.burst, this.bucket + returned)
    const granted = Math.min(wanted, level)
    this.bucket = level - granted
    return granted
  }

  /** The time of so many requests passes. */
  refill(count: number): void {
    if (this.bucket !== undefined) this.bucket = Math.min(modelRate.burst, this.bucket + count)
  }

  /** The job that holds a unique key. */
  holderOf(unique: ModelJob['unique'], tenant: string | null): ModelJob | undefined {
    return this.jobs.find(
      (job) => unique !== null && job.unique?.key === unique.key && job.tenant === tenant && holdsKey(job),
    )
  }

  /** For a worker that knows these versions: the jobs of others wait, and are charged nothing. */
  claimable(versions: readonly number[]): ModelJob[] {
    return this.jobs.filter(
      (job) =>
        isIn(job, 'claim') &&
        versions.includes(job.version) &&
        job.due &&
        job.attempts < job.maxAttempts &&
        !isExpired(job),
    )
  }

  claim(job: ModelJob, owner: string): void {
    enter(job, 'claim', 'running')
    Object.assign(job, { attempts: job.attempts + 1, token: job.token + 1, owner })
    this.leases.push({ jobId: job.id, token: job.token })
  }

  /** The answer that the holder of `lease` must get. */
  complete(lease: Lease, ending: Ending): { outcome: 'finished' | 'lease_lost'; status: JobStatus | null } {
    const job = this.jobs.find((one) => one.id === lease.jobId)
    if (job === undefined) return { outcome: 'lease_lost', status: null }
    if (job.status !== 'running' || job.token !== lease.token) {
      return { outcome: wasRecorded(job, lease.token, ending) ? 'finished' : 'lease_lost', status: null }
    }
    const { transition, outcome, charged } = acts[ending]
    const next = endOf(job, ending)
    if (outcome !== null) {
      job.executions.set(job.token, next === 'cancelled' ? 'cancelled' : outcome)
      if (next !== 'cancelled' && (ending === 'fail' || ending === 'dead_letter')) {
        const cause = `${job.tenant ?? ''} ${failureCauses[ending]}`
        this.failures.set(cause, (this.failures.get(cause) ?? 0) + 1)
      }
    }
    job.attempts -= charged ? 0 : 1
    // It has begun, and nothing else of it says so.
    if (ending === 'snooze' || ending === 'release') job.expiry = 'none'
    // A failure without attempts left is the `dead_letter` of the table of transitions.
    leave(job, next === 'failed_permanent' ? 'dead_letter' : transition, next)
    job.due = ending === 'release' || ending === 'returnUnstarted'
    return { outcome: 'finished', status: job.status }
  }

  countedFailures(): CountedFailures[] {
    const sorted = [...this.failures].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([cause, count]) => {
      const [tenant = '', fingerprint = ''] = cause.split(' ')
      return { tenant, fingerprint, count, ofDays: count, ofHours: count }
    })
  }

  cancel(job: ModelJob): 'cancelled' | 'requested' | 'already_terminal' {
    if (isTerminal(job.status)) return 'already_terminal'
    job.cancelRequested = true
    if (job.status === 'running') return 'requested'
    enter(job, 'cancel', 'cancelled')
    return 'cancelled'
  }

  /** Cancels what has not begun by its expiry. */
  expire(): ModelJob[] {
    const expired = this.jobs.filter(isExpired)
    for (const job of expired) enter(job, 'expire', 'cancelled')
    return expired
  }

  letExpire(): void {
    for (const job of this.jobs) if (job.expiry === 'later') job.expiry = 'past'
  }

  /** Whether the requeue is allowed: with a new expiry, or where that of the job is not past. */
  requeue(job: ModelJob, expiry: 'kept' | 'new'): boolean {
    if (!isIn(job, 'requeue') || job.isReceipt || (expiry === 'kept' && job.expiry === 'past')) return false
    if (job.unique?.scope === 'live' && this.holderOf(job.unique, job.tenant) !== undefined) return false
    if (job.unique?.scope === 'waiting') job.unique = null
    if (expiry === 'new') job.expiry = 'later'
    enter(job, 'requeue', 'queued')
    Object.assign(job, { attempts: 0, cancelRequested: false, due: true, hasDeadLetter: false })
    return true
  }

  /** The jobs of a filter that an act changes, as it leaves them; the oldest gets a key that several want. */
  actOnMany(
    act: 'cancel' | 'requeue' | 'delete',
    { status, tenantId }: { readonly status: JobStatus | undefined; readonly tenantId: string },
  ): ModelJob[] {
    const found = this.jobs
      .filter((job) => job.tenant === tenantId && (status === undefined || job.status === status))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    if (act === 'requeue') return found.filter((job) => this.requeue(job, 'kept'))
    if (act === 'cancel') {
      return found.filter((job) => !job.cancelRequested && this.cancel(job) !== 'already_terminal')
    }
    const gone = found.filter((job) => job.status !== 'running')
    this.jobs = this.jobs.filter((job) => !gone.includes(job))
    return gone
  }

  /** Whether the job could be changed: it has to wait. */
  edit(job: ModelJob, priority: number): boolean {
    if (!isIn(job, 'claim')) return false
    job.priority = priority
    return true
  }

  /** The jobs that a recovery must take, as it leaves them. */
  recover(): ModelJob[] {
    const orphans = this.jobs.filter((job) => job.owner !== null && !this.activeWorkers.includes(job.owner))
    for (const job of orphans) {
      job.executions.set(job.token, job.cancelRequested ? 'cancelled' : 'lost')
      job.crashes += 1
      job.due = false
      leave(job, 'recover', endOf(job, 'fail'))
    }
    return orphans
  }

  /** The retention of all that has ended is over: of jobs, and of keys too unless they are known for longer. */
  prune(keysAreKnown: boolean): { pruned: number; stripped: number } {
    const past = this.jobs.filter((job) => isTerminal(job.status))
    const kept = past.filter((job) => keysAreKnown && isCallersKey(job.key))
    const stripped = kept.filter((job) => !job.isReceipt)
    for (const job of stripped) {
      Object.assign(job, { isReceipt: true, hasDeadLetter: false })
      job.executions.clear()
    }
    const gone = past.filter((job) => !kept.includes(job))
    for (const job of gone) this.jobs.splice(this.jobs.indexOf(job), 1)
    return { pruned: gone.length, stripped: stripped.length }
  }

  makeDue(): void {
    for (const job of this.jobs) if (isIn(job, 'claim')) job.due = true
  }
}

/** Those of the runs of schedules are nobody's. */
function isCallersKey(key: string | null): boolean {
  return key !== null && !key.startsWith('schedule:')
}

function isExpired(job: ModelJob): boolean {
  return job.status === 'queued' && job.expiry === 'past'
}

function holdsKey(job: ModelJob): boolean {
  return job.unique?.scope === 'live' ? !isTerminal(job.status) : job.status === 'queued' && job.token === 0
}

function isIn(job: ModelJob, transition: Transition): boolean {
  return (transitions[transition].from as readonly JobStatus[]).includes(job.status)
}

/** A step of the model that the table of transitions does not have is a mistake of the model, or of the table. */
function enter(job: ModelJob, transition: Transition, to: JobStatus): void {
  if (!isIn(job, transition) || !(transitions[transition].to as readonly JobStatus[]).includes(to)) {
    throw new Error(`${transition} does not lead from ${job.status} to ${to}`)
  }
  job.status = to
}

function leave(job: ModelJob, transition: Transition, to: JobStatus): void {
  enter(job, transition, to)
  job.owner = null
  if (to === 'failed_permanent') job.hasDeadLetter = true
}

function endOf(job: ModelJob, ending: Ending): JobStatus {
  if (ending === 'succeed') return 'succeeded'
  if (job.cancelRequested || ending === 'cancelObserved') return 'cancelled'
  if (ending === 'dead_letter' || (ending === 'fail' && job.attempts >= job.maxAttempts))
    return 'failed_permanent'
  return ending === 'returnUnstarted' && job.attempts === 1 ? 'queued' : 'retrying'
}

/** A write whose first reply was lost is told so; another end than the recorded one is not. */
function wasRecorded(job: ModelJob, token: number, ending: Ending): boolean {
  const recorded = job.executions.get(token)
  const { outcome } = acts[ending]
  if (recorded === undefined || outcome === null) return false
  return recorded === outcome || (recorded === 'cancelled' && ending !== 'succeed')
}
