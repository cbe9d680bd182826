import pg from 'pg'
import { acquireServer } from './acquire-server.ts'
import { queryRows } from './sessions.ts'

/** Roles of one test file. A role belongs to the whole server, so the test must drop its roles at the end. */
export interface TestRoles<Process extends string = string> {
  /** A part of every name. */
  readonly suffix: string
  /** Names that no role has yet, one for each process. */
  names(): Readonly<Record<Process, string>>
  /** Creates a role with these attributes and returns its name. */
  create(attributes: string): Promise<string>
  /** Registers a role that the test creates itself, to be dropped at the end. */
  remember(name: string): void
  /** Drops all roles. The databases in which they have privileges must have been dropped before. */
  close(): Promise<void>
}

/** Test roles for these processes. */
export async function createTestRoles<Process extends string>(
  processes: readonly Process[],
): Promise<TestRoles<Process>> {
  const server = await acquireServer()
  const suffix = `${process.pid}_${Date.now()}`
  const names: string[] = []
  const nextName = (purpose: string): string => {
    const name = `queue_test_${purpose}_${suffix}_${names.length}`
    names.push(name)
    return name
  }
  return {
    suffix,
    names: () =>
      Object.fromEntries(processes.map((processName) => [processName, nextName(processName)])) as Record<
        Process,
        string
      >,
    create: async (attributes) => {
      const name = nextName('role')
      await queryRows(server.url, `CREATE ROLE ${name} ${attributes}`)
      return name
    },
    remember: (name) => names.push(name),
    close: async () => {
      const drops = names.map((name) => `DROP ROLE IF EXISTS ${pg.escapeIdentifier(name)};`)
      await queryRows(server.url, drops.join(''))
      await server.stop()
    },
  }
}
