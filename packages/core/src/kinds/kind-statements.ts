// The statements of a registration. Which of them are sent, and in what transaction, `registerKinds` decides.
import { epochMs } from '@queue/postgres'
import { sql, type UpdateObject } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Database } from '../database/tables.ts'
import { firstVersion } from '../domain/kind-version.ts'
import { digestOf, type KindRegistration } from './kind-registration.ts'

/** What a registration has to know of what is there. */
export interface KnownKind {
  readonly kind: string
  readonly version: number
  readonly digest: string
  readonly superseded: readonly string[]
  readonly schemaText: string
  readonly sensitive: readonly string[] | null
  readonly isRetired: boolean
  readonly seenMs: number
}

/** One version of a kind, as a text. */
export function keyOf({ kind, version }: { readonly kind: string; readonly version: number }): string {
  return `${kind}/${version}`
}

/** What a registration says, in the columns of the table. */
export function columnsOf(one: KindRegistration) {
  return {
    payload_schema: JSON.stringify(one.payloadSchema),
    defaults: JSON.stringify(one.defaults),
    description: one.description,
    digest: digestOf(one),
  }
}

/** Inserts what is not there, in key order, and gives the keys of what it has written. */
export async function insertKinds(
  { names, run }: QueueDatabase,
  registrations: readonly KindRegistration[],
  by: string,
): Promise<Set<string>> {
  const rows = await run(
    names.db
      .insertInto('job_kinds')
      .values(
        registrations
          .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
          .map((one) => ({
            ...columnsOf(one),
            kind: one.kind,
            version: one.version,
            sensitive: one.sensitive,
            registered_by: by,
          })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning(['kind', 'version']),
  )
  return new Set(rows.map(keyOf))
}

/** The versions of these kinds that are there, by key; with `lock`, nobody else changes them until the end. */
export async function findKinds(
  { names, run }: QueueDatabase,
  registrations: readonly KindRegistration[],
  lock?: 'lock',
): Promise<Map<string, KnownKind>> {
  const query = names.db
    .selectFrom('job_kinds as k')
    .select(['k.kind', 'k.version', 'k.digest', 'k.superseded', 'k.sensitive'])
    .select(({ ref }) => [
      sql<string>`${ref('k.payload_schema')}::text`.as('schemaText'),
      sql<boolean>`${ref('k.retired_at')} IS NOT NULL`.as('isRetired'),
      sql<number>`${epochMs(sql`now()`)} - ${epochMs(ref('k.last_seen_at'))}`.as('seenMs'),
    ])
    .where('k.kind', '=', sql<string>`ANY(${registrations.map(({ kind }) => kind)}::text[])`)
    .orderBy('k.kind')
    .orderBy('k.version')
  const rows = await run(lock === undefined ? query : query.forUpdate())
  return new Map(rows.map((row) => [keyOf(row), row]))
}

export interface KindUpdate {
  readonly set: UpdateObject<Database, 'job_kinds'>
  /** `seen`: somebody registers it as it is; `registered`: it is another one now. */
  readonly stamp: 'none' | 'seen' | 'registered'
}

/** Changes one version of a kind. */
export async function updateKind(
  { names, run }: QueueDatabase,
  one: KindRegistration,
  { set, stamp }: KindUpdate,
): Promise<void> {
  // Whoever has waited for another registration began before it: what was seen once is not unseen.
  const now = sql<Date>`greatest(last_seen_at, now())`
  const stamps = {
    none: {},
    seen: { last_seen_at: now },
    registered: { last_seen_at: now, registered_at: now },
  }
  await run(
    names.db
      .updateTable('job_kinds')
      .set({ ...set, ...stamps[stamp] })
      .where('kind', '=', one.kind)
      .where('version', '=', one.version),
  )
}

/** How many versions of kinds there are. */
export async function countKinds({ names, run }: QueueDatabase): Promise<number> {
  const [row] = await run(names.db.selectFrom('job_kinds').select(sql<number>`count(*)::int`.as('kinds')))
  return row?.kinds ?? 0
}

/** Whether a live job or a dead letter is of this version. What has ended well needs its schema no more. */
export async function isCarried(
  { names, run }: QueueDatabase,
  { kind, version }: KindRegistration,
): Promise<boolean> {
  const stored = version === firstVersion ? null : version
  const isOfIt = sql`kind = ${kind} AND kind_version IS NOT DISTINCT FROM ${stored}::smallint`
  const [row] = await run(sql<{ carried: boolean }>`
    SELECT EXISTS (SELECT FROM ${names.jobs}
                    WHERE status IN (${names.status.queued}, ${names.status.retrying}) AND ${isOfIt})
        OR EXISTS (SELECT FROM ${names.jobs} WHERE locked_by IS NOT NULL AND ${isOfIt})
        OR EXISTS (SELECT FROM ${names.deadLetters} WHERE ${isOfIt}) AS carried`)
  return row?.carried ?? false
}

/** The first version of the kind that is not there. */
export async function nextVersion(
  { names, run }: QueueDatabase,
  { kind }: KindRegistration,
): Promise<number> {
  const [row] = await run(
    names.db
      .selectFrom('job_kinds')
      .select(sql<number>`max(version) + 1`.as('next'))
      .where('kind', '=', kind),
  )
  return row?.next ?? firstVersion
}
