import pg from 'pg'
import type { TestDatabase } from '@queue/testing'

/** The types of PostgreSQL that columns, parameters and results of statements have. */
const types =
  'text varchar name "char" uuid bool int2 int4 int8 float8 numeric timestamptz timestamp date interval jsonb json bytea xid xid8 oid regclass text[] uuid[] int2[] int4[] int8[] float8[] numeric[] timestamptz[] jsonb[]'.split(
    ' ',
  )
const conditions = [
  '=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  '@>',
  '<@',
  '&&',
  '?',
  '?|',
  '?&',
  '~',
  '~*',
  '!~',
  '~~',
  '!~~',
]
const others = ['+', '-', '*', '/', '%', '||', '->', '->>', '#>', '#>>', '#-', '&', '|']

const schema = 'impostors'
/** Each function and operator is an object that its transaction locks. */
const impostorsAtOnce = 1_000

/**
 * The functions and operators that others could have created and that a session would call for these statements if their schema
 * were in its search path, by the names of the statements. PostgreSQL prefers an operator for exactly the types of both sides, in
 * whichever schema: here is one for each two types for which PostgreSQL has none of its own. Here is also each function of
 * PostgreSQL that a statement calls, in a schema before its own. A statement that PostgreSQL refuses because of an impostor has
 * its error in the list.
 */
export async function findForeignCalls(
  database: TestDatabase,
  statements: readonly (readonly [name: string, text: string])[],
): Promise<string[]> {
  const texts = statements.map(([, text]) => text)
  await createImpostors(database, [
    ...(await operatorImpostors(database)),
    ...(await functionImpostors(database, texts)),
  ])
  // A caller without the right to call the impostors: each call of one is refused by its name before it runs.
  const role = `caller_${process.pid}_${Math.random().toString(36).slice(2)}`
  await createCaller(database, role)
  const client = new pg.Client(database.url)
  await client.connect()
  try {
    await client.query(
      `SET ROLE ${role}; SET search_path = ${schema}, pg_catalog; SET plan_cache_mode = force_generic_plan`,
    )
    const found: string[] = []
    for (const [name, text] of statements) {
      const refusal = await refusalOf(client, text)
      if (refusal !== undefined) found.push(`${name}: ${refusal}`)
    }
    return found
  } finally {
    await client.end()
    await database.pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  }
}

/** Why this statement cannot be planned and begun; undefined if it can. */
async function refusalOf(client: pg.Client, text: string): Promise<string | undefined> {
  try {
    await client.query(`PREPARE statement AS ${text}`)
    const { rows } = await client.query<{ count: number }>(
      `SELECT pg_catalog.cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = 'statement'`,
    )
    const values = Array.from({ length: rows[0]?.count ?? 0 }, () => 'NULL')
    await client.query(`EXPLAIN EXECUTE statement${values.length === 0 ? '' : `(${values.join(', ')})`}`)
    return undefined
  } catch (error) {
    return String(error)
  } finally {
    await client.query('DEALLOCATE ALL')
  }
}

interface Impostor {
  /** The quoted name of the function, with the types of its arguments. */
  readonly signature: string
  readonly result: string
  /** The operator that the function carries out. */
  readonly operator?: string
}

async function createImpostors({ pool }: TestDatabase, impostors: readonly Impostor[]): Promise<void> {
  await pool.query(`CREATE SCHEMA ${schema}; GRANT USAGE ON SCHEMA ${schema} TO PUBLIC`)
  const definitions = impostors.map(
    ({ signature, result, operator = '' }) => `
      CREATE FUNCTION ${schema}.${signature} RETURNS ${result} LANGUAGE internal AS 'booleq';
      REVOKE EXECUTE ON FUNCTION ${schema}.${signature} FROM PUBLIC;
      ${operator}`,
  )
  for (let at = 0; at < definitions.length; at += impostorsAtOnce)
    await pool.query(definitions.slice(at, at + impostorsAtOnce).join(';'))
}

async function operatorImpostors({ pool }: TestDatabase): Promise<Impostor[]> {
  const { rows } = await pool.query<{ operator: string; left: string; right: string; result: string }>(
    `SELECT o.operator, l.type AS left, r.type AS right,
            CASE WHEN o.operator = ANY($2::text[]) THEN 'boolean' ELSE l.type::text END AS result
       FROM unnest($2::text[] || $3::text[]) AS o (operator), unnest($1::regtype[]) AS l (type), unnest($1::regtype[]) AS r (type)
      WHERE NOT EXISTS (SELECT FROM pg_operator AS p WHERE p.oprnamespace = 'pg_catalog'::regnamespace
                           AND p.oprname = o.operator AND p.oprleft = l.type AND p.oprright = r.type)`,
    [types, conditions, others],
  )
  return rows.map(({ operator, left, right, result }) => {
    const name = `"${left.replaceAll('"', '')} ${operator} ${right.replaceAll('"', '')}"`
    return {
      signature: `${name}(${left}, ${right})`,
      result,
      operator: `CREATE OPERATOR ${schema}.${operator} (LEFTARG = ${left}, RIGHTARG = ${right}, FUNCTION = ${schema}.${name})`,
    }
  })
}

/** The functions of PostgreSQL whose names occur in the texts. An aggregate becomes a function, which is refused as well. */
async function functionImpostors({ pool }: TestDatabase, texts: readonly string[]): Promise<Impostor[]> {
  const names = new Set(texts.flatMap((text) => text.match(/[a-z_][a-z_0-9]*(?=\()/g) ?? []))
  const { rows } = await pool.query<Impostor>(
    `SELECT format('%I(%s)', p.proname, (
              SELECT string_agg(CASE WHEN a.n = p.pronargs AND p.provariadic <> 0 THEN 'VARIADIC ' ELSE '' END
                                || format_type(a.type, NULL), ', ' ORDER BY a.n)
                FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a (type, n))) AS signature,
            CASE WHEN p.proretset THEN 'SETOF ' ELSE '' END || format_type(p.prorettype, NULL) AS result
       FROM pg_proc AS p
      WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY($1::text[])
        AND p.prorettype <> 'internal'::regtype AND NOT 'internal'::regtype = ANY(p.proargtypes::oid[])`,
    [[...names]],
  )
  return rows
}

/** Creates a role that may do everything with the tables, types and functions of the queue and the outbox, and owns nothing. */
async function createCaller({ pool }: TestDatabase, role: string): Promise<void> {
  await pool.query(`CREATE ROLE ${role}`)
  const { rows } = await pool.query<{ grants: string }>(
    `SELECT format('GRANT ALL ON SCHEMA %1$I TO %2$I; GRANT ALL ON ALL TABLES IN SCHEMA %1$I TO %2$I;
                    GRANT ALL ON ALL SEQUENCES IN SCHEMA %1$I TO %2$I; GRANT ALL ON ALL FUNCTIONS IN SCHEMA %1$I TO %2$I', n.nspname, $1::text) AS grants
       FROM pg_namespace AS n WHERE n.nspname = ANY($2::text[])
     UNION ALL
     SELECT format('GRANT USAGE ON TYPE %s TO %I', t.oid::regtype, $1::text)
       FROM pg_type AS t JOIN pg_namespace AS n ON n.oid = t.typnamespace
      WHERE n.nspname = ANY($2::text[]) AND t.typtype IN ('d', 'e')`,
    [role, ['queue', 'outbox']],
  )
  for (const { grants } of rows) await pool.query(grants)
}
