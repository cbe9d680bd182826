import { createTestDatabases } from './test-databases.ts'

export interface EmptyDatabases {
  /** The URL of a new database with nothing in it. */
  create(): Promise<string>
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
