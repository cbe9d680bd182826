import { acquireServer } from '@queue/dev-postgres'
import pg from 'pg'
import { processes, type RoleNames } from '../../src/access/process-roles.ts'
import { connectClient } from './world.ts'

/** Roles belong to a server: these are of one test file, and go with it. */
export interface TestRoles {
  /** Part of the name of each. */
  readonly suffix: string
  /** Names that no role has yet, one for each process. */
  names(): RoleNames
  /** Makes a role with these attributes and gives its name. */
  create(attributes: string): Promise<string>
  /** Takes a role that the test makes under a name of its own away at the end, too. */
  remember(name: string): void
  /** Removes all of them. The databases in which they have privileges must have gone before. */
  close(): Promise<void>
}

export async function createTestRoles(): Promise<TestRoles> {
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
    names: () => Object.fromEntries(processes.map((one) => [one, next(one)])) as RoleNames,
    create: async (attributes) => {
      const name = next('role')
      await rowsOf(server.url, `CREATE ROLE ${name} ${attributes}`)
      return name
    },
    remember: (name) => made.push(name),
    close: async () => {
      const drops = made.map((name) => `DROP ROLE IF EXISTS ${pg.escapeIdentifier(name)};`)
      await rowsOf(server.url, drops.join(''))
      await server.stop()
    },
  }
}

/** Runs `work` on a connection of its own. */
export async function on<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await connectClient(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The rows of one statement, or of the last of several. */
export function rowsOf<Row = Record<string, unknown>>(url: string, text: string): Promise<Row[]> {
  return on(url, async (client) => (await client.query(text)).rows as Row[])
}

/** A session that has turned into `role`, as if it had logged in so. */
export async function sessionAs(url: string, role: string): Promise<pg.Client> {
  const client = await connectClient(url)
  await client.query(`SET SESSION AUTHORIZATION ${pg.escapeIdentifier(role)}`)
  return client
}
