import { InvalidInput, type JobDefinition, limits, QueueError } from '@queue/core'
import { kindRule } from '@queue/core/internal'
import { assertArguments, assertKnownOptions, object, callback } from '@queue/loop/arguments'
import type { z } from 'zod'
import { abortedOutcome } from './attempt-aborted.ts'
import type { ExecutionContext } from './execution-context.ts'
import { type HandledJob, handledJob, type Handler } from './handler.ts'
import { failed, isOutcome, type Outcome, succeeded } from './outcome.ts'
import { thrownOutcome } from './thrown-outcome.ts'

export interface BatchOptions {
  /** The most jobs in one call, 1 to 1 000. Each takes a slot of its queue, so the queue must have as many. */
  readonly size: number
  /** Milliseconds that the first job of a call waits for others, 0 to 60 000. */
  readonly waitMs: number
}

/** The context of one job in a batch. It has no transaction, because a transaction belongs to a single attempt. */
export type BatchedJobContext = Omit<ExecutionContext<never>, 'transaction'>

/** One job of a call. The signal in its own context aborts when this job is cancelled, times out, or loses its lease. */
export type BatchedJob<Payload extends z.ZodType = z.ZodType> = HandledJob<Payload> & {
  readonly ctx: BatchedJobContext
}

/** The `ctx` of a call. */
export interface BatchContext {
  /** Aborts once every unfinished job of the call is aborted, because nothing is then left to do. */
  readonly signal: AbortSignal
  /**
   * Ends one job at once, with an outcome, an error, or a result, while the call continues with the others. The first outcome
   * of a job counts. Throws for a job of another call.
   */
  end(job: { readonly id: string }, outcome: unknown): void
}

/**
 * The work of a call. It returns an outcome for each job that it has not ended with `ctx.end`: an array in the order of the jobs,
 * or a map by id. Each outcome is an `Outcome`, an error (including `PermanentFailure`, `RetryAfter` and `Snooze`), or a result;
 * null is the empty result. A job without an outcome fails. If the function throws, all jobs without an outcome fail.
 */
export type BatchFunction<Payload extends z.ZodType = z.ZodType> = (
  jobs: readonly BatchedJob<Payload>[],
  ctx: BatchContext,
) => BatchOutcomes | Promise<BatchOutcomes>

// biome-ignore lint/suspicious/noConfusingVoidType: a function that ends every job with ctx.end returns nothing.
export type BatchOutcomes = readonly unknown[] | ReadonlyMap<string, unknown> | undefined | void

/**
 * Binds `work` to `definition` for many jobs at once. A call begins with `size` jobs, or `waitMs` after the first job with those
 * that have come by then. Each job remains an attempt of its own, with its own lease, outcome and timeout, which runs from its
 * claim.
 */
export function handleBatch<Payload extends z.ZodType>(
  definition: JobDefinition<string, Payload>,
  options: BatchOptions,
  work: BatchFunction<Payload>,
): Handler<never> {
  assertArguments('handleBatch', batchParameters, [definition, options, work])
  assertKnownOptions('handleBatch', options, { size: true, waitMs: true })
  assertOptions(options)
  let gathering: Batch<Payload> | undefined
  return {
    definition,
    batchSize: options.size,
    run: async (ctx, job) => {
      if (ctx.aborted) return abortedOutcome(ctx.signal)
      try {
        const handled = handledJob(definition, job, ctx)
        if (isOutcome(handled)) return handled
        if (gathering === undefined || gathering.hasBegun) gathering = new Batch(options, work)
        return await gathering.add({ ...handled, ctx }, ctx)
      } catch (thrown) {
        return thrownOutcome(thrown, ctx.signal)
      }
    },
  }
}

const batchParameters = { definition: kindRule, options: object, work: callback }

function assertOptions({ size, waitMs }: BatchOptions): void {
  const issues = [
    ...rangeIssues('size', size, [1, limits.batchSizeMax]),
    ...rangeIssues('waitMs', waitMs, [0, limits.batchWaitMsMax]),
  ]
  if (issues.length > 0) throw new InvalidInput('invalid_options', issues)
}

