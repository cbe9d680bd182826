/** Followed by the time of creation, in milliseconds since 1970, and a random suffix. */
export const testDatabasePrefix = 'queue_test_'

/** Followed by a digest of the template's key, and the time of creation, in milliseconds since 1970. */
export const templatePrefix = 'queue_template_'

/** The time of creation in the name of a test database or template, in milliseconds since 1970. */
export function createdAtOf(name: string): number | undefined {
  const time = /_(\d{13})(?:_|$)/.exec(name)?.[1]
  return time === undefined ? undefined : Number(time)
}
