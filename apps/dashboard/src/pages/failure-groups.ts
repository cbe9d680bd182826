import type { DeadLetter } from '@queue/client'
import { firstLine } from '../ui/format.ts'

type Failed = Pick<DeadLetter, 'kind' | 'last_error' | 'fingerprint'>

export interface FailureGroup {
  /** The same for failures of one cause. */
  readonly fingerprint: string
  readonly kind: string
  readonly text: string
  readonly count: number
}

/** The failures that are there by their causes, the most frequent first. Those of lost workers have none. */
export function groupFailures(letters: readonly Failed[]): FailureGroup[] {
  const groups = Map.groupBy(letters, ({ fingerprint }) => fingerprint)
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