function rangeIssues(name: string, value: number, [min, max]: readonly [number, number]) {
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

/** The jobs of one call. They gather, then the call begins, then each job ends. */
class Batch<Payload extends z.ZodType> {
  hasBegun = false
  readonly #options: BatchOptions
  readonly #work: BatchFunction<Payload>
  /** The jobs without an outcome, by id, in the order in which they came. */
  readonly #members = new Map<string, Member<Payload>>()
  readonly #controller = new AbortController()
  #timer: NodeJS.Timeout | undefined

  constructor(options: BatchOptions, work: BatchFunction<Payload>) {
    this.#options = options
    this.#work = work
  }

  add(job: BatchedJob<Payload>, { signal }: Pick<ExecutionContext, 'signal'>): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const onAbort = (): void => this.#handleAbort(job.id)
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

  /** Before the call has begun, an aborted job ends at once. Afterwards its signal informs the call, which decides. */
  #handleAbort(id: string): void {
    const member = this.#members.get(id)
    if (member === undefined) return
    if (!this.hasBegun) this.#end(member, abortedOutcome(member.signal))
    else this.#abortIfNothingIsLeft()
  }

  #abortIfNothingIsLeft(): void {
    const unfinished = [...this.#members.values()]
    const [first] = unfinished
    if (first !== undefined && unfinished.every(({ signal }) => signal.aborted))
      this.#controller.abort(first.signal.reason)
  }

  async #call(): Promise<void> {
    const jobs = [...this.#members.values()].map(({ job }) => job)
    const ids = new Set(jobs.map(({ id }) => id))
    hideTogether(jobs.map(({ ctx }) => ctx))
    const end: BatchContext['end'] = ({ id }, outcome) => {
      if (!ids.has(id))
        throw new QueueError('invalid_options', `the job ${id} is not in this batch: end only its own jobs`)
      const member = this.#members.get(id)
      if (member !== undefined) this.#end(member, outcomeOf(outcome, member))
    }
    try {
      const returned = await this.#work(jobs, { signal: this.#controller.signal, end })
      const outcomes = outcomesById(returned, jobs)
      for (const member of this.#members.values())
        this.#end(member, outcomeOf(outcomes.get(member.job.id), member))
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

/** One text may contain the values of every job of the call, so each attempt hides those of all. */
function hideTogether(contexts: readonly BatchedJobContext[]): void {
  const shared = contexts.find(({ hiddenValues }) => hiddenValues !== undefined)?.hiddenValues
  if (shared === undefined) return
  for (const context of contexts) {
    if (context.hiddenValues !== undefined) shared.addOther(context.hiddenValues)
    context.hiddenValues = shared
  }
}

function outcomesById(
  outcomes: BatchOutcomes,
  jobs: readonly { readonly id: string }[],
): ReadonlyMap<string, unknown> {
  if (outcomes instanceof Map) return outcomes
  if (outcomes === undefined) return new Map()
  if (!Array.isArray(outcomes)) throw new TypeError('the outcomes of a batch must be an array or a map by id')
  if (outcomes.length > jobs.length) {
    throw new TypeError(`the batch returned ${outcomes.length} outcomes for ${jobs.length} jobs`)
  }
  return new Map(jobs.map(({ id }, index) => [id, outcomes[index] as unknown]))
}

/** The outcome of one job. Never throws. */
function outcomeOf(returned: unknown, { signal }: Pick<Member<z.ZodType>, 'signal'>): Outcome {
  if (returned === undefined) return failed(new Error(missingOutcome))
  if (isOutcome(returned)) return returned
  return returned instanceof Error ? thrownOutcome(returned, signal) : succeeded(returned)
}

const missingOutcome =
  'the batch returned no outcome for this job: return one for each job, in the order of the jobs, or call ctx.end; null is the empty result'
