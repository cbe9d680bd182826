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
   * Password verifiers (`SCRAM-SHA-256$…`). A role with a verifier may log in, and its password is set each time. A role without
   * one is created without a login, to be granted to roles that have one; if it exists, it stays unchanged.
   */
  readonly passwordVerifiers?: Partial<Readonly<Record<Role, string>>>
}

/** `set_up`: each role has exactly the privileges of the matrix. `revoked`: no role has any; the roles themselves stay. */
export type RolesGoal = 'set_up' | 'revoked'

export interface RolesReport<Role extends string = string> {
  readonly schema: string
  readonly roles: Readonly<Record<Role, string>>
  /** The statements that were run, or are to be run, in this order; without the texts of password verifiers. */
  readonly statements: readonly string[]
  /**
   * The statements that an administrator must run once. They affect more than this database, so they are never run from here.
   * Empty once they have been run, and for a revocation.
   */
  readonly administrator: readonly string[]
}

/** Sets up the roles for the processes of one migration set. Every call opens a connection of its own, and closes it. */
export interface RoleSetter<Role extends string = string> {
  /**
   * The SQL that `apply` would run now. Reads only. Throws `invalid_options` for invalid names, and `schema_mismatch` if the
   * schema is not at this code's version; a revocation works at any version.
   */
  plan(options: RolesOptions<Role>, goal: RolesGoal): Promise<RolesReport<Role>>
  /**
   * Creates the missing roles, and grants and revokes privileges until the roles and PUBLIC have exactly the privileges of the
   * matrix on the migration set's objects. It does so in one transaction. A second call changes nothing. Privileges on other
   * objects are left alone.
   *
   * It needs the owner of the tables. If the connection's role may not create roles or grant privileges, it changes nothing and
   * throws `migration_failed`, which says what to do.
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
      const statements = (await body(context)).map(reportedText)
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
  /** The names of the roles, by process. */
  readonly names: Readonly<Record<string, string>>
  readonly passwordVerifiers: Readonly<Record<string, string>>
}

/** One statement of the plan. */
interface PlannedStatement {
  readonly text: string
  /** The text without its password verifier; absent if it contains none. */
  readonly redactedText?: string
  /** The role that it creates. */
  readonly creates?: string
}

function reportedText({ text, redactedText }: PlannedStatement): string {
  return redactedText ?? text
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

/** The grant that lets roles see the sessions of others, for the roles that need it and cannot do so yet. */
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

/** The owner of a table may do anything with it, so its privileges cannot be limited. */
function assertNoOwner(names: RolesContext['names'], owners: ReadonlySet<string>): void {
  const owner = Object.values(names).find((name) => owners.has(name))
  if (owner === undefined) return
  throw new QueueError(
    'invalid_options',
    `the role ${JSON.stringify(owner)} owns the tables, so its privileges cannot be limited: choose another role`,
  )
}

/** Creates a role without a verifier as a group, of which the login of the process becomes a member. */
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
  return [{ text: `${login} ${pg.escapeLiteral(verifier)};`, redactedText: `${login} '…';`, ...creates }]
}

/** By default PUBLIC may connect to a database. If that was revoked, each role needs CONNECT. */
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
  const [row] = rows
  if (row === undefined || row.public_may) return []
  const withoutConnect = Object.values(names).filter((name) => !row.may.includes(name))
  return withoutConnect.map((name) => ({
    text: `GRANT CONNECT ON DATABASE ${pg.escapeIdentifier(row.database)} TO ${pg.escapeIdentifier(name)};`,
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
      `administrator run: ${missing.map(reportedText).join(' ')} Or choose existing roles. Then run this again`,
  )
}

async function run(context: RolesContext, statement: PlannedStatement): Promise<void> {
  try {
    await context.client.query(statement.text)
  } catch (error) {
    if (sqlStateOf(error) !== sqlState.insufficientPrivilege) throw error
    throw await refusal(context, reportedText(statement), error)
  }
}

/** Checks the result, because PostgreSQL only warns about a grant by a role that holds a privilege but may not grant it. */
async function assertGoalReached(context: RolesContext, goal: RolesGoal): Promise<void> {
  const [remaining] = await planOf(context, goal).then((plan) =>
    plan.filter(({ redactedText }) => redactedText === undefined),
  )
  if (remaining !== undefined) throw await refusal(context, remaining.text)
}

async function refusal(
  { client, schema }: RunnerClient,
  statement: string,
  cause?: unknown,
): Promise<QueueError> {
  // If the statement has failed, so has its transaction.
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
      'Nothing was changed',
    { cause },
  )
}
