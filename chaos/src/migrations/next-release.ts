import {
  createMigrator,
  grantsToSetUpRoles,
  type Migration,
  type MigrationSet,
  type Migrator,
} from '@queue/postgres'
import { queueAccess, queueMigrationSet } from '@queue/core/internal'

/** The index that the next release builds concurrently. */
export const rehearsalIndex = 'rehearsal_note_idx'

export interface NextReleaseOptions {
  /** Rows in one batch of its backfill; default 1 000. */
  readonly batchRows?: number
}

/**
 * The queue's own steps, and those of a simulated next release. It has steps of every type, and old code can run on them,
 * because nothing changes that its statements name.
 */
export function nextMigrationSet({ batchRows = 1_000 }: NextReleaseOptions = {}): MigrationSet {
  const code = queueMigrationSet.steps.length
  const head = (offset: number, name: string) => ({ version: code + offset, name, minCode: code })
  const steps: readonly Migration[] = [
    {
      ...head(1, 'rehearsal-columns'),
      type: 'transactional',
      up: (schema) => [
        alter(schema, 'jobs', 'ADD COLUMN rehearsal_note text'),
        alter(schema, 'jobs', 'ADD COLUMN rehearsal_weight integer NOT NULL DEFAULT 1'),
        alter(schema, 'jobs', 'ADD CONSTRAINT rehearsal_weight_check CHECK (rehearsal_weight > 0) NOT VALID'),
      ],
      down: (schema) => [alter(schema, 'jobs', 'DROP COLUMN rehearsal_weight, DROP COLUMN rehearsal_note')],
    },
    {
      ...head(2, 'rehearsal-others'),
      type: 'transactional',
      up: (schema) => [
        alter(schema, 'workers', "ADD COLUMN rehearsal_zone text NOT NULL DEFAULT 'here'"),
        { sql: `CREATE TABLE ${schema}.rehearsal_tags (job_id uuid NOT NULL, tag text NOT NULL)` },
        { sql: `CREATE INDEX rehearsal_tags_idx ON ${schema}.rehearsal_tags (job_id)` },
      ],
      down: (schema) => [
        { sql: `DROP TABLE ${schema}.rehearsal_tags` },
        alter(schema, 'workers', 'DROP COLUMN rehearsal_zone'),
      ],
    },
    {
      ...head(3, 'rehearsal-backfill'),
      type: 'batched',
      table: 'jobs',
      rowsMax: batchRows,
      batch: (schema) => `
WITH batch AS MATERIALIZED (
  SELECT id FROM ${schema}.jobs WHERE id > coalesce($1::text, '00000000-0000-0000-0000-000000000000')::uuid
   ORDER BY id LIMIT $2::integer FOR NO KEY UPDATE
), changed AS (
  UPDATE ${schema}.jobs AS j SET rehearsal_note = 'a ' || j.kind FROM batch AS b WHERE j.id = b.id
)
SELECT CASE WHEN count(*) = $2::integer THEN (SELECT id::text FROM batch ORDER BY id DESC LIMIT 1) END AS cursor,
       count(*) AS rows
  FROM batch`,
      down: () => [],
    },
    {
      ...head(4, 'rehearsal-index'),
      type: 'concurrent',
      index: {
        name: rehearsalIndex,
        table: 'jobs',
        unique: false,
        definition: () => 'USING btree (rehearsal_note) WHERE (rehearsal_note IS NOT NULL)',
      },
    },
    {
      ...head(5, 'rehearsal-validation'),
      type: 'transactional',
      up: (schema) => [
        {
          sql: `ALTER TABLE ${schema}.jobs VALIDATE CONSTRAINT rehearsal_weight_check`,
          uses: [{ table: 'jobs', lock: 'SHARE UPDATE EXCLUSIVE', work: 'scan' }],
        },
      ],
      down: () => [],
    },
  ]
  return { ...queueMigrationSet, steps: [...queueMigrationSet.steps, ...steps] }
}

/** A change of a table's catalog entries, which does not depend on the size of the table. */
function alter(schema: string, table: string, action: string) {
  return {
    sql: `ALTER TABLE ${schema}.${table} ${action}`,
    uses: [{ table, lock: 'ACCESS EXCLUSIVE', work: 'catalog' }],
  } as const
}

export function nextRelease(options?: NextReleaseOptions): {
  readonly migrator: Migrator
  readonly version: number
} {
  const migrationSet = nextMigrationSet(options)
  return {
    migrator: createMigrator(migrationSet, () => grantsToSetUpRoles(queueAccess)),
    version: migrationSet.steps.length,
  }
}
