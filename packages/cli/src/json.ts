import { type Valued, usageFailure } from '@queue/commands'
import { isExactNumber } from '@queue/core/plain'

/** A JSON document. */
export function json(value: string, summary: string): Valued<unknown> {
  return { value, summary, read: parseJson }
}

interface ReviverContext {
  readonly source?: string
}

/**
 * Parses JSON. Refuses what the API refuses: numbers that a double cannot represent, because they would be stored differently,
 * and members named `__proto__`.
 */
export function parseJson(input: string): unknown {
  const exact = (key: string, parsed: unknown, context?: ReviverContext): unknown => {
    if (key === '__proto__') throw usageFailure('has a member named __proto__')
    if (typeof parsed === 'number' && !isExactNumber(context?.source ?? String(parsed), parsed)) {
      throw usageFailure(
        `has the number ${context?.source ?? parsed}, which JSON cannot represent exactly: send it as a string`,
      )
    }
    return parsed
  }
  try {
    return JSON.parse(input, exact) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) throw usageFailure(`is not JSON: ${error.message}`)
    throw error
  }
}
