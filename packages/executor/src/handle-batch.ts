import { InvalidInput, type JobDefinition, limits } from '@queue/core'
import type { z } from 'zod'
import { abortedOutcome } from './attempt-aborted.ts'
import type { ExecutionContext } from './execution-context.ts'
import type { HandledJob, Handler } from './handler.ts'
import { inputIssues } from './input-issues.ts'
import { failed, isOutcome, type Outcome, succeeded } from './outcome.ts'
import { thrownOutcome } from './thrown-outcome.ts'

export interface BatchOptions {
  /** Jobs of one call at most, 1 to 1 000. Each takes a slot of its queue, so there must be as many. */
  readonly size: number
  /** Milliseconds that the first job of a call waits for others, 0 to 60 000. */
  readonly waitMs: number
}

/** What a batch has of the context of one of its jobs. There is no transaction: one belongs to one attempt. */
export type BatchedJobContext = Omit<ExecutionContext<never>, 'transaction'>

/** One job of a call. Its own signal aborts when it alone is cancelled, has timed out, or has lost its lease. */
export type BatchedJob<Payload extends z.ZodType = z.ZodType> = HandledJob<Payload> & {
  readonly ctx: BatchedJobContext
}

/** The `ctx` of a call. */
export interface BatchContext {
  /** Aborts once every job of the call that has not ended is aborted: there is nothing left to do then. */
  readonly signal: AbortSignal
  /**
   * Ends one job at once, while the call goes on with the others: with an outcome, an error, or a result. The first outcome of
   * a job counts. Throws an error for a job of another call.
   */
  end(job: { readonly id: string }, outcome: unknown): void
}

/**
 * The work of a call. It gives an outcome for each job that it has not ended by `ctx.end`: an array in the order of the jobs, or
 * a map by id. Each is an `Outcome`, an error (`PermanentFailure`, `RetryAfter` and `Snooze` are understood), or a result; null is
 * the empty one. A job without an outcome fails. What it throws fails all that have none.
 */
export type BatchFunction<Payload extends z.ZodType = z.ZodType> = (
  jobs: readonly BatchedJob<Payload>[],
  ctx: BatchContext,
) => BatchOutcomes | Promise<BatchOutcomes>

// biome-ignore lint/suspicious/noConfusingVoidType: a function that ends every job by ctx.end returns nothing.
export type BatchOutcomes = readonly unknown[] | ReadonlyMap<string, unknown> | undefined | void

/**
 * Binds `work` to `definition` for many jobs at once: up to `size` of them, or those that have come `waitMs` after the first. Each
 * job stays an attempt of its own, with its lease, its timeout, which runs from its claim, and its outcome.
 */
export function handleBatch<Payload extends z.ZodType>(
  definition: JobDefinition<string, Payload>,
  options: BatchOptions,
  work: BatchFunction<Payload>,
): Handler<never> {
  assertOptions(options)
  let gathering: Batch<Payload> | undefined
  return {
    definition,
    batchSize: options.size,
    run: (ctx, job) => {
      if (ctx.aborted) return Promise.resolve(abortedOutcome(ctx.signal))
      const parsed = definition.payload.safeParse(job.payload)
      if (!parsed.success) {
        const fault = new InvalidInput('invalid_job', inputIssues(parsed.error, ['payload']))
        return Promise.resolve(failed(fault, { permanent: true }))
      }
      if (gathering === undefined || gathering.hasBegun) gathering = new Batch(options, work)
      return gathering.add({ ...job, payload: parsed.data, ctx }, ctx)
    },
  }
}

function assertOptions({ size, waitMs }: BatchOptions): void {
  const issues = [
    ...outside('size', size, [1, limits.batchSizeMax]),
    ...outside('waitMs', waitMs, [0, limits.batchWaitMsMax]),
  ]
  if (issues.length > 0) throw new InvalidInput('invalid_options', issues)
}

function outside(name: string, value: number, [min, max]: readonly [number, number]) {
  if (Number.isInteger(value) && value >= min && value <= max) return []
  return [{ path: [name], message: `must be a whole number from ${min} to ${max}` }]
}

