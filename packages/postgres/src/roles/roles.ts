import pg from 'pg'
import { sqlState, sqlStateOf } from '../pg-error.ts'
import { QueueError } from '../errors.ts'
import { assertCurrent } from '../migrator/assert-current.ts'
import { quoted } from '../migrator/migration-history.ts'
import { lockedTransaction, readTransaction } from '../migrator/locked-transaction.ts'
import type { MigrationSet } from '../migrator/migration.ts'
import { type RunnerClient, type RunnerOptions, withRunnerClient } from '../migrator/runner-client.ts'
import { lockedOut } from '../migrator/statement-failure.ts'
import { type Access, wantedPrivileges } from './access.ts'
import { alignStatements, comparePrivileges } from './compare-privileges.ts'
import { assertRoleNames, roleNamesOf } from './role-names.ts'
import { readCatalog } from './read-privileges.ts'
import { routineReturn, routineTransfer } from './routine-owner.ts'

export interface RolesOptions<Role extends string = string> extends RunnerOptions {
  /** The names of the roles; default `<schema>_<process>`. */
  readonly roles?: Partial<Readonly<Record<Role, string>>>
  /**
   * Password verifiers (`SCRAM-SHA-256$…`). A role that has one may log in, and its password is set each time. One
   * that has none is made without a login, to be granted to those who have one; if it exists, it stays as it is.
   */
  readonly passwordVerifiers?: Partial<Readonly<Record<Role, string>>>
}

/** `set_up`: each role has what the matrix says, and no more. `revoked`: none has anything; the roles themselves stay. */
export type RolesGoal = 'set_up' | 'revoked'

export interface RolesReport<Role extends string = string> {
  readonly schema: string
  readonly roles: Readonly<Record<Role, string>>
  /** What was done, or is to be done, in this order; without the text of a password's verifier. */
  readonly statements: readonly string[]
  /**
   * What an administrator has to run, once: it reaches beyond this database, so that it is never run from here. Empty
   * where it has been run, and for a revocation.
   */
  readonly administrator: readonly string[]
}

/** Sets up the roles of the processes of one migration set. Every call makes a connection of its own, and closes it. */
export interface RoleSetter<Role extends string = string> {
  /**
   * The SQL that `apply` would run now. Reads only. Throws `invalid_options` for bad names, `schema_mismatch` where
   * the schema is not at this code's version (a revocation may be had at any).
   */
  plan(options: RolesOptions<Role>, goal: RolesGoal): Promise<RolesReport<Role>>
  /**
   * Makes the roles that are not there, and grants and revokes until they, and PUBLIC, have on the migration set's
   * objects what the matrix says: in one transaction, or not at all. A second call has nothing to do. What else the
   * roles may do in the database is not touched.
   *
   * It needs the owner of the tables. Throws `migration_failed` with what to do where the connection's role may not
   * make roles or grant; nothing is changed then.
   */
  apply(options: RolesOptions<Role>, goal: RolesGoal): Promise<RolesReport<Role>>
}

export function createRoleSetter<Role extends string>(
  migrationSet: MigrationSet,
  access: Access<Role>,
): RoleSetter<Role> {
  const withRoles = (
    options: RolesOptions<Role>,
    goal: RolesGoal,
    body: (context: RolesContext) => Promise<readonly PlannedStatement[]>,
  ): Promise<RolesReport<Role>> =>
    withRunnerClient(migrationSet, options, async (runner) => {
      const names = roleNamesOf(access.processes, runner.schema, options.roles)
      assertRoleNames(names)
      const passwordVerifiers = (options.passwordVerifiers ?? {}) as Record<string, string>
      const context = { ...runner, access, names, passwordVerifiers }
      const statements = (await body(context)).map(shownText)
      const administrator = goal === 'set_up' ? await administratorStatements(context) : []
      return { schema: runner.schema, roles: names, statements, administrator }
    })
  return {
    plan: (options, goal) =>
      withRoles(options, goal, (context) => readTransaction(context, () => planOf(context, goal))),
    apply: (options, goal) => withRoles(options, goal, (context) => applyIn(context, goal)),
  }
}

