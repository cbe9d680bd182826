import { createMigrator, type Migrator } from '../../src/migrator/migrator.ts'
import type { MigrationSet, Migration } from '../../src/migrator/migration.ts'

const things: Migration = {
  type: 'transactional',
  version: 1,
  name: 'things',
  minCode: 1,
  up: (schema) => [
    {
      sql: `CREATE TABLE ${schema}.things (id integer PRIMARY KEY, name text, touched integer NOT NULL DEFAULT 0)`,
    },
    {
      sql: `INSERT INTO ${schema}.things (id, name) SELECT g, 'thing ' || g FROM generate_series(1, 100) AS g`,
    },
  ],
  down: (schema) => [{ sql: `DROP TABLE ${schema}.things` }],
}

/** A step that builds an index of the names while others write. */
export const nameIndex = (version: number, unique = false): Migration => ({
  type: 'concurrent',
  version,
  name: 'name-index',
  minCode: 1,
  index: {
    name: 'things_name_idx',
    table: 'things',
    unique,
    definition: () => 'USING btree (name) WHERE (name IS NOT NULL)',
  },
})

/** A step that counts how often each row was changed, so that a repeated batch is detected. */
export const touchAll = (version: number, rowsMax = 10): Migration => ({
  type: 'batched',
  version,
  name: 'touch-all',
  minCode: 1,
  table: 'things',
  rowsMax,
  batch: (schema) => `
WITH batch AS MATERIALIZED (
  SELECT id FROM ${schema}.things WHERE id > coalesce($1::text, '0')::integer ORDER BY id LIMIT $2::integer FOR UPDATE
), changed AS (
  UPDATE ${schema}.things AS t SET touched = t.touched + 1 FROM batch AS b WHERE t.id = b.id RETURNING t.id
)
SELECT CASE WHEN count(*) = $2::integer THEN max(id)::text END AS cursor, count(*) AS rows FROM changed`,
  down: () => [],
})

/** A step with statements of one transaction on the existing table. */
export const statements = (version: number, ...texts: readonly string[]): Migration => ({
  type: 'transactional',
  version,
  name: 'statements',
  minCode: 1,
  up: () =>
    texts.map((sql) => ({ sql, uses: [{ table: 'things', lock: 'ACCESS EXCLUSIVE', work: 'catalog' }] })),
  down: () => [],
})

/** A schema without jobs: a table of things, followed by these steps. */
export function toySchema(...steps: readonly Migration[]): Migrator {
  const migrationSet: MigrationSet = {
    name: 'toy',
    schemaDefault: 'toy',
    upCommand: 'toy up',
    historyTable: 'history',
    steps: [things, ...steps],
    traffic: [
      { name: 'writers', locks: { things: 'ROW EXCLUSIVE' } },
      { name: 'readers', locks: { things: 'ACCESS SHARE' } },
    ],
  }
  return createMigrator(migrationSet, () => ({ apply: async () => undefined, plan: async () => [] }))
}
