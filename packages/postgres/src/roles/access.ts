import { quoted } from '../migrator/migration-history.ts'

/** The kinds of objects with privileges. */
export type ObjectKind = 'schema' | 'table' | 'sequence' | 'routine' | 'type'

/** One privilege of one grantee on one object. */
export interface Privilege {
  /** The name of a role; null is PUBLIC, everybody. */
  readonly grantee: string | null
  readonly kind: ObjectKind
  /** As a statement names it: quoted where it must be, and with its schema. */
  readonly object: string
  /** Quoted where it must be; null for the whole object. */
  readonly column: string | null
  /** As PostgreSQL names it: SELECT, USAGE, … */
  readonly privilege: string
  /** Whether the grantee may grant it to others. Nobody should. */
  readonly grantable: boolean
}

type TablePrivilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE'

/** What a process may do with a table: with all of it, or with these columns alone. */
export type TablePrivileges = Partial<Record<TablePrivilege, 'all' | readonly string[]>>

/** What each process may do with each table: table by process. */
export type PrivilegeMatrix<Role extends string> = Readonly<
  Record<string, Readonly<Record<Role, TablePrivileges>>>
>

/** Who may do what with the objects of one migration set of schemas. */
export interface Access<Role extends string = string> {
  /** Who may connect with a role of its own. The owner of the tables is none of them: it migrates. */
  readonly processes: readonly Role[]
  /**
   * Those that need to see into the sessions of other roles, for alerts and runbooks. PostgreSQL shows them to members of
   * `pg_read_all_stats`, for the whole server: an administrator grants it, and nobody else.
   */
  readonly seeSessions: readonly Role[]
  readonly matrix: PrivilegeMatrix<Role>
  /** The objects that are no tables, by name. Nobody needs a privilege on them, unless `routines` says so. */
  readonly others: Readonly<Record<Exclude<ObjectKind, 'schema' | 'table'>, readonly string[]>>
  readonly routines?: RoutineAccess<Role>
}

/** The routines that run with the rights of a role of their own, and who may call them. */
export interface RoutineAccess<Role extends string> {
  /** Whose role owns the routines. Nobody connects with it, so it never has a password. */
  readonly owner: Role
  /** Their names with the types of their arguments, as `pg_get_function_identity_arguments` spells them. */
  readonly signatures: readonly string[]
  /** Those that each process may call. */
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

/** The matrix for these roles, one privilege at a time. PUBLIC has none. */
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
