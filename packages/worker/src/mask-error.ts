import { createMasker } from '@queue/core/fields'
import type { UnbegunJob } from '@queue/core/runtime'

/** The sensitive paths in a kind's definition; null or undefined: none are declared, and errors are logged unchanged. */
type SensitivePaths = readonly string[] | null | undefined

/** The error of an attempt as the log shows it, without the payload values that the job's kind declares as sensitive. */
export function maskError(error: unknown, { payload }: UnbegunJob, sensitive: SensitivePaths): unknown {
  if (sensitive === null || sensitive === undefined || payload === undefined) return error
  return sensitive.length === 0 ? error : maskTexts(error, createMasker(payload, sensitive).text)
}

function maskTexts(error: unknown, mask: (text: string) => string): unknown {
  if (typeof error === 'string') return mask(error)
  if (!(error instanceof Error)) return error
  const options = error.cause === undefined ? undefined : { cause: maskTexts(error.cause, mask) }
  const masked = new Error(mask(error.message), options)
  masked.name = error.name
  masked.stack = mask(error.stack ?? '')
  return masked
}
