import type { ExecutionOutcome, JobStatus, Lease } from '../../src/domain/job.ts'
import { isTerminal, type Transition, transitions } from '../../src/domain/transitions.ts'
import type { ModelSchedule } from './schedule-model.ts'

/** A job of the model: what the contract says of it, and nothing about how it is stored. */
export interface ModelJob {
  readonly id: string
  readonly key: string | null
  readonly tenant: string | null
  unique: { readonly key: string; readonly scope: 'waiting' | 'live' } | null
  priority: number
  readonly maxAttempts: number
  /** The version of its kind. */
  readonly version: number
  status: JobStatus
  attempts: number
  token: number
  crashes: number
  cancelRequested: boolean
  owner: string | null
  due: boolean
  /** `none`, or `later` for an expiry that still counts or will count again; `past` once it has passed. */
  expiry: 'none' | 'later' | 'past'
  hasDeadLetter: boolean
  /** Whether only its key remains. */
  isReceipt: boolean
  readonly executions: Map<number, ExecutionOutcome>
}

/** An entry of the audit log, without what the model does not decide. */
export interface ModelEntry {
  readonly act: string
  readonly tenant: string
  /** 0 where a cancel of the job was requested already. */
  readonly count: number
  readonly jobId: string
}

/** A rate with a burst of 5 that refills almost nothing during a test. */
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

/** For each ending: its name in the table of transitions, the outcome in the history, and whether the attempt is charged. */
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

/** The fingerprint of each way to fail. */
export const failureCauses = { fail: '0000000000000001', dead_letter: '0000000000000002' } as const

/** The count of one cause, by its group, its days and their hours: three times the same number. */
export interface CountedFailures {
  readonly tenant: string
  readonly fingerprint: string
  readonly count: number
  readonly dayCount: number
  readonly hourCount: number
}

/** The queue in memory, as sections 2 to 7 of the contract describe it. Time passes only on demand. */
export class Model {
  jobs: ModelJob[] = []
  readonly leases: Lease[] = []
  readonly activeWorkers: string[] = []
  readonly entries: ModelEntry[] = []
  /** The tokens in the bucket of a key; undefined before its first request. */
  bucket: number | undefined
  readonly schedules: ModelSchedule[] = []
  /** The number of failures by tenant and cause. */
  readonly failures = new Map<string, number>()
  readonly startedMs = Date.now()

  enqueue(
    job: Pick<
      ModelJob,
      'id' | 'key' | 'unique' | 'tenant' | 'priority' | 'maxAttempts' | 'version' | 'expiry'
    >,
  ): void {
    const queued = { status: 'queued', attempts: 0, token: 0, crashes: 0, cancelRequested: false } as const
    const idle = { owner: null, due: true, hasDeadLetter: false, isReceipt: false } as const
    this.jobs.push({ ...job, ...queued, ...idle, executions: new Map() })
  }

  /** Keys are unique within a tenant, and among the jobs without one. */
  findByKey(key: string | null, tenant: string | null): ModelJob | undefined {
    return key === null ? undefined : this.jobs.find((job) => job.key === key && job.tenant === tenant)
  }

  /** Whether a caller bound to this tenant may see the job; a caller without a tenant sees all. */
  isShownTo(tenant: string | null, job: ModelJob): boolean {
    return tenant === null || job.tenant === tenant
  }

  /** How many of `wanted` requests a key is granted when it also returns `returned` of an earlier grant. */
  takeRequests(wanted: number, returned: number): number {
    const level =
      this.bucket === undefined ? modelRate.burst : Math.min(modelRate.burst, this.bucket + returned)
    const granted = Math.min(wanted, level)
    this.bucket = level - granted
    return granted
  }

  /** Refills the bucket as if the time for `count` requests had passed. */
  refill(count: number): void {
    if (this.bucket !== undefined) this.bucket = Math.min(modelRate.burst, this.bucket + count)
  }

  /** The job that holds a unique key. */
  holderOf(unique: ModelJob['unique'], tenant: string | null): ModelJob | undefined {
    return this.jobs.find(
      (job) => unique !== null && job.unique?.key === unique.key && job.tenant === tenant && holdsKey(job),
    )
  }

  /** The jobs that a worker with these versions may claim. Jobs of other versions wait, without an attempt. */
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

  /** Ends the attempt; returns the answer that the holder of `lease` must get. */
  complete(lease: Lease, ending: Ending): { outcome: 'finished' | 'lease_lost'; status: JobStatus | null } {
    const job = this.jobs.find((candidate) => candidate.id === lease.jobId)
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
    // Its attempt has started, and only the missing expiry shows that.
    if (ending === 'snooze' || ending === 'release') job.expiry = 'none'
    // A failure without attempts left is `dead_letter` in the table of transitions.
    leave(job, next === 'failed_permanent' ? 'dead_letter' : transition, next)
    job.due = ending === 'release' || ending === 'returnUnstarted'
    return { outcome: 'finished', status: job.status }
  }

