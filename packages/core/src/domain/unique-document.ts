// A unique key as a document from outside has it.
import { z } from 'zod'
import { uniqueFaults, uniqueFields, type UniqueOptions } from './unique.ts'

const wireNames = { windowMs: 'window_ms', maxWaitMs: 'max_wait_ms', onConflict: 'on_conflict' } as const

/** The request that makes a job unique within its kind and tenant. */
export const uniqueDocument = z
  .strictObject({
    key: uniqueFields.key.meta({
      description: 'The unique key. One job of the kind and tenant holds it at a time. It is never hidden.',
    }),
    scope: uniqueFields.scope.meta({
      description:
        'How long the job holds the key. `waiting`: until its first claim. `live`: until it has ended. `window`: for ' +
        'window_ms.',
    }),
    window_ms: uniqueFields.windowMs.optional().meta({
      description:
        'How long the key is held, in milliseconds from the enqueue. Required with the scope `window`, and not allowed ' +
        'otherwise.',
    }),
    max_wait_ms: uniqueFields.maxWaitMs.optional().meta({
      description:
        'With `reschedule`: the latest start, in milliseconds from the enqueue of the job that holds the key.',
    }),
    on_conflict: uniqueFields.onConflict.optional().meta({
      description:
        'What happens if another job holds the key. `return` (default): the response contains that job. `refuse`: the ' +
        'request fails with 409. `replace`: that job gets this payload and these options. `reschedule`: that job gets ' +
        'this start. The last two need the scope `waiting`.',
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

/** Decodes the request to the names of `@queue/core`. */
export function decodeUnique(unique: WireUnique): UniqueOptions {
  return {
    key: unique.key,
    scope: unique.scope,
    windowMs: unique.window_ms,
    maxWaitMs: unique.max_wait_ms,
    onConflict: unique.on_conflict,
  }
}
