import { QueueError } from '../errors.ts'

/** PostgreSQL cuts longer names, and would then speak of another role. */
const nameBytesMax = 63

/** The names of the roles of some processes: those that are given, `<schema>_<process>` for the others. */
export function roleNamesOf<Role extends string>(
  of: readonly Role[],
  schema: string,
  given: Partial<Readonly<Record<Role, string>>> = {},
): Readonly<Record<Role, string>> {
  const named = of.map((process) => [process, given[process] ?? `${schema}_${process}`])
  return Object.fromEntries(named) as Readonly<Record<Role, string>>
}

/**
 * Throws `invalid_options` for a name that PostgreSQL would not take as it is, and where two processes would share a
 * role: a login that is a member of both roles serves that end.
 */
export function assertRoleNames(names: Readonly<Record<string, string>>): void {
  const all = Object.values(names)
  for (const name of all) assertRoleName(name)
  if (new Set(all).size === all.length) return
  throw new QueueError(
    'invalid_options',
    `the roles must differ (${all.join(', ')}): for a login with both tasks, make it a member of both roles`,
  )
}

/** Throws `invalid_options` unless PostgreSQL would take `name` for a role, as it is. */
export function assertRoleName(name: string): void {
  const fits = Buffer.byteLength(name) <= nameBytesMax && /^[^\p{Cc}\p{Cs}]+$/u.test(name)
  if (fits && !name.startsWith('pg_') && !['public', 'none'].includes(name)) return
  throw new QueueError(
    'invalid_options',
    `the role name ${JSON.stringify(name.slice(0, 2 * nameBytesMax))} must have 1 to ${nameBytesMax} bytes, must not ` +
      'begin with pg_, and must be neither public nor none',
  )
}