function applyIn(context: RolesContext, goal: RolesGoal): Promise<readonly PlannedStatement[]> {
  return lockedTransaction(context, {
    body: async () => {
      const plan = await planOf(context, goal)
      await assertMayCreate(context, plan)
      for (const statement of plan) await run(context, statement)
      await assertGoalReached(context, goal)
      return plan
    },
    onWait: () => undefined,
    lockedOut: (error) => lockedOut('the roles', error),
  })
}

interface RolesContext extends RunnerClient {
  readonly access: Access
  /** By process. */
  readonly names: Readonly<Record<string, string>>
  readonly passwordVerifiers: Readonly<Record<string, string>>
}

/** One statement, and what may be shown of it. */
interface PlannedStatement {
  readonly text: string
  readonly shown?: string
  /** The role that it makes. */
  readonly creates?: string
}

function shownText({ text, shown }: PlannedStatement): string {
  return shown ?? text
}

async function planOf(context: RolesContext, goal: RolesGoal): Promise<PlannedStatement[]> {
  if (goal === 'set_up') await assertCurrent(context)
  const { schema, access, names } = context
  const catalog = await readCatalog(context, Object.values(names))
  assertNoOwner(names, catalog.owners)
  if (goal === 'revoked') {
    const ofRoles = catalog.held.filter((privilege) => privilege.grantee !== null)
    const revocations = alignStatements(comparePrivileges(ofRoles, []))
    return [...revocations, ...routineReturn(context, catalog)].map((text) => ({ text }))
  }
  const grants = alignStatements(comparePrivileges(catalog.held, wantedPrivileges(access, schema, names)))
  return [
    ...Object.entries(names).flatMap((named) => roleStatements(context, named, catalog.roles)),
    ...(await connectStatements(context, catalog.roles)),
    ...[...grants, ...(await routineTransfer(context, catalog)).statements].map((text) => ({ text })),
  ]
}

async function administratorStatements(context: RolesContext): Promise<string[]> {
  const catalog = await readCatalog(context, Object.values(context.names))
  const { administrator } = await routineTransfer(context, catalog)
  return [...(await sessionGrants(context)), ...administrator]
}

/** Lets the roles that need it see into the sessions of others: those that cannot do so yet. */
async function sessionGrants({ client, access, names }: RolesContext): Promise<string[]> {
  const wanted = access.seeSessions.map((process) => names[process] ?? '')
  const { rows } = await client.query<{ name: string }>(
    `SELECT rolname::text AS name FROM pg_catalog.pg_roles
      WHERE rolname = ANY($1::text[]) AND pg_catalog.pg_has_role(oid, 'pg_read_all_stats', 'USAGE')`,
    [wanted],
  )
  const withoutAccess = wanted.filter((name) => !rows.some((row) => row.name === name))
  if (withoutAccess.length === 0) return []
  return [`GRANT pg_read_all_stats TO ${withoutAccess.map((name) => pg.escapeIdentifier(name)).join(', ')};`]
}

/** Who owns a table may do anything with it, and can be kept from nothing. */
function assertNoOwner(names: RolesContext['names'], owners: ReadonlySet<string>): void {
  const owner = Object.values(names).find((name) => owners.has(name))
  if (owner === undefined) return
  throw new QueueError(
    'invalid_options',
    `the role ${JSON.stringify(owner)} owns the tables, and its privileges cannot be limited: name another role`,
  )
}

/** A role without a login is a group: whoever is to be that process is made a member of it. */
function roleStatements(
  { passwordVerifiers }: RolesContext,
  [process, name]: readonly [process: string, name: string],
  existing: ReadonlySet<string>,
): PlannedStatement[] {
  const role = pg.escapeIdentifier(name)
  const verifier = passwordVerifiers[process]
  const verb = existing.has(name) ? 'ALTER' : 'CREATE'
  const creates = existing.has(name) ? {} : { creates: name }
  if (verifier === undefined) {
    return existing.has(name) ? [] : [{ text: `CREATE ROLE ${role} NOLOGIN;`, ...creates }]
  }
  const login = `${verb} ROLE ${role} LOGIN PASSWORD`
  return [{ text: `${login} ${pg.escapeLiteral(verifier)};`, shown: `${login} '…';`, ...creates }]
}

