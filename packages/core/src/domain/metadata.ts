import { z } from 'zod'
import { metadataBytesMax, metadataMembersMax } from './limits.ts'
import { integerFault } from './json.ts'
import { isStorable } from './storable.ts'

/** Members beside the payload by which a job can be found, such as the number of an order. */
export type JobMetadata = Readonly<Record<string, string | number | boolean>>

/** The form of a member's name. */
export const metadataNamePattern = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/

export const metadataNameSchema = z.string().regex(metadataNamePattern)

/** The message for an invalid name; undefined for any other fault, so that zod's own message stays. */
export function metadataError({ code }: { readonly code?: string | undefined }): string | undefined {
  return code === 'invalid_key' ? `the name must match ${metadataNamePattern.source}` : undefined
}

const valueSchema = z.union(
  [z.string(), z.number(), z.boolean()],
  'must be a text, a finite number or a boolean',
)

/** A flat object, which is searched member by member. */
export const metadataSchema = z
  .record(metadataNameSchema, valueSchema, { error: metadataError })
  .superRefine((metadata, context) => {
    const members = Object.entries(metadata)
    const refuse = (message: string, path: string[] = []) =>
      context.addIssue({ code: 'custom', path, message })
    if (members.length > metadataMembersMax) return refuse(`has more than ${metadataMembersMax} members`)
    for (const [name, value] of members) {
      if (typeof value === 'string' && !isStorable(value)) {
        refuse('contains U+0000 or a lone surrogate', [name])
      }
      const fault = integerFault(value)
      if (fault !== undefined) refuse(fault, [name])
    }
    if (Buffer.byteLength(JSON.stringify(metadata)) > metadataBytesMax) {
      refuse(`is larger than ${metadataBytesMax} bytes`)
    }
  })
