import type { InputIssue } from '@queue/core'
import type { z } from 'zod'

/** What zod found wrong, as the queue's own errors say it; `at` is where the parsed value stands. */
export function inputIssues(error: z.ZodError, at: readonly string[] = []): InputIssue[] {
  return error.issues.map(({ path, message }) => ({ path: [...at, ...path.map(plainKey)], message }))
}

function plainKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key
}
