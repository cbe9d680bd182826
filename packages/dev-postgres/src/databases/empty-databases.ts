import { createTestDatabases } from './test-databases.ts'

export interface EmptyDatabases {
  /** Creates an empty database and returns its URL. */
  create(): Promise<string>
  /** Drops every database that was created here. */
  dropAll(): Promise<void>
}

export function createEmptyDatabases(serverUrl: string): EmptyDatabases {
  const databases = createTestDatabases({
    serverUrl,
    templateKey: 'empty',
    prepareTemplate: async () => undefined,
  })
  return { create: async () => (await databases.create()).url, dropAll: () => databases.dropAll() }
}
