import { InvalidInput } from './errors.ts'
import { jobFields } from './job.ts'
import type { JsonValue } from './json.ts'

/**
 * The key of a job: what the pointer (RFC 6901) finds in its payload, a number and a boolean as JSON writes them. Null where
 * there is nothing or null. Throws `InvalidInput` for anything else. The SQL function `enqueue` does the same.
 */
export function keyOf(payload: JsonValue, pointer: string): string | null {
  let found: JsonValue | undefined = payload
  for (const step of stepsOf(pointer)) found = member(found, step)
  if (found === undefined || found === null) return null
  const text = typeof found === 'object' ? undefined : String(found)
  if (text !== undefined && jobFields.key.safeParse(text).success) return text
  throw new InvalidInput('invalid_job', [
    {
      path: ['payload', ...stepsOf(pointer)],
      message: 'is the key of the job: must be a text of 1 to 255 characters, a number or a boolean',
    },
  ])
}

function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function member(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) return /^(?:0|[1-9][0-9]*)$/.test(step) ? value[Number(step)] : undefined
  return Object.hasOwn(value, step) ? (value as Readonly<Record<string, JsonValue>>)[step] : undefined
}
