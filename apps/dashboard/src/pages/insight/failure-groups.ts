import type { DeadLetter } from '@queue/client'
import { firstLine } from '../../ui/format.ts'

type Failed = Pick<DeadLetter, 'kind' | 'last_error' | 'fingerprint'>

export interface FailureGroup {
  /** The fingerprint of the error group. */
  readonly fingerprint: string
  readonly kind: string
  readonly text: string
  readonly count: number
}

/** Groups failures by fingerprint, the most frequent first. Failures of lost workers have no fingerprint and are left out. */
export function groupFailures(deadLetters: readonly Failed[]): FailureGroup[] {
  const groups = Map.groupBy(deadLetters, ({ fingerprint }) => fingerprint)
  return [...groups]
    .flatMap(([fingerprint, members]) => {
      const [first] = members
      if (fingerprint === null || first === undefined) return []
      return [
        { fingerprint, kind: first.kind, text: firstLine(first.last_error ?? ''), count: members.length },
      ]
    })
    .toSorted((a, b) => b.count - a.count)
}
