import type { Migration, MigrationSet, StepStatement } from '@queue/postgres'
import pg from 'pg'

/** How a statement has used one table: the lock it took, and what it did with the rows. */
interface TableUse {
  readonly table: string
  readonly lock: string
  readonly work: 'catalog' | 'scan' | 'rewrite'
}

/**
 * Applies the steps of a migration set, statement by statement, to a database without its schema. For the tables that existed
 * before a step, compares the locks, scans and rewrites of each statement with those that the step declares. Resolves with
 * one line for each difference. Skips batched steps: they change rows and lock only those rows.
 */
export async function findWrongUses(migrationSet: MigrationSet, databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const schema = pg.escapeIdentifier(migrationSet.schemaDefault)
  try {
    await client.query(`CREATE SCHEMA ${schema}`)
    const differences: string[] = []
    for (const step of migrationSet.steps) {
      const before = await tablesOf(client, migrationSet.schemaDefault)
      for (const { sql, uses = [] } of statementsOf(step, schema)) {
        const observed = await observe(client, { sql, schema: migrationSet.schemaDefault, tables: before })
        const expected = uses.map(({ table, lock, work }) =>
          describe({ table, lock, work: observableWork[work] }),
        )
        const actual = observed.map(describe)
        if (String(actual.toSorted()) !== String(expected.toSorted()))
          differences.push(`step ${step.version} ${step.name}: ${sql} does ${actual.join('; ') || 'nothing'}`)
      }
    }
    return differences
  } finally {
    await client.end()
  }
}

/** What the statistics show of each declared kind of work. Every index build scans the table, concurrent or not. */
const observableWork = {
  catalog: 'catalog',
  scan: 'scan',
  index: 'scan',
  'concurrent index': 'scan',
  rewrite: 'rewrite',
} as const

function describe({ table, lock, work }: TableUse): string {
  return `${lock} on ${table}, ${work}`
}

/** The statements of a step. A concurrent index is built without CONCURRENTLY, which cannot run in a transaction. */
function statementsOf(step: Migration, schema: string): readonly StepStatement[] {
  if (step.type === 'transactional') return step.up(schema)
  if (step.type === 'batched') return []
  const { name, table, unique, definition } = step.index
  return [
    {
      sql: `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${schema}.${table} ${definition(schema)}`,
      uses: [{ table, lock: 'SHARE', work: 'index' }],
    },
  ]
}

async function tablesOf(client: pg.Client, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p')`,
    [schema],
  )
  return rows.map(({ name }) => name)
}

interface Observation {
  readonly sql: string
  readonly schema: string
  readonly tables: readonly string[]
}

/** Runs the statement in a transaction of its own, and resolves with its use of these tables. */
async function observe(client: pg.Client, { sql, schema, tables }: Observation): Promise<TableUse[]> {
  await client.query('BEGIN')
  const before = await stateOf(client, schema)
  await client.query(sql)
  const after = await stateOf(client, schema)
  await client.query('COMMIT')
  return tables.flatMap((table): TableUse[] => {
    const [stateBefore, stateAfter] = [before.get(table), after.get(table)]
    const lock = stateAfter?.lock
    // Dropping a table takes the strongest lock.
    if (stateAfter === undefined) return [{ table, lock: 'ACCESS EXCLUSIVE', work: 'catalog' }]
    if (lock === undefined) return []
    if (stateBefore?.file !== stateAfter.file) return [{ table, lock, work: 'rewrite' }]
    return [{ table, lock, work: stateBefore?.scans === stateAfter.scans ? 'catalog' : 'scan' }]
  })
}

interface TableState {
  readonly file: number
  readonly scans: number
  /** The strongest lock that this session holds on the table. */
  readonly lock: string | undefined
}

/** Lock modes from the weakest to the strongest: as `pg_locks` spells them, and as SQL does. */
const lockModes: Readonly<Record<string, string>> = {
  AccessShareLock: 'ACCESS SHARE',
  RowShareLock: 'ROW SHARE',
  RowExclusiveLock: 'ROW EXCLUSIVE',
  ShareUpdateExclusiveLock: 'SHARE UPDATE EXCLUSIVE',
  ShareLock: 'SHARE',
  ShareRowExclusiveLock: 'SHARE ROW EXCLUSIVE',
  ExclusiveLock: 'EXCLUSIVE',
  AccessExclusiveLock: 'ACCESS EXCLUSIVE',
}

async function stateOf(client: pg.Client, schema: string): Promise<ReadonlyMap<string, TableState>> {
  const { rows } = await client.query<{ name: string; file: string; scans: string; modes: string[] }>(
    `SELECT c.relname AS name, pg_relation_filenode(c.oid) AS file, coalesce(s.seq_scan, 0) AS scans,
            ARRAY(SELECT l.mode FROM pg_locks AS l WHERE l.pid = pg_backend_pid() AND l.relation = c.oid) AS modes
       FROM pg_class AS c LEFT JOIN pg_stat_xact_all_tables AS s ON s.relid = c.oid
      WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p')`,
    [schema],
  )
  const strongest = (heldModes: readonly string[]): string | undefined => {
    const byStrength = Object.keys(lockModes).filter((mode) => heldModes.includes(mode))
    return lockModes[byStrength.at(-1) ?? '']
  }
  return new Map(
    rows.map(({ name, file, scans, modes }) => [
      name,
      { file: Number(file), scans: Number(scans), lock: strongest(modes) },
    ]),
  )
}
