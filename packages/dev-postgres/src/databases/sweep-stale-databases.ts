import pg from 'pg'

/** Followed by the time of creation, in milliseconds since 1970, and a random suffix. */
export const testDatabasePrefix = 'queue_test_'

/** Followed by a digest of the template's key, and the time of creation, in milliseconds since 1970. */
export const templatePrefix = 'queue_template_'

/** The time of creation in the name of a test database or template, in milliseconds since 1970. */
function createdAtOf(name: string): number | undefined {
  const time = /_(\d{13})(?:_|$)/.exec(name)?.[1]
  return time === undefined ? undefined : Number(time)
}

/** In milliseconds. No test run takes that long. */
const staleAfterMs = 24 * 60 * 60 * 1000
/** In milliseconds. A template may still be in use, but it is quickly made again. */
const staleTemplateAfterMs = 7 * staleAfterMs

/**
 * Removes what earlier runs have left on a long-lived server: the databases of killed runs, and the templates of migrations
 * that have changed since.
 */
export async function sweepStaleDatabases(client: pg.Client, now = Date.now()): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1) OR starts_with(datname, $2)',
    [testDatabasePrefix, templatePrefix],
  )
  for (const { datname } of rows) {
    const isTemplate = datname.startsWith(templatePrefix)
    const createdAt = createdAtOf(datname)
    const limit = isTemplate ? staleTemplateAfterMs : staleAfterMs
    if (createdAt === undefined || now - createdAt < limit) continue
    const quoted = pg.escapeIdentifier(datname)
    if (isTemplate) await client.query(`ALTER DATABASE ${quoted} WITH IS_TEMPLATE false`)
    await client.query(`DROP DATABASE IF EXISTS ${quoted} WITH (FORCE)`)
  }
}
