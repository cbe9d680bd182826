import type { AppliedStep } from './migration-history.ts'
import type { MigrationSet } from './migration.ts'
import { checksumOf } from './step-checksum.ts'

export interface SchemaVersion {
  /** The code can run only if this is `compatible`. `different`: a step was applied with another text than the code has. */
  readonly status: 'compatible' | 'missing' | 'older' | 'newer' | 'different'
  /** 0 if there is no schema. */
  readonly databaseVersion: number
  readonly codeVersion: number
  /** The oldest code that can run on the schema; 0 if there is none. */
  readonly minCode: number
  /** The first step that was applied with another text, as `1 (initial)`; null if there is none. */
  readonly differingStep: string | null
}

/**
 * What a schema with these applied steps is for this code: the one definition for the start of a process, its readiness, each
 * command and each check. Code for version c can run on version s if c ≤ s, if c is at least the `minCode` of the last step, and
 * if the steps that both know have the same text.
 */
export function schemaVersionOf(applied: readonly AppliedStep[], { steps }: MigrationSet): SchemaVersion {
  const last = applied.at(-1)
  const codeVersion = steps.length
  const differing = applied.find(({ version, checksum }) => {
    const step = steps[version - 1]
    return step !== undefined && checksumOf(step) !== checksum
  })
  return {
    status: statusOf({ last, differing, codeVersion }),
    databaseVersion: last?.version ?? 0,
    codeVersion,
    minCode: last?.minCode ?? 0,
    differingStep: differing === undefined ? null : `${differing.version} (${differing.name})`,
  }
}

interface Compared {
  readonly last: AppliedStep | undefined
  readonly differing: AppliedStep | undefined
  readonly codeVersion: number
}

function statusOf({ last, differing, codeVersion }: Compared): SchemaVersion['status'] {
  if (last === undefined) return 'missing'
  if (differing !== undefined) return 'different'
  if (last.version < codeVersion) return 'older'
  return codeVersion >= last.minCode ? 'compatible' : 'newer'
}

/** Why no release can run on a schema that is `different`. `differentCure` says what to do. */
export function differentReason({ differingStep }: SchemaVersion): string {
  return `step ${differingStep} was applied with another text than this release has: the schema is of a build that was not released`
}

/** What to do about a schema that is `different`. Its data cannot be kept. */
export function differentCure(upCommand: string): string {
  const down = upCommand.replace(/up$/, 'down --to 0 --yes')
  return `drop the schema, or run ${down} of that build, then run ${upCommand}`
}
