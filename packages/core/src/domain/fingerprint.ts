import { z } from 'zod'

/** What names the cause of a failure: 16 hexadecimal digits. */
export const fingerprintSchema = z.string().regex(/^[0-9a-f]{16}$/, 'must be 16 hexadecimal digits')
