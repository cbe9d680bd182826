import { acquireServer, createTestDatabases, eventually } from '@queue/dev-postgres'

/** Empty databases of this process; the server is the one that the whole test run shares. */
export async function emptyDatabases(): Promise<{
  readonly create: () => Promise<string>
  readonly close: () => Promise<void>
}> {
  const server = await acquireServer()
  const databases = createTestDatabases({
    serverUrl: server.url,
    templateKey: 'postgres empty',
    prepareTemplate: async () => undefined,
  })
  return {
    create: async () => (await databases.create()).url,
    close: async () => {
      await databases.dropAll()
      await server.stop()
    },
  }
}

/** Polls `holds` until it gives something truthy, and gives that; throws at the deadline. */
export function until<Value>(what: string, holds: () => Promise<Value | undefined | false>) {
  return eventually(holds, { what, intervalMs: 5 })
}
