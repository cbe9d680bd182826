import { connect, type QueueDatabase } from '@queue/core/internal'

/**
 * A database whose statements are answered by `run`. Its names come from a pool that never connects.
 */
export function createFakeDatabase(run: () => Promise<unknown[]>): QueueDatabase {
  const { schema, names } = connect({ connectionString: 'postgres://nowhere/none' })
  return { schema, names, run: run as QueueDatabase['run'] }
}
