import { isDeepStrictEqual } from 'node:util'
import type { Row, RowChange } from '../record/row-changes.ts'
import type { Snapshot } from '../record/snapshot.ts'

/** One state of a row, from the change that made it to the next one. */
export interface Version {
  readonly id: string
  readonly row: Row
  readonly fingerprints: readonly string[]
  /** The transaction that made it; 0: it existed before the changes that are known. */
  readonly from: number
  /** The change that ended it. */
  end?: RowChange
}

/** The states of the rows of one table, by what the changes of the rows say. */
export interface RowVersions {
  /** The states of all rows, those of each row in their order. */
  all(): readonly Version[]
  /** The states of one row, in their order. */
  of(id: string): readonly Version[]
  /** The present states. */
  latest(): readonly Version[]
  /** The state that this change ended. */
  endedBy(change: RowChange): Version | undefined
  /** Adds changes. Returns those that do not continue the states so far, which is a fault of the records. */
  add(changes: readonly RowChange[]): readonly string[]
  /** Forgets all states but the present ones. */
  forgetPast(): void
}

export function createRowVersions(): RowVersions {
  const versionsById = new Map<string, Version[]>()
  const endedByChange = new Map<RowChange, Version>()
  const add = (change: RowChange): string[] => {
    const { id, xid, before, after, fingerprints } = change
    const versions = versionsById.get(id) ?? []
    versionsById.set(id, versions)
    const last = versions.at(-1)
    const present = last?.end === undefined ? last : undefined
    if (present !== undefined) {
      present.end = change
      endedByChange.set(change, present)
    }
    if (after !== null) versions.push({ id, row: after, fingerprints, from: xid })
    return isDeepStrictEqual(present?.row ?? null, before)
      ? []
      : [`${id}: an unknown change before ${change.act}`]
  }
  const all = (): Version[] => [...versionsById.values()].flat()
  const latest = (): Version[] => all().filter(({ end }) => end === undefined)
  return {
    all,
    latest,
    of: (id) => versionsById.get(id) ?? [],
    endedBy: (change) => endedByChange.get(change),
    add: (changes) => changes.flatMap(add),
    forgetPast: () => {
      const present = latest()
      versionsById.clear()
      endedByChange.clear()
      for (const version of present) versionsById.set(version.id, [{ ...version, from: 0 }])
    },
  }
}

/** The time from before an act until after its answer. */
export interface Span {
  readonly before: Snapshot
  readonly after: Snapshot
}

/** Whether this was the state of the row all the time. */
export function lasts({ from, end }: Version, { before, after }: Span): boolean {
  return before.sees(from) && (end === undefined || !after.sees(end.xid))
}

/** Whether others could see this state of the row at some moment. */
export function overlaps({ from, end }: Version, { before, after }: Span): boolean {
  return from !== end?.xid && after.sees(from) && (end === undefined || !before.sees(end.xid))
}
