import { acquireServer, createEmptyDatabases } from '@queue/dev-postgres'

/** Empty databases for this process on the server that the whole test run shares. */
export async function emptyDatabases(): Promise<{
  readonly create: () => Promise<string>
  readonly close: () => Promise<void>
}> {
  const server = await acquireServer()
  const databases = createEmptyDatabases(server.url)
  return {
    create: () => databases.create(),
    close: async () => {
      await databases.dropAll()
      await server.stop()
    },
  }
}
