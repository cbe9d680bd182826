// running → cancelled, for an operation. Called by every caller who may do what the operation does.
import { sql } from 'kysely'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { clockAfter } from '../database/instant.ts'
import { QueueError } from '../domain/errors.ts'
import { isJobId } from '../domain/job-id.ts'
import { decodeOperation, type Operation, operationColumns, type OperationRow } from './operation-row.ts'
import { andVisible, getOperation } from './read-operations.ts'

/**
 * Cancels an operation. Once this has returned, the operation changes no further job: this call waits for the batch
 * under way, and no other begins. Jobs that were changed stay changed. An operation that has ended stays as it is.
 * Throws `operation_not_found`.
 */
export async function cancelOperation(database: QueueDatabase, id: string): Promise<Acted<Operation>> {
  const [row] = isJobId(id)
    ? await database.run(sql<OperationRow>`
        WITH running AS MATERIALIZED (
          SELECT o.id FROM ${database.names.operations} AS o
           WHERE o.id = ${id}::uuid AND o.state = 'running'${andVisible(database)} FOR UPDATE
        ), ${clockAfter('running')}
        UPDATE ${database.names.operations} AS o SET state = 'cancelled', finished_at = clock.at
          FROM running CROSS JOIN clock WHERE o.id = running.id RETURNING ${operationColumns}`)
    : []
  if (row !== undefined) return { result: decodeOperation(row), changed: true }
  const present = await getOperation(database, id)
  if (present !== undefined) return { result: present, changed: false }
  throw new QueueError('operation_not_found', 'there is no operation with this id, or it was pruned')
}
