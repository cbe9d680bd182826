import type { z } from 'zod'
import type { InputIssue } from './errors.ts'
import type { JsonValue } from './json.ts'
import { type JobDefaults, jobDefaultsOf } from './kind-defaults.ts'
import { atPayload, type Refused, zodFaults } from './payload.ts'
import {
  schemaOf,
  type SensitiveVersions,
  sensitiveOf,
  type VersionedPayload,
  versionsOf,
} from './payload-upgrade.ts'
import { keptPointers } from './sensitive.ts'

/** A kind of which jobs can be enqueued. */
export interface EnqueueableKind {
  readonly kind: string
  /** Newest first; at least one. */
  readonly versions: readonly KindVersion[]
}

/** One version of a kind: the defaults of its jobs, and the check of their payloads. */
export interface KindVersion extends JobDefaults {
  readonly version: number
  /** What jobs of this version hide of their payload: JSON pointers. Null: all of it. */
  readonly sensitive: readonly string[] | null
  /** The faults of a JSON payload; empty when the version accepts it. Paths are relative to the payload. */
  readonly faultsOf: (payload: JsonValue) => readonly InputIssue[]
}

/** The versions of a definition, each with the check of its payloads. */
export function kindVersionsOf(
  definition: JobDefaults & VersionedPayload & SensitiveVersions,
): readonly KindVersion[] {
  const defaults = jobDefaultsOf(definition)
  return versionsOf(definition).map((version) => {
    const schema = schemaOf(definition, version) as z.ZodType
    const faultsOf = (payload: JsonValue): readonly InputIssue[] => zodFaults(schema, payload)
    return { ...defaults, version, sensitive: keptPointers(sensitiveOf(definition, version)), faultsOf }
  })
}

/**
 * The requested version, or else the newest that accepts the payload. Where none accepts it: the issues of the newest
 * version.
 */
export function chooseVersion(
  { versions }: EnqueueableKind,
  payload: JsonValue,
  requestedVersion: number | undefined,
): KindVersion | Refused {
  const candidates =
    requestedVersion === undefined ? versions : versions.filter(({ version }) => version === requestedVersion)
  let refused: Refused | undefined
  for (const candidate of candidates) {
    const issues = candidate.faultsOf(payload)
    if (issues.length === 0) return candidate
    refused ??= { issues: atPayload(issues) }
  }
  const known = versions.map(({ version }) => version).join(', ')
  return (
    refused ?? {
      issues: [
        { path: ['version'], message: `is not a known version of this kind; known versions: ${known}` },
      ],
    }
  )
}
