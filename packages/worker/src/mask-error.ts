import { createMasker } from '@queue/core/fields'
import type { UnbegunJob } from '@queue/core/runtime'

/** What a definition says of its kind; null: nothing, and its errors are logged as they are. */
type Sensitive = readonly string[] | null | undefined

/** The error of an attempt as the log shows it: without the values that the job's kind calls sensitive. */
export function maskError(error: unknown, { payload }: UnbegunJob, sensitive: Sensitive): unknown {
  if (sensitive === null || sensitive === undefined || payload === undefined) return error
  return sensitive.length === 0 ? error : masked(error, createMasker(payload, sensitive).text)
}

function masked(error: unknown, hide: (text: string) => string): unknown {
  if (typeof error === 'string') return hide(error)
  if (!(error instanceof Error)) return error
  const options = error.cause === undefined ? undefined : { cause: masked(error.cause, hide) }
  const shown = new Error(hide(error.message), options)
  shown.name = error.name
  shown.stack = hide(error.stack ?? '')
  return shown
}
