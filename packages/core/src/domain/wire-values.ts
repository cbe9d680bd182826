// The values of documents from outside and of answers: what the library has in another form.
import { z } from 'zod'
import { instantMsMax, metadataMembersMax } from './limits.ts'
import { metadataNamePattern } from './metadata.ts'

/** The bounds of metadata that JSON Schema can express. */
export const metadataMeta = {
  maxProperties: metadataMembersMax,
  propertyNames: { pattern: metadataNamePattern.source },
} as const

/** A time that a client sends: ISO 8601 with Z or an offset, in the years 1970 to 9999. */
export const instantInput = z.iso
  .datetime({
    offset: true,
    error: 'must be a time in ISO 8601 with Z or an offset, such as 2026-01-15T09:30:00Z',
  })
  .transform((text) => new Date(text))
  .refine((instant) => instant.getTime() >= 0 && instant.getTime() <= instantMsMax, {
    error: 'must be in the years 1970 to 9999',
  })

/** A time that the API sends: ISO 8601 in UTC, to the millisecond. */
export const instantOutput = z.iso.datetime()

/** Any JSON value, including null, that must be present. The value is already parsed, so nothing else is left to check. */
export const anyJson = z.unknown().refine((value) => value !== undefined, 'is required')