/** One job of a call, until it has its outcome. */
interface Member<Payload extends z.ZodType> {
  readonly job: BatchedJob<Payload>
  readonly signal: AbortSignal
  readonly resolve: (outcome: Outcome) => void
  readonly onAbort: () => void
}

/** The jobs of one call: they gather, the call begins, and each ends. */
class Batch<Payload extends z.ZodType> {
  hasBegun = false
  readonly #options: BatchOptions
  readonly #work: BatchFunction<Payload>
  /** Those that have no outcome yet, in the order in which they came. */
  readonly #members = new Map<string, Member<Payload>>()
  readonly #abortion = new AbortController()
  #timer: NodeJS.Timeout | undefined

  constructor(options: BatchOptions, work: BatchFunction<Payload>) {
    this.#options = options
    this.#work = work
  }

  add(job: BatchedJob<Payload>, { signal }: Pick<ExecutionContext, 'signal'>): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const onAbort = (): void => this.#aborted(job.id)
    signal.addEventListener('abort', onAbort)
    this.#members.set(job.id, { job, signal, resolve, onAbort })
    if (this.#members.size >= this.#options.size) this.#begin()
    else this.#timer ??= setTimeout(() => this.#begin(), this.#options.waitMs)
    return promise
  }

  #begin(): void {
    clearTimeout(this.#timer)
    if (this.hasBegun) return
    this.hasBegun = true
    if (this.#members.size > 0) void this.#call()
  }

  /** A job that waits ends at once; one of a call that has begun is told by its signal, and the call decides. */
  #aborted(id: string): void {
    const member = this.#members.get(id)
    if (member === undefined) return
    if (!this.hasBegun) this.#end(member, abortedOutcome(member.signal))
    else this.#abortIfNothingIsLeft()
  }

  #abortIfNothingIsLeft(): void {
    const left = [...this.#members.values()]
    const [first] = left
    if (first !== undefined && left.every(({ signal }) => signal.aborted))
      this.#abortion.abort(first.signal.reason)
  }

  async #call(): Promise<void> {
    const jobs = [...this.#members.values()].map(({ job }) => job)
    const ids = new Set(jobs.map(({ id }) => id))
    const end: BatchContext['end'] = ({ id }, outcome) => {
      if (!ids.has(id)) throw new Error(`the job ${id} is not in this batch`)
      const member = this.#members.get(id)
      if (member !== undefined) this.#end(member, outcomeOf(outcome, member))
    }
    try {
      const outcomes = await this.#work(jobs, { signal: this.#abortion.signal, end })
      const given = givenOutcomes(outcomes, jobs)
      for (const member of this.#members.values())
        this.#end(member, outcomeOf(given.get(member.job.id), member))
    } catch (thrown) {
      for (const member of this.#members.values()) this.#end(member, thrownOutcome(thrown, member.signal))
    }
  }

  #end(member: Member<Payload>, outcome: Outcome): void {
    this.#members.delete(member.job.id)
    member.signal.removeEventListener('abort', member.onAbort)
    member.resolve(outcome)
    if (this.hasBegun) this.#abortIfNothingIsLeft()
  }
}

function givenOutcomes(
  outcomes: BatchOutcomes,
  jobs: readonly { readonly id: string }[],
): ReadonlyMap<string, unknown> {
  if (outcomes instanceof Map) return outcomes
  if (outcomes === undefined) return new Map()
  if (!Array.isArray(outcomes)) throw new TypeError('the outcomes of a batch must be an array or a map by id')
  if (outcomes.length > jobs.length) {
    throw new TypeError(`the batch gave ${outcomes.length} outcomes for ${jobs.length} jobs`)
  }
  return new Map(jobs.map(({ id }, index) => [id, outcomes[index] as unknown]))
}

/** Never throws: a result that cannot be stored fails its job alone. */
function outcomeOf(given: unknown, { signal }: Pick<Member<z.ZodType>, 'signal'>): Outcome {
  if (given === undefined) return failed(new Error(missing))
  if (isOutcome(given)) return given
  if (given instanceof Error) return thrownOutcome(given, signal)
  try {
    return succeeded(given)
  } catch (error) {
    return failed(error)
  }
}

const missing =
  'the batch gave no outcome for this job: return one for each job, in their order, or call ctx.end; null is the empty result'
