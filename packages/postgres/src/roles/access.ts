import { quoted } from '../migrator/migration-history.ts'

/** The kinds of objects with privileges. */
export type ObjectKind = 'schema' | 'table' | 'sequence' | 'routine' | 'type'

/** One privilege of one grantee on one object. */
export interface Privilege {
  /** The name of a role; null is PUBLIC. */
  readonly grantee: string | null
  readonly kind: ObjectKind
  /** The name in a statement, with its schema, and quoted if necessary. */
  readonly object: string
  /** Quoted if necessary; null for the whole object. */
  readonly column: string | null
  /** PostgreSQL's name: SELECT, USAGE, … */
  readonly privilege: string
  /** Whether the grantee may grant it to others, which the queue never needs. */
  readonly grantable: boolean
}

type TablePrivilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE'

/** The privileges of a process on a table: on all of it, or only on these columns. */
export type TablePrivileges = Partial<Record<TablePrivilege, 'all' | readonly string[]>>

/** The privileges of each process on each table, by table and process. */
export type PrivilegeMatrix<Role extends string> = Readonly<
  Record<string, Readonly<Record<Role, TablePrivileges>>>
>

/** The privileges of all processes on the objects of one migration set. */
export interface Access<Role extends string = string> {
  /** The processes that connect with a role of their own. The owner of the tables, which migrates, is not one of them. */
  readonly processes: readonly Role[]
  /**
   * The processes that need to see the sessions of other roles, for alerts and runbooks. PostgreSQL shows these sessions to
   * members of `pg_read_all_stats`, for the whole server, so only an administrator can grant it.
   */
  readonly seeSessions: readonly Role[]
  readonly matrix: PrivilegeMatrix<Role>
  /** The names of the objects other than tables. No process needs a privilege on them, unless `routines` grants one. */
  readonly others: Readonly<Record<Exclude<ObjectKind, 'schema' | 'table'>, readonly string[]>>
  readonly routines?: RoutineAccess<Role>
}

/** The routines that run with the privileges of a role of their own, and the processes that may call them. */
export interface RoutineAccess<Role extends string> {
  /** The process whose role owns the routines. Nothing connects with this role, so it never has a password. */
  readonly owner: Role
  /** The names of the routines with the types of their arguments, in the spelling of `pg_get_function_identity_arguments`. */
  readonly signatures: readonly string[]
  /** The routines that each process may call. */
  readonly callers: Partial<Readonly<Record<Role, readonly string[]>>>
}

/**
 * Every object of the migration set, by kind. Other objects in the schema are left alone.
 */
export function ownObjectsOf(
  access: Access,
): Readonly<Record<Exclude<ObjectKind, 'schema'>, readonly string[]>> {
  return { table: Object.keys(access.matrix), ...access.others }
}

/** The privileges of the matrix for these roles, one by one. PUBLIC has none. */
export function wantedPrivileges(
  { processes, matrix, routines }: Access,
  schema: string,
  names: Readonly<Record<string, string>>,
): Privilege[] {
  return processes.flatMap((process) => {
    const grantee = names[process] ?? null
    const common = { grantee, grantable: false } as const
    const usage: Privilege = {
      ...common,
      kind: 'schema',
      object: quoted(schema),
      column: null,
      privilege: 'USAGE',
    }
    const onTables = Object.entries(matrix).flatMap(([table, rows]) =>
      Object.entries(rows[process] ?? {}).flatMap(([privilege, extent]) =>
        (extent === 'all' ? [null] : extent).map(
          (column): Privilege => ({
            ...common,
            kind: 'table',
            object: `${quoted(schema)}.${table}`,
            column,
            privilege,
          }),
        ),
      ),
    )
    const onRoutines = (routines?.callers[process] ?? []).map(
      (signature): Privilege => ({
        ...common,
        kind: 'routine',
        object: `${quoted(schema)}.${signature}`,
        column: null,
        privilege: 'EXECUTE',
      }),
    )
    return [usage, ...onTables, ...onRoutines]
  })
}
