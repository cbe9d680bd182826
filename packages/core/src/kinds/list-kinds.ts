import { isLiveWorker } from '../database/live-worker.ts'
import { decodeInTurns, epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { jobFields } from '../domain/job.ts'
import { versionedKind } from '../domain/kind-version.ts'
import type { KindDefaults } from '../domain/kind-defaults.ts'
import type { KindRegistration, PayloadJsonSchema } from './kind-registration.ts'

/** One version of a kind in the registry. */
export interface KindInfo extends Omit<KindRegistration, 'unsaid' | 'isOlder'> {
  /** Equal for equal schemas, defaults and descriptions. */
  readonly digest: string
  readonly registeredBy: string
  readonly registeredAt: Date
  /** When a process last registered it, accurate to an hour. */
  readonly lastSeenAt: Date
  readonly retiredAt: Date | null
}

/** All versions of all kinds in the registry, or of one kind, by kind and version. */
export async function listKinds(database: QueueDatabase, kind?: string): Promise<KindInfo[]> {
  if (kind !== undefined && !jobFields.kind.safeParse(kind).success) return []
  const query = database.names.db
    .selectFrom('job_kinds as k')
    .select([
      'k.kind',
      'k.version',
      'k.description',
      'k.sensitive',
      'k.digest',
      'k.registered_by as registeredBy',
    ])
    .select(({ ref }) => [
      sql<string>`${ref('k.payload_schema')}::text`.as('schemaText'),
      sql<string>`${ref('k.defaults')}::text`.as('defaultsText'),
      epochMs(ref('k.registered_at')).as('registeredMs'),
      epochMs(ref('k.last_seen_at')).as('seenMs'),
      epochMs(ref('k.retired_at')).as('retiredMs'),
    ])
    .orderBy(sql`k.kind COLLATE "C"`)
    .orderBy('k.version')
  const rows = await database.run(kind === undefined ? query : query.where('k.kind', '=', kind))
  return decodeInTurns(rows, ({ schemaText, defaultsText, registeredMs, seenMs, retiredMs, ...rest }) => ({
    ...rest,
    payloadSchema: JSON.parse(schemaText) as PayloadJsonSchema,
    defaults: JSON.parse(defaultsText) as KindDefaults,
    registeredAt: new Date(registeredMs),
    lastSeenAt: new Date(seenMs),
    retiredAt: retiredMs === null ? null : new Date(retiredMs),
  }))
}

/** The number of live workers that run each of these versions of a kind, by version. Every version has an entry. */
export async function countKindWorkers(
  database: QueueDatabase,
  kind: string,
  versions: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const { names } = database
  const rows = await database.run(sql<{ version: number; workers: number }>`
    SELECT v.version, (SELECT count(*) FROM ${names.workers} AS w
                        WHERE ${isLiveWorker} AND v.name = ANY(w.kinds))::int AS workers
      FROM unnest(${[...versions]}::int[], ${versions.map((one) => versionedKind(kind, one))}::text[]) AS v (version, name)`)
  return new Map(rows.map(({ version, workers }) => [version, workers]))
}
