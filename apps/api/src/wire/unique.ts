import type { Schedule } from '@queue/core'
import { uniqueFaults, uniqueFields, type UniqueOptions } from '@queue/core/fields'
import { z } from 'zod'

const wireNames = { windowMs: 'window_ms', maxWaitMs: 'max_wait_ms', onConflict: 'on_conflict' } as const

/** That a job shall be the only one of its kind and tenant under a key, as a client sends it. */
export const uniqueSchema = z
  .strictObject({
    key: uniqueFields.key.meta({ description: 'One job of the kind and tenant holds it at a time.' }),
    scope: uniqueFields.scope.meta({
      description:
        'waiting: held until the first claim. live: until the job has ended. window: for window_ms.',
    }),
    window_ms: uniqueFields.windowMs.optional().meta({
      description:
        'Milliseconds from the enqueue for which the key is held. With the scope window, and there alone.',
    }),
    max_wait_ms: uniqueFields.maxWaitMs.optional().meta({
      description:
        'With reschedule: the start moves at most so far from the enqueue of the job that holds the key.',
    }),
    on_conflict: uniqueFields.onConflict.optional().meta({
      description:
        'return (default): the answer is the job that holds the key. refuse: 409. With the scope waiting also replace, ' +
        'which gives the waiting job this payload and these options, and reschedule, which gives it this start.',
    }),
  })
  .superRefine((unique, context) => {
    for (const { field, message } of uniqueFaults(decodeUnique(unique))) {
      context.addIssue({ code: 'custom', path: [wireNames[field]], message })
    }
  })
  .meta({ id: 'Unique' })

interface WireUnique {
  readonly key: string
  readonly scope: UniqueOptions['scope']
  readonly window_ms?: number | undefined
  readonly max_wait_ms?: number | undefined
  readonly on_conflict?: UniqueOptions['onConflict']
}

/** The same in the names of `@queue/core`. */
export function decodeUnique(unique: WireUnique): UniqueOptions {
  return {
    key: unique.key,
    scope: unique.scope,
    windowMs: unique.window_ms,
    maxWaitMs: unique.max_wait_ms,
    onConflict: unique.on_conflict,
  }
}

/** That of the jobs of a schedule, as it is shown. */
export const scheduleUniqueSchema = z
  .object({
    key: uniqueFields.key,
    scope: uniqueFields.scope,
    window_ms: uniqueFields.windowMs.nullable(),
    max_wait_ms: uniqueFields.maxWaitMs.nullable(),
    on_conflict: uniqueFields.onConflict,
  })
  .nullable()
  .meta({ id: 'ScheduleUnique', description: 'Under which key its jobs are unique; null: under none.' })

export function encodeUnique(unique: Schedule['options']['unique']): z.output<typeof scheduleUniqueSchema> {
  if (unique === null) return null
  const { key, scope, windowMs, maxWaitMs, onConflict } = unique
  return { key, scope, window_ms: windowMs, max_wait_ms: maxWaitMs, on_conflict: onConflict }
}
