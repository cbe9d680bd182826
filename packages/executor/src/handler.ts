import type { JobDefinition } from '@queue/core'
import { assertArguments, callback } from '@queue/loop/arguments'
import {
  type ClaimedJob,
  kindRule,
  parsePayload,
  type PgConnection,
  versionedKind,
} from '@queue/core/internal'
import type { z } from 'zod'
import { abortedOutcome } from './attempt-aborted.ts'
import type { ExecutionContext } from './execution-context.ts'
import { unknownKind } from './executor.ts'
import { failed, isOutcome, type Outcome, payloadRefused, succeeded } from './outcome.ts'
import { thrownOutcome } from './thrown-outcome.ts'

/** A claimed job whose payload its definition has parsed, with upgrades, defaults and transforms applied. */
export type HandledJob<Payload extends z.ZodType = z.ZodType> = Omit<ClaimedJob, 'payload'> & {
  readonly payload: z.output<Payload>
}

/**
 * The work of one kind. Its return value is the job's result (undefined becomes null), unless it is an `Outcome`. An error that
 * it throws fails the attempt; `PermanentFailure`, `RetryAfter` and `Snooze` have their special meanings.
 */
export type HandlerFunction<Payload extends z.ZodType = z.ZodType, Tx = PgConnection> = (
  job: HandledJob<Payload>,
  ctx: ExecutionContext<Tx>,
) => unknown

/** A definition bound to its work, for `HandlerExecutor`. */
export interface Handler<Tx = PgConnection> {
  readonly definition: JobDefinition
  /** How many jobs it takes at once, each in its own slot; absent: one. */
  readonly batchSize?: number
  /** Runs one attempt. Never rejects. */
  run(ctx: ExecutionContext<Tx>, job: ClaimedJob): Promise<Outcome>
}

/**
 * The job as its handler gets it, or the outcome of an attempt whose payload no handler can get. Throws what a transform or an
 * upgrade throws.
 */
export function handledJob<Payload extends z.ZodType>(
  definition: JobDefinition<string, Payload>,
  job: ClaimedJob,
  ctx: Pick<ExecutionContext, 'hiddenValues'>,
): HandledJob<Payload> | Outcome {
  const parsed = parsePayload(definition, job)
  // Another worker may know the version, so the failure is not permanent.
  if (parsed === undefined) return failed(unknownKind(versionedKind(job.kind, job.kindVersion)))
  if (!parsed.success) return payloadRefused(parsed.error)
  ctx.hiddenValues?.addParsed(parsed.data)
  return { ...job, payload: parsed.data }
}

/** Binds `work` to `definition`. The schema of the definition determines the type of the payload that `work` gets. */
export function handle<Payload extends z.ZodType, Tx = PgConnection>(
  definition: JobDefinition<string, Payload>,
  work: HandlerFunction<Payload, Tx>,
): Handler<Tx> {
  assertArguments('handle', { definition: kindRule, work: callback }, [definition, work])
  return {
    definition,
    async run(ctx, job) {
      if (ctx.aborted) return abortedOutcome(ctx.signal)
      try {
        const handled = handledJob(definition, job, ctx)
        if (isOutcome(handled)) return handled
        const returned: unknown = await work(handled, ctx)
        return isOutcome(returned) ? returned : succeeded(returned)
      } catch (thrown) {
        return thrownOutcome(thrown, ctx.signal)
      }
    },
  }
}
