import pg from 'pg'
import type { Privilege } from './access.ts'
import { kindWords } from './read-privileges.ts'

export interface PrivilegeDifference {
  /** To be granted. */
  readonly missing: readonly Privilege[]
  /** To be revoked. */
  readonly surplus: readonly Privilege[]
}

/** The grants and revocations that turn the held privileges into exactly the wanted ones. */
export function comparePrivileges(
  held: readonly Privilege[],
  wanted: readonly Privilege[],
): PrivilegeDifference {
  const wantedKeys = new Set(wanted.map(keyOf))
  const surplus = held.filter((privilege) => privilege.grantable || !wantedKeys.has(keyOf(privilege)))
  const surplusKeys = new Set(surplus.map(keyOf))
  // Revoking a privilege on a table also revokes it on all of its columns.
  const remaining = held.filter(
    (privilege) =>
      !surplusKeys.has(keyOf(privilege)) && !surplusKeys.has(keyOf({ ...privilege, column: null })),
  )
  const heldKeys = new Set(remaining.map(keyOf))
  return { missing: wanted.filter((privilege) => !heldKeys.has(keyOf(privilege))), surplus }
}

/** The wanted privileges that the held ones do not cover: a privilege on a table covers its columns. */
export function lackingPrivileges(held: readonly Privilege[], wanted: readonly Privilege[]): Privilege[] {
  const heldKeys = new Set(held.map(keyOf))
  return wanted.filter(
    (privilege) => !heldKeys.has(keyOf(privilege)) && !heldKeys.has(keyOf({ ...privilege, column: null })),
  )
}

function keyOf({ grantee, kind, object, column, privilege }: Privilege): string {
  return JSON.stringify([grantee, kind, object, column, privilege])
}

/** The statements that remove the difference: revocations first, one statement for each grantee and object. */
export function alignStatements({ missing, surplus }: PrivilegeDifference): string[] {
  return [
    ...grouped(surplus).map(
      ([first, list]) => `REVOKE ${list} ON ${nameOf(first)} FROM ${granteeOf(first)};`,
    ),
    ...grouped(missing).map(([first, list]) => `GRANT ${list} ON ${nameOf(first)} TO ${granteeOf(first)};`),
  ]
}

function nameOf({ kind, object }: Privilege): string {
  return `${kindWords[kind]} ${object}`
}

function granteeOf({ grantee }: Privilege): string {
  return grantee === null ? 'PUBLIC' : pg.escapeIdentifier(grantee)
}

/** One of the privileges of each grantee on each object, with the list of all: `SELECT, UPDATE (a, b)`. */
function grouped(privileges: readonly Privilege[]): [Privilege, string][] {
  const groups = Map.groupBy(privileges, ({ grantee, kind, object }) =>
    JSON.stringify([grantee, kind, object]),
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [[first, listOf(group)] satisfies [Privilege, string]]
  })
}

function listOf(group: readonly Privilege[]): string {
  const byPrivilege = Map.groupBy(group, ({ privilege, column }) =>
    JSON.stringify([privilege, column === null]),
  )
  return [...byPrivilege.values()]
    .map((same) => {
      const columns = same.flatMap(({ column }) => (column === null ? [] : [column]))
      return `${same[0]?.privilege}${columns.length === 0 ? '' : ` (${columns.join(', ')})`}`
    })
    .join(', ')
}
