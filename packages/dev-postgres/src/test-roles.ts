import pg from 'pg'
import { acquireServer } from './acquire-server.ts'
import { queryRows } from './sessions.ts'

/** Roles belong to a server: these are of one test file, and go with it. */
export interface TestRoles<Process extends string = string> {
  /** Part of the name of each. */
  readonly suffix: string
  /** Names that no role has yet, one for each process. */
  names(): Readonly<Record<Process, string>>
  /** Makes a role with these attributes and gives its name. */
  create(attributes: string): Promise<string>
  /** Takes a role that the test makes under a name of its own away at the end, too. */
  remember(name: string): void
  /** Removes all of them. The databases in which they have privileges must have gone before. */
  close(): Promise<void>
}

/** Roles for these processes. */
export async function createTestRoles<Process extends string>(
  processes: readonly Process[],
): Promise<TestRoles<Process>> {
  const server = await acquireServer()
  const suffix = `${process.pid}_${Date.now()}`
  const made: string[] = []
  const next = (purpose: string): string => {
    const name = `queue_test_${purpose}_${suffix}_${made.length}`
    made.push(name)
    return name
  }
  return {
    suffix,
    names: () => Object.fromEntries(processes.map((one) => [one, next(one)])) as Record<Process, string>,
    create: async (attributes) => {
      const name = next('role')
      await queryRows(server.url, `CREATE ROLE ${name} ${attributes}`)
      return name
    },
    remember: (name) => made.push(name),
    close: async () => {
      const drops = made.map((name) => `DROP ROLE IF EXISTS ${pg.escapeIdentifier(name)};`)
      await queryRows(server.url, drops.join(''))
      await server.stop()
    },
  }
}
