import { having, object, type Rule, text } from '@queue/loop/arguments'

/** A database, as `createTestDatabase` returns it: a pool, and the name of a schema. */
export const databaseRule: Rule = (value) => {
  const fault = object(value)
  if (fault !== undefined) return fault
  const { pool, schema } = (value ?? {}) as { readonly pool?: unknown; readonly schema?: unknown }
  const isDatabase = having('', 'query')(pool) === undefined && text(schema) === undefined
  return isDatabase ? undefined : 'a database, which createTestDatabase returns'
}
