import { quoted, type RunnerClient } from '@queue/postgres'
import { type CheckOf, ok, problem, rowsOf } from './finding.ts'

interface TableWithoutIdentity {
  readonly name: string
  readonly has_key: boolean
  /** The publications by which its UPDATE and DELETE fail. */
  readonly publications: readonly string[]
}

/**
 * Whether PostgreSQL refuses changes of a table because a publication has it: it refuses every UPDATE and DELETE of a
 * published table without a replica identity.
 */
export const checkPublications: CheckOf<RunnerClient> = async (context) => {
  const tables = await rowsOf<TableWithoutIdentity>(
    context,
    `SELECT c.relname::text AS name,
            EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c.oid AND i.indisprimary) AS has_key,
            ARRAY(SELECT p.pubname::text FROM pg_publication_tables AS t JOIN pg_publication AS p USING (pubname)
                   WHERE t.schemaname = $2 AND t.tablename = c.relname AND (p.pubupdate OR p.pubdelete)
                   ORDER BY p.pubname) AS publications
       FROM pg_class AS c
      WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r' AND c.relreplident <> 'f'
        AND NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c.oid
                           AND CASE c.relreplident WHEN 'd' THEN i.indisprimary ELSE i.indisreplident END)
      ORDER BY c.relname`,
    [quoted(context.schema), context.schema],
  )
  const details = {
    tables: tables.map(({ name, publications }) => ({ name, publications: [...publications] })),
  }
  if (tables.length === 0) return ok('every table has a replica identity', details)
  const published = tables.filter(({ publications }) => publications.length > 0)
  const named = (some: readonly TableWithoutIdentity[]) => some.map(({ name }) => name).join(', ')
  return problem(published.length > 0 ? 'failure' : 'warning', {
    message:
      published.length > 0
        ? `no replica identity, but published by ${[...new Set(published.flatMap(({ publications }) => publications))].join(', ')}, so PostgreSQL refuses every change: ${named(published)}`
        : `no replica identity: ${named(tables)}. If a publication includes it, PostgreSQL refuses every change`,
    cure: tables
      .map(({ name, has_key }) => {
        const identity = has_key ? 'DEFAULT' : 'FULL'
        return `ALTER TABLE ${quoted(context.schema)}.${quoted(name)} REPLICA IDENTITY ${identity};`
      })
      .join(' '),
    details,
  })
}