  countedFailures(): CountedFailures[] {
    const sorted = [...this.failures].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([cause, count]) => {
      const [tenant = '', fingerprint = ''] = cause.split(' ')
      return { tenant, fingerprint, count, dayCount: count, hourCount: count }
    })
  }

  cancel(job: ModelJob): 'cancelled' | 'requested' | 'already_terminal' {
    if (isTerminal(job.status)) return 'already_terminal'
    job.cancelRequested = true
    if (job.status === 'running') return 'requested'
    enter(job, 'cancel', 'cancelled')
    return 'cancelled'
  }

  /** Cancels the jobs that have not started by their expiry. */
  expire(): ModelJob[] {
    const expired = this.jobs.filter(isExpired)
    for (const job of expired) enter(job, 'expire', 'cancelled')
    return expired
  }

  passExpiries(): void {
    for (const job of this.jobs) if (job.expiry === 'later') job.expiry = 'past'
  }

  /** Requeues the job if that is allowed: with a new expiry, or if its expiry has not passed. */
  requeue(job: ModelJob, expiry: 'kept' | 'new'): boolean {
    if (!isIn(job, 'requeue') || job.isReceipt || (expiry === 'kept' && job.expiry === 'past')) return false
    if (job.unique?.scope === 'live' && this.holderOf(job.unique, job.tenant) !== undefined) return false
    if (job.unique?.scope === 'waiting') job.unique = null
    if (expiry === 'new') job.expiry = 'later'
    enter(job, 'requeue', 'queued')
    Object.assign(job, { attempts: 0, cancelRequested: false, due: true, hasDeadLetter: false })
    return true
  }

  /** Acts on the jobs of a filter and returns those that change. The oldest gets a key that several want. */
  actOnMany(
    act: 'cancel' | 'requeue' | 'delete',
    { status, tenantId }: { readonly status?: JobStatus; readonly tenantId: string },
  ): ModelJob[] {
    const matching = this.jobs
      .filter((job) => job.tenant === tenantId && (status === undefined || job.status === status))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    if (act === 'requeue') return matching.filter((job) => this.requeue(job, 'kept'))
    if (act === 'cancel') {
      return matching.filter((job) => !job.cancelRequested && this.cancel(job) !== 'already_terminal')
    }
    const removed = matching.filter((job) => job.status !== 'running')
    this.jobs = this.jobs.filter((job) => !removed.includes(job))
    return removed
  }

  /** Changes the priority of a waiting job; false if the job does not wait, or never starts because its expiry is past. */
  edit(job: ModelJob, priority: number): boolean {
    if (!isIn(job, 'claim') || isExpired(job)) return false
    job.priority = priority
    return true
  }

  /** Recovers the jobs that a recovery must take, and returns them. */
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

  /** Prunes every ended job. Callers' keys are kept as receipts if `keysAreKnown`. */
  prune(keysAreKnown: boolean): { pruned: number; stripped: number } {
    const ended = this.jobs.filter((job) => isTerminal(job.status))
    const receipts = ended.filter((job) => keysAreKnown && isCallersKey(job.key))
    const stripped = receipts.filter((job) => !job.isReceipt)
    for (const job of stripped) {
      Object.assign(job, { isReceipt: true, hasDeadLetter: false })
      job.executions.clear()
    }
    const removed = ended.filter((job) => !receipts.includes(job))
    for (const job of removed) this.jobs.splice(this.jobs.indexOf(job), 1)
    return { pruned: removed.length, stripped: stripped.length }
  }

  makeDue(): void {
    for (const job of this.jobs) if (isIn(job, 'claim')) job.due = true
  }
}

/** Whether a caller gave the key; keys of the runs of schedules are not. */
function isCallersKey(key: string | null): boolean {
  return key !== null && !key.startsWith('schedule:')
}

function isExpired(job: ModelJob): boolean {
  return job.status === 'queued' && job.expiry === 'past'
}

/** A job that has expired before its start holds its key no longer, although its end is not written yet. */
function holdsKey(job: ModelJob): boolean {
  if (isExpired(job)) return false
  return job.unique?.scope === 'live' ? !isTerminal(job.status) : job.status === 'queued' && job.token === 0
}

function isIn(job: ModelJob, transition: Transition): boolean {
  return (transitions[transition].from as readonly JobStatus[]).includes(job.status)
}

/** Changes the state. A step that the table of transitions does not have is a fault of the model or of the table. */
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

/** Whether this end was recorded already: then the write, sent again after a lost reply, counts as finished. */
function wasRecorded(job: ModelJob, token: number, ending: Ending): boolean {
  const recorded = job.executions.get(token)
  const { outcome } = acts[ending]
  if (recorded === undefined || outcome === null) return false
  return recorded === outcome || (recorded === 'cancelled' && ending !== 'succeed')
}
