import type { MigrationSet, StepStatement } from '@queue/postgres'
import { formatDefinition } from './format-statement.ts'

/**
 * The text of each table, view and function that the migrations make, by its file relative to the folder `sql/`. A file has all
 * statements about its object in the order of the migrations, with the schema's default name: a table with its indexes and
 * triggers, a function with its privileges.
 */
export function readDefinitions({ steps, schemaDefault }: MigrationSet): ReadonlyMap<string, string> {
  const statements = steps.flatMap((step) => (step.type === 'transactional' ? step.up(schemaDefault) : []))
  const byFile = Map.groupBy(statements, (statement) => fileOf(statement, schemaDefault))
  return new Map(
    [...byFile].map(([file, ofFile]) => [file, ofFile.map(({ sql }) => formatDefinition(sql)).join('\n')]),
  )
}

/** What a statement is about: patterns whose last group is the name of the object. */
const objects: readonly { readonly folder: string; readonly pattern: RegExp }[] = [
  { folder: 'tables', pattern: /^(?:CREATE|ALTER) TABLE (\w+\.\w+)/ },
  { folder: 'tables', pattern: /^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+\.\w+)/ },
  { folder: 'tables', pattern: /^CREATE TRIGGER \w+ [A-Z ]+(?: OF [\w, ]+)? ON (\w+\.\w+)/ },
  { folder: 'tables', pattern: /^INSERT INTO (\w+\.\w+)/ },
  { folder: 'views', pattern: /^CREATE VIEW (\w+\.\w+)/ },
  { folder: 'functions', pattern: /^CREATE FUNCTION (\w+\.\w+)/ },
  { folder: 'functions', pattern: /^REVOKE ALL ON FUNCTION (\w+\.\w+)/ },
  { folder: 'functions', pattern: /^SELECT (\w+\.\w+)\(\)/ },
]

function fileOf({ sql }: StepStatement, schema: string): string {
  if (/^CREATE (?:DOMAIN|TYPE) /.test(sql)) return 'types.sql'
  for (const { folder, pattern } of objects) {
    const name = pattern.exec(sql)?.[1]
    if (name?.startsWith(`${schema}.`)) return `${folder}/${name.slice(schema.length + 1)}.sql`
  }
  throw new Error(`no file is for the statement ${sql.slice(0, 80)}`)
}
