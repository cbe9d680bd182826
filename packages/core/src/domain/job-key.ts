import { InvalidInput } from './errors.ts'
import { jobFields } from './job.ts'
import type { JsonValue } from './json.ts'

/**
 * The key of a job: the value that the JSON pointer (RFC 6901) selects in its payload. A number or a boolean becomes
 * its JSON text. Null where the value is absent or null. Throws `InvalidInput` for any other value. The SQL function
 * `enqueue` does the same.
 */
export function keyOf(payload: JsonValue, pointer: string): string | null {
  let value: JsonValue | undefined = payload
  for (const step of pointerSteps(pointer)) value = memberOf(value, step)
  if (value === undefined || value === null) return null
  const text = typeof value === 'object' ? undefined : String(value)
  if (text !== undefined && jobFields.key.safeParse(text).success) return text
  throw new InvalidInput('invalid_job', [
    {
      path: ['payload', ...pointerSteps(pointer)],
      message:
        'must be a text of 1 to 255 characters, a number or a boolean, because it is the key of the job',
    },
  ])
}

function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function memberOf(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) return /^(?:0|[1-9][0-9]*)$/.test(step) ? value[Number(step)] : undefined
  return Object.hasOwn(value, step) ? (value as Readonly<Record<string, JsonValue>>)[step] : undefined
}
