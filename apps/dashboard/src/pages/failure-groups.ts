import type { DeadLetter } from '@queue/client'
import { firstLine } from '../ui/format.ts'

type Failed = Pick<DeadLetter, 'kind' | 'last_error'>

export interface FailureGroup {
  readonly name: string
  readonly kind: string
  readonly text: string
  readonly count: number
}

/** What an error says without what differs each time: numbers, ids and what is quoted. */
function normalise(error: string): string {
  return firstLine(error)
    .replaceAll(/"[^"]*"|'[^']*'/g, '"…"')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '…')
    .replaceAll(/\d+/g, '#')
    .slice(0, 120)
}

/** By which a failure is put with others like it. */
export function groupName({ kind, last_error: error }: Failed): string {
  return `${kind}: ${normalise(error ?? 'no error')}`
}

/** The failures that are there by what they have in common, the most frequent first. */
export function groupFailures(letters: readonly Failed[]): FailureGroup[] {
  const groups = Map.groupBy(letters, groupName)
  return [...groups]
    .map(([name, members]) => ({
      name,
      kind: members[0]?.kind ?? '',
      text: normalise(members[0]?.last_error ?? 'no error'),
      count: members.length,
    }))
    .toSorted((a, b) => b.count - a.count)
}
