import type { z } from 'zod'
import type { InputIssue } from './errors.ts'
import type { JsonValue } from './json.ts'
import { atPayload, type Refused, type StoredPayload, zodFaults } from './payload.ts'
import { schemaOf, type VersionedPayload, versionsOf } from './payload-upgrade.ts'
import type { RetryPolicy } from './retry.ts'

/** What the jobs of a kind take where they say nothing themselves. */
export interface JobDefaults {
  readonly queue: string
  readonly priority: number
  readonly maxAttempts: number
  readonly timeoutMs: number | null
  readonly retryPolicy: RetryPolicy | null
  /** A JSON pointer to the member of the payload that is the key of a job; null: its jobs have none by themselves. */
  readonly key: string | null
  /** How many tokens a start costs of each rate. */
  readonly weight: number
}

/** A kind that jobs can be made of. */
export interface EnqueueableKind {
  readonly kind: string
  /** The newest first, one at least. */
  readonly versions: readonly KindVersion[]
}

/** One version of a kind: what its jobs take by default, and what is wrong with a payload. */
export interface KindVersion extends JobDefaults {
  readonly version: number
  /** What is wrong with a payload of JSON; nothing when it is accepted. The paths begin in the payload. */
  readonly faultsOf: (payload: JsonValue) => readonly InputIssue[]
}

/** The versions of a definition, each with what judges its payloads. */
export function kindVersionsOf(definition: JobDefaults & VersionedPayload): readonly KindVersion[] {
  const { queue, priority, maxAttempts, timeoutMs, retryPolicy, key, weight } = definition
  return versionsOf(definition).map((version) => {
    const schema = schemaOf(definition, version) as z.ZodType
    const faultsOf = (payload: JsonValue): readonly InputIssue[] => zodFaults(schema, payload)
    return { version, queue, priority, maxAttempts, timeoutMs, retryPolicy, key, weight, faultsOf }
  })
}

/** The version that is wanted, else the newest that accepts the payload; the issues of the newest when none does. */
export function chooseVersion(
  { versions }: EnqueueableKind,
  { stored, wanted }: { readonly stored: StoredPayload; readonly wanted: number | undefined },
): KindVersion | Refused {
  const candidates = wanted === undefined ? versions : versions.filter(({ version }) => version === wanted)
  let refused: Refused | undefined
  for (const candidate of candidates) {
    const issues = candidate.faultsOf(stored.value)
    if (issues.length === 0) return candidate
    refused ??= { issues: atPayload(issues) }
  }
  const known = versions.map(({ version }) => version).join(', ')
  return (
    refused ?? {
      issues: [{ path: ['version'], message: `is no known version of this kind; known: ${known}` }],
    }
  )
}
