import type { RunnerClient } from '../migrator/runner-client.ts'
import type { Grants } from '../migrator/step.ts'
import { type Access, type Privilege, wantedPrivileges } from './access.ts'
import { alignStatements, lackingPrivileges } from './compare-privileges.ts'
import { roleNamesOf } from './role-names.ts'
import { type Catalog, objectKey, readCatalog } from './read-privileges.ts'
import { routineTransfer } from './routine-owner.ts'

interface GrantContext extends RunnerClient {
  readonly access: Access
  readonly roles: Readonly<Record<string, string>>
}

/**
 * Grants the roles that have been set up the privileges that they need on a migration set's tables, and revokes from PUBLIC the
 * default privileges of new types and routines. It revokes nothing from a role, because processes of an older release may still
 * run during an upgrade and need privileges that the newer ones do not; `applyRoles` revokes them. The plan has no revocations
 * for objects that do not exist yet. `roles` are the names of the roles that are not named `<schema>_<process>`.
 */
export function grantsToSetUpRoles(access: Access, roles: Readonly<Record<string, string>> = {}): Grants {
  return {
    apply: async (runner) => {
      const { catalog, wanted, transfer } = await setUpPrivileges({ ...runner, access, roles })
      const reachable = wanted.filter((privilege) => catalog.objects.has(objectKey(privilege)))
      for (const statement of [...additions(catalog, reachable), ...transfer])
        await runner.client.query(statement)
    },
    plan: async (runner) => {
      const { catalog, wanted, transfer } = await setUpPrivileges({ ...runner, access, roles })
      return [...additions(catalog, wanted), ...transfer].map((statement) => statement.replace(/;$/, ''))
    },
  }
}

function additions(catalog: Catalog, wanted: readonly Privilege[]): string[] {
  if (wanted.length === 0) return []
  const missing = lackingPrivileges(catalog.held, wanted)
  const surplus = catalog.held.filter((privilege) => privilege.grantee === null)
  return alignStatements({ missing, surplus })
}

/** A role counts as set up if it has USAGE on the schema. */
async function setUpPrivileges(context: GrantContext): Promise<{
  readonly catalog: Catalog
  readonly wanted: readonly Privilege[]
  /** The statements that give the routines to the role that they run as. */
  readonly transfer: readonly string[]
}> {
  const { schema, access, roles } = context
  const names = roleNamesOf(access.processes, schema, roles)
  const catalog = await readCatalog(context, Object.values(names))
  const rolesWithUsage = new Set(
    catalog.held.filter(({ kind }) => kind === 'schema').map(({ grantee }) => grantee),
  )
  const wanted = wantedPrivileges(access, schema, names).filter(({ grantee }) => rolesWithUsage.has(grantee))
  const isOwnerSetUp = rolesWithUsage.has(names[access.routines?.owner ?? ''] ?? null)
  const transfer = isOwnerSetUp ? (await routineTransfer({ ...context, names }, catalog)).statements : []
  return { catalog, wanted, transfer }
}
