// The statements of a registration. `registerKinds` decides which of them to send, and in which transaction.
import { epochMs } from '@queue/postgres'
import { sql, type UpdateObject } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Database } from '../database/tables.ts'
import { firstVersion } from '../domain/kind-version.ts'
import { digestOf, type KindRegistration } from './kind-registration.ts'

/** A registered version, as far as a new registration of it needs to know it. */
export interface StoredKind {
  readonly kind: string
  readonly version: number
  readonly digest: string
  readonly superseded: readonly string[]
  readonly schemaText: string
  readonly sensitive: readonly string[] | null
  readonly isRetired: boolean
  readonly seenMs: number
}

/** The key of one version of a kind. */
export function keyOf({ kind, version }: { readonly kind: string; readonly version: number }): string {
  return `${kind}/${version}`
}

/** The values of a registration, by column. */
export function columnsOf(registration: KindRegistration) {
  return {
    payload_schema: JSON.stringify(registration.payloadSchema),
    defaults: JSON.stringify(registration.defaults),
    description: registration.description,
    digest: digestOf(registration),
  }
}

/** Lets one registration at a time count the versions and add some. The lock ends with the transaction. */
export async function lockRegistry({ run, schema }: QueueDatabase): Promise<void> {
  await run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${schema}.job_kinds`}::text, 0))`)
}

/** Inserts the versions that do not exist, in the order of their keys. Returns the keys of the inserted ones. */
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
          .map((registration) => ({
            ...columnsOf(registration),
            kind: registration.kind,
            version: registration.version,
            sensitive: registration.sensitive,
            registered_by: by,
          })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning(['kind', 'version']),
  )
  return new Set(rows.map(keyOf))
}

/** The registered versions of these kinds, by key. With `lock`, no other transaction changes them until this one ends. */
export async function findKinds(
  { names, run }: QueueDatabase,
  registrations: readonly KindRegistration[],
  lock?: 'lock',
): Promise<Map<string, StoredKind>> {
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
  /** `seen`: the same registration was made again; `registered`: it was replaced by a different one. */
  readonly stamp: 'none' | 'seen' | 'registered'
}

/** Changes a registered version of a kind. */
export async function updateKind(
  { names, run }: QueueDatabase,
  registration: KindRegistration,
  { set, stamp }: KindUpdate,
): Promise<void> {
  // A transaction that waited for another registration began before it, and must not set the instant back.
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
      .where('kind', '=', registration.kind)
      .where('version', '=', registration.version),
  )
}

/** The number of registered versions of all kinds. */
export async function countKinds({ names, run }: QueueDatabase): Promise<number> {
  const [row] = await run(names.db.selectFrom('job_kinds').select(sql<number>`count(*)::int`.as('kinds')))
  return row?.kinds ?? 0
}

/** Whether a live job or a dead letter has this version. Jobs that succeeded or were cancelled no longer need its schema. */
export async function hasUnfinishedJobs(
  { names, run }: QueueDatabase,
  { kind, version }: KindRegistration,
): Promise<boolean> {
  const stored = version === firstVersion ? null : version
  const hasVersion = sql`kind = ${kind} AND kind_version IS NOT DISTINCT FROM ${stored}::smallint`
  const [row] = await run(sql<{ carried: boolean }>`
    SELECT EXISTS (SELECT FROM ${names.jobs}
                    WHERE status IN (${names.status.queued}, ${names.status.retrying}) AND ${hasVersion})
        OR EXISTS (SELECT FROM ${names.jobs} WHERE locked_by IS NOT NULL AND ${hasVersion})
        OR EXISTS (SELECT FROM ${names.deadLetters} WHERE ${hasVersion}) AS carried`)
  return row?.carried ?? false
}

/** The first version number of the kind that is not registered. */
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
