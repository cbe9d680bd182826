import { z } from 'zod'
import { fingerprintsMax } from './limits.ts'

/** The fingerprint of an error group: 16 hexadecimal digits. */
export const fingerprintSchema = z.string().regex(/^[0-9a-f]{16}$/, 'must be 16 hexadecimal digits')

/** One fingerprint, or several of which any may match. */
export const fingerprintsSchema = z.union(
  [fingerprintSchema, z.array(fingerprintSchema).min(1).max(fingerprintsMax).readonly()],
  { error: `must be 16 hexadecimal digits, or an array of 1 to ${fingerprintsMax} of them` },
)

export type Fingerprints = z.output<typeof fingerprintsSchema>
