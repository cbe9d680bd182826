import { z } from 'zod'

/**
 * Any JSON value, null included; present in any case. Values come here parsed already, so there is nothing left to
 * check.
 */
export const anyJson = z.unknown().refine((value) => value !== undefined, 'is missing')
