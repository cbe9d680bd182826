import type { Migration, MigrationSet, StepStatement } from '@queue/postgres'
import pg from 'pg'

/** What a statement has done to one table. */
interface Seen {
  readonly table: string
  readonly lock: string
  readonly work: 'catalog' | 'scan' | 'rewrite'
}

/**
 * Applies the steps of a migration set, one statement after the other, to a database without its schema, and compares
 * what each statement has locked and gone over of the tables that were there before its step with what the step says of
 * it. Gives what is wrong, a line each. Batches are left out: they change rows, and lock nothing else.
 */
export async function findWrongUses(migrationSet: MigrationSet, databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const schema = pg.escapeIdentifier(migrationSet.schemaDefault)
  try {
    await client.query(`CREATE SCHEMA ${schema}`)
    const wrong: string[] = []
    for (const step of migrationSet.steps) {
      const before = await tablesOf(client, migrationSet.schemaDefault)
      for (const { sql, uses = [] } of statementsOf(step, schema)) {
        const seen = await observe(client, { sql, schema: migrationSet.schemaDefault, tables: before })
        const expected = uses.map(({ table, lock, work }) => describe({ table, lock, work: workSeen[work] }))
        const found = seen.map(describe)
        if (String(found.toSorted()) !== String(expected.toSorted()))
          wrong.push(`step ${step.version} ${step.name}: ${sql} does ${found.join('; ') || 'nothing'}`)
      }
    }
    return wrong
  } finally {
    await client.end()
  }
}

/** A build reads every row, whether it keeps others from writing or not. */
const workSeen = {
  catalog: 'catalog',
  scan: 'scan',
  index: 'scan',
  'concurrent index': 'scan',
  rewrite: 'rewrite',
} as const

function describe({ table, lock, work }: Seen): string {
  return `${lock} on ${table}, ${work}`
}

/** An index that is to be built while others write is built as PostgreSQL does it in a transaction. */
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

interface Observed {
  readonly sql: string
  readonly schema: string
  readonly tables: readonly string[]
}

/** Runs the statement in a transaction of its own, and tells what it has done to these tables. */
async function observe(client: pg.Client, { sql, schema, tables }: Observed): Promise<Seen[]> {
  await client.query('BEGIN')
  const before = await stateOf(client, schema)
  await client.query(sql)
  const after = await stateOf(client, schema)
  await client.query('COMMIT')
  return tables.flatMap((table): Seen[] => {
    const [then, now] = [before.get(table), after.get(table)]
    const lock = now?.lock
    // A table that is gone had to be locked as strongly as can be.
    if (now === undefined) return [{ table, lock: 'ACCESS EXCLUSIVE', work: 'catalog' }]
    if (lock === undefined) return []
    if (then?.file !== now.file) return [{ table, lock, work: 'rewrite' }]
    return [{ table, lock, work: then?.scans === now.scans ? 'catalog' : 'scan' }]
  })
}

interface TableState {
  readonly file: number
  readonly scans: number
  /** The strongest that this session has. */
  readonly lock: string | undefined
}

/** By the strength of their modes, as `pg_locks` spells them. */
const modes: Readonly<Record<string, string>> = {
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
  const strongest = (held: readonly string[]): string | undefined => {
    const known = Object.keys(modes).filter((mode) => held.includes(mode))
    return modes[known.at(-1) ?? '']
  }
  return new Map(
    rows.map(({ name, file, scans, modes: held }) => [
      name,
      { file: Number(file), scans: Number(scans), lock: strongest(held) },
    ]),
  )
}
