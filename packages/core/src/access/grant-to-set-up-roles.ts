import type { RunnerClient } from '../migrations/runner-client.ts'
import { type Access, type Privilege, wantedPrivileges } from './access.ts'
import { alignStatements, lackingPrivileges } from './compare-privileges.ts'
import { roleNamesOf } from './process-roles.ts'
import { type Catalog, placeOf, readCatalog } from './read-privileges.ts'

export interface GrantContext extends RunnerClient {
  readonly access: Access
  readonly roles: Readonly<Record<string, string>>
}

/**
 * Gives the roles that have been set up what they need of the tables as they are now, and takes from PUBLIC what a new
 * type or routine gives it. It takes nothing from a role, because processes of an older release may go on during an
 * upgrade, and may need what the newer ones do not; `applyRoles` does.
 */
export async function grantToSetUpRoles(context: GrantContext): Promise<void> {
  const { catalog, wanted } = await setUpPrivileges(context)
  const reachable = wanted.filter((privilege) => catalog.places.has(placeOf(privilege)))
  for (const statement of additions(catalog, reachable)) await context.client.query(statement)
}

/**
 * The grants that the roles will be given by the steps to come, and by those that have been. What PUBLIC will have to
 * lose of objects that are not there yet is not among them.
 */
export async function plannedGrants(context: GrantContext): Promise<string[]> {
  const { catalog, wanted } = await setUpPrivileges(context)
  return additions(catalog, wanted).map((statement) => `${statement}\n`)
}

function additions(catalog: Catalog, wanted: readonly Privilege[]): string[] {
  if (wanted.length === 0) return []
  const missing = lackingPrivileges(catalog.held, wanted)
  const surplus = catalog.held.filter((privilege) => privilege.grantee === null)
  return alignStatements({ missing, surplus })
}

/** A role has been set up when it was let into the schema by name. */
async function setUpPrivileges(context: GrantContext): Promise<{
  readonly catalog: Catalog
  readonly wanted: readonly Privilege[]
}> {
  const { schema, access, roles } = context
  const names = roleNamesOf(access.processes, schema, roles)
  const catalog = await readCatalog(context, Object.values(names))
  const letIn = new Set(catalog.held.filter(({ kind }) => kind === 'schema').map(({ grantee }) => grantee))
  const wanted = wantedPrivileges(access, schema, names).filter(({ grantee }) => letIn.has(grantee))
  return { catalog, wanted }
}
