import { defineJob, summarizeText } from '@queue/core'
import { z } from 'zod'
import type { Options } from './option-model.ts'

const payload = z.object({ text: z.string() })

/** The defaults of `preset`, whose jobs have the name of their call as their key. */
const defaults = {
  queue: 'preset',
  priority: 7,
  maxAttempts: 9,
  timeoutMs: 5_000,
  retryPolicy: { type: 'fixed', baseMs: 77 },
  key: '/text',
  weight: 5,
} as const

/** The kinds of the attack. The command line takes only a built-in one over the database. */
export const kinds = {
  plain: defineJob({ kind: 'doors_plain', payload, sensitive: [] }),
  preset: defineJob({ kind: 'doors_preset', payload, sensitive: [], ...defaults }),
  builtIn: summarizeText,
}

export type KindName = keyof typeof kinds

/** The options that the jobs of a kind have unless their request says otherwise. */
export function defaultsOf(kind: KindName, call: string): Options {
  return kind === 'preset' ? { ...defaults, key: call } : {}
}

/** The defaults that SQL knows of a kind. The worker knows its timeout and its retry policy. */
export function defaultsInSql(kind: KindName, call: string): Options {
  const { key, weight } = defaultsOf(kind, call)
  return { key, weight }
}
