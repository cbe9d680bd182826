// What a definition declares as sensitive, and what jobs keep of it.
import { z } from 'zod'
import { keptPointersMax, sensitivePointerLengthMax, sensitivePointersMax } from './limits.ts'

const pointerPattern = /^(?:\/(?:[^~/]|~[01])*)*$/

/**
 * JSON pointers (RFC 6901) into a payload. `*` stands for each element of an array and each member of an object. The
 * empty pointer is the whole payload.
 */
export const sensitiveSchema = z
  .array(
    z
      .string()
      .max(sensitivePointerLengthMax)
      .regex(pointerPattern, 'must be a JSON pointer, such as /card/number or /recipients/*/email'),
  )
  .max(sensitivePointersMax)

/** The pointers of a declaration as a job keeps them. Null hides everything, and so do more pointers than a job may keep. */
export function keptPointers(declared: readonly string[] | null): readonly string[] | null {
  return declared === null || declared.includes('') || declared.length > keptPointersMax ? null : declared
}

/** What is hidden of a payload that two declarations apply to: what either of them hides. */
export function mergedPointers(
  one: readonly string[] | null,
  other: readonly string[] | null,
): readonly string[] | null {
  return one === null || other === null ? null : keptPointers([...new Set([...one, ...other])])
}
