import { assertArguments, text } from '@queue/loop/arguments'
import { QueueError } from '../errors.ts'

/** Short enough that the schema's name is an identifier with the longest suffix of a notification channel, `.outbox`, too. */
const schemaPattern = /^[a-z_][a-z0-9_]{0,55}$/

/** Throws `invalid_options` unless `schema` is an identifier that needs no escaping and cannot be one of PostgreSQL's own. */
export function assertSchemaName(schema: string): void {
  assertArguments('schema', { name: text }, [schema])
  if (schemaPattern.test(schema) && !schema.startsWith('pg_') && schema !== 'information_schema') return
  throw new QueueError(
    'invalid_options',
    `the schema name ${JSON.stringify(schema)} must match ${schemaPattern.source} and must not begin with pg_`,
  )
}