/** PUBLIC may connect to a database unless somebody has seen to it; then the roles must be let in by name. */
async function connectStatements(
  { client, names }: RolesContext,
  existing: ReadonlySet<string>,
): Promise<PlannedStatement[]> {
  const { rows } = await client.query<{ database: string; public_may: boolean; may: string[] }>(
    `SELECT d.datname::text AS database,
            EXISTS (SELECT FROM aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) AS a
                     WHERE a.grantee = 0 AND a.privilege_type = 'CONNECT') AS public_may,
            ARRAY(SELECT r.rolname::text FROM pg_roles AS r
                   WHERE r.rolname = ANY($1::text[]) AND has_database_privilege(r.oid, d.oid, 'CONNECT')) AS may
       FROM pg_database AS d WHERE d.datname = current_database()`,
    [[...existing]],
  )
  const [found] = rows
  if (found === undefined || found.public_may) return []
  const withoutConnect = Object.values(names).filter((name) => !found.may.includes(name))
  return withoutConnect.map((name) => ({
    text: `GRANT CONNECT ON DATABASE ${pg.escapeIdentifier(found.database)} TO ${pg.escapeIdentifier(name)};`,
  }))
}

async function assertMayCreate({ client }: RolesContext, plan: readonly PlannedStatement[]): Promise<void> {
  const missing = plan.filter(({ creates }) => creates !== undefined)
  if (missing.length === 0) return
  const { rows } = await client.query<{ name: string; may: boolean }>(
    `SELECT rolname::text AS name, rolsuper OR rolcreaterole AS may FROM pg_roles
      WHERE rolname = current_user`,
  )
  if (rows[0]?.may === true) return
  const roles = missing.map(({ creates }) => JSON.stringify(creates)).join(', ')
  throw new QueueError(
    'migration_failed',
    `these roles do not exist, and ${JSON.stringify(rows[0]?.name)} may not create roles: ${roles}. Let an ` +
      `administrator run: ${missing.map(shownText).join(' ')} Or name existing roles. Then run this again`,
  )
}

async function run(context: RolesContext, statement: PlannedStatement): Promise<void> {
  try {
    await context.client.query(statement.text)
  } catch (error) {
    if (sqlStateOf(error) !== sqlState.insufficientPrivilege) throw error
    throw await refusal(context, shownText(statement), error)
  }
}

/** A grant by a role that may not give it is a mere warning where that role has some privilege of its own. */
async function assertGoalReached(context: RolesContext, goal: RolesGoal): Promise<void> {
  const [remaining] = await planOf(context, goal).then((plan) =>
    plan.filter(({ shown }) => shown === undefined),
  )
  if (remaining !== undefined) throw await refusal(context, remaining.text)
}

async function refusal(
  { client, schema }: RunnerClient,
  statement: string,
  cause?: unknown,
): Promise<QueueError> {
  // Where the statement has failed, so has the transaction that it was part of.
  if (cause !== undefined) await client.query('ROLLBACK')
  const { rows } = await client.query<{ name: string; owners: string[] }>(
    `SELECT current_user::text AS name,
            ARRAY(SELECT DISTINCT pg_get_userbyid(c.relowner)::text FROM pg_class AS c
                   WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p')) AS owners`,
    [quoted(schema)],
  )
  const owners = rows[0]?.owners.map((owner) => JSON.stringify(owner)).join(', ') ?? ''
  return new QueueError(
    'migration_failed',
    `${JSON.stringify(rows[0]?.name)} may not run: ${statement} This needs the owner of the tables (${owners}), and ` +
      'CREATEROLE for roles and their passwords. Run it as such a role, or let an administrator run the statement. ' +
      'Nothing has been changed',
    { cause },
  )
}
