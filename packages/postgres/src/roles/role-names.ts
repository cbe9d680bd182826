import { QueueError } from '../errors.ts'

/** PostgreSQL truncates longer names, which would then name another role. */
const nameBytesMax = 63

/** The names of the roles of these processes: the name in `overrides`, or `<schema>_<process>`. */
export function roleNamesOf<Role extends string>(
  processes: readonly Role[],
  schema: string,
  overrides: Partial<Readonly<Record<Role, string>>> = {},
): Readonly<Record<Role, string>> {
  const names = processes.map((process) => [process, overrides[process] ?? `${schema}_${process}`])
  return Object.fromEntries(names) as Readonly<Record<Role, string>>
}

/**
 * Throws `invalid_options` for a name that PostgreSQL would not take unchanged, and if two processes would share a role. One
 * login can still serve both processes as a member of both roles.
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

/** Throws `invalid_options` unless PostgreSQL would take `name` unchanged as the name of a role. */
export function assertRoleName(name: string): void {
  const isValidText = Buffer.byteLength(name) <= nameBytesMax && /^[^\p{Cc}\p{Cs}]+$/u.test(name)
  if (isValidText && !name.startsWith('pg_') && !['public', 'none'].includes(name)) return
  throw new QueueError(
    'invalid_options',
    `the role name ${JSON.stringify(name.slice(0, 2 * nameBytesMax))} must have 1 to ${nameBytesMax} bytes, must not ` +
      'begin with pg_, and must be neither public nor none',
  )
}
