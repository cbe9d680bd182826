import { z } from 'zod'
import { instantMsMax } from '../http/limits.ts'

/** An instant that a client sends: ISO 8601 with Z or an offset, from 1970 to the end of year 9999. */
export const instantInput = z.iso
  .datetime({ offset: true, error: 'must be an instant in ISO 8601 with Z or an offset' })
  .transform((text) => new Date(text))
  .refine((instant) => instant.getTime() >= 0 && instant.getTime() <= instantMsMax, {
    error: 'must lie in the years 1970 to 9999',
  })

/** An instant as we send it: ISO 8601 in UTC, to the millisecond. */
export const instantOutput = z.iso.datetime()

/**
 * Any JSON value, null included; present in any case. Values come here parsed already, so there is nothing left to
 * check.
 */
export const anyJson = z.unknown().refine((value) => value !== undefined, 'is missing')
