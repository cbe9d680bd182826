import pg from 'pg'
import { quoted } from '../migrator/migration-history.ts'
import type { RunnerClient } from '../migrator/runner-client.ts'
import type { Access } from './access.ts'
import type { Catalog } from './read-privileges.ts'

interface RoutineContext extends RunnerClient {
  readonly access: Access
  /** The names of the roles, by process. */
  readonly names: Readonly<Record<string, string>>
}

/** The statements that give the routines to the role that they run as. */
export interface RoutineTransfer {
  readonly statements: readonly string[]
  /** The statements that an administrator must run first, because this role may not give an object to that one. */
  readonly administrator: readonly string[]
}

const noTransfer: RoutineTransfer = { statements: [], administrator: [] }

/**
 * Gives the routines to the role that they run as, so that they have only its privileges. Until then they run as the owner of the
 * tables. The current role must be able to SET ROLE to the new owner, and keeps that right. Owning an object in a schema requires
 * CREATE on it, which the new owner has only during these statements.
 */
export async function routineTransfer(context: RoutineContext, catalog: Catalog): Promise<RoutineTransfer> {
  const { access, schema, client } = context
  const role = ownerOf(context)
  const foreign = (access.routines?.signatures ?? [])
    .map((signature) => `${quoted(schema)}.${signature}`)
    .filter((routine) => catalog.routineOwners.has(routine) && catalog.routineOwners.get(routine) !== role)
  if (role === undefined || foreign.length === 0) return noTransfer
  const owner = pg.escapeIdentifier(role)
  const { mayTurnInto, mayJoin, user } = await rightsOver(client, role)
  if (!mayTurnInto && !mayJoin) {
    return { statements: [], administrator: [`GRANT ${owner} TO ${pg.escapeIdentifier(user)};`] }
  }
  return {
    statements: [
      ...(mayTurnInto ? [] : [`GRANT ${owner} TO CURRENT_USER;`]),
      `GRANT CREATE ON SCHEMA ${quoted(schema)} TO ${owner};`,
      ...foreign.map((routine) => `ALTER ROUTINE ${routine} OWNER TO ${owner};`),
      `REVOKE CREATE ON SCHEMA ${quoted(schema)} FROM ${owner};`,
    ],
    administrator: [],
  }
}

/** The statements that take the routines back from that role. */
export function routineReturn(context: RoutineContext, catalog: Catalog): string[] {
  const role = ownerOf(context)
  return [...catalog.routineOwners]
    .filter(([, owner]) => owner === role)
    .map(([routine]) => `ALTER ROUTINE ${routine} OWNER TO CURRENT_USER;`)
}

function ownerOf({ access, names }: RoutineContext): string | undefined {
  return access.routines === undefined ? undefined : names[access.routines.owner]
}

interface Rights {
  readonly user: string
  readonly mayTurnInto: boolean
  readonly mayJoin: boolean
}

/**
 * The rights of the current role over `role`. Since PostgreSQL 16 the creator of a role may grant itself membership with SET;
 * before that, a role with CREATEROLE could join any role.
 */
async function rightsOver(client: RunnerClient['client'], role: string): Promise<Rights> {
  const { rows } = await client.query<Rights>(
    `SELECT current_user::text AS user,
            u.rolsuper OR coalesce(pg_has_role(u.oid, r.oid,
              CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END), false)
              AS "mayTurnInto",
            r.oid IS NULL OR pg_has_role(u.oid, r.oid, 'MEMBER WITH ADMIN OPTION')
              OR (u.rolcreaterole AND current_setting('server_version_num')::integer < 160000) AS "mayJoin"
       FROM pg_roles AS u LEFT JOIN pg_roles AS r ON r.rolname = $1 WHERE u.rolname = current_user`,
    [role],
  )
  return rows[0] ?? { user: '', mayTurnInto: false, mayJoin: false }
}
