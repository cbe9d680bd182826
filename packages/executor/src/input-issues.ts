import type { InputIssue } from '@queue/core'
import type { z } from 'zod'

/** The issues of a zod error in the form of the queue's own errors. `prefix` is the path of the parsed value. */
export function inputIssues(error: z.ZodError, prefix: readonly string[] = []): InputIssue[] {
  return error.issues.map(({ path, message }) => ({ path: [...prefix, ...path.map(pathKey)], message }))
}

function pathKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key
}
