// running → cancelled: of an operation. Called by whoever may do what it does.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { QueueError } from '../domain/errors.ts'
import { isJobId } from '../domain/job-id.ts'
import { decodeOperation, type Operation, operationColumns, type OperationRow } from './operation-row.ts'
import { andOwn, getOperation } from './read-operations.ts'

/**
 * Once this has answered, no further job is changed: it waits for the batch under way, and no other begins. What was changed stays
 * so. One that has ended stays as it is. Throws `operation_not_found`.
 */
export async function cancelOperation(database: QueueDatabase, id: string): Promise<Operation> {
  const [row] = isJobId(id)
    ? await database.run(sql<OperationRow>`
        UPDATE ${database.names.operations} AS o SET state = 'cancelled', finished_at = now()
         WHERE o.id = ${id}::uuid AND o.state = 'running'${andOwn(database)} RETURNING ${operationColumns}`)
    : []
  if (row !== undefined) return decodeOperation(row)
  const present = await getOperation(database, id)
  if (present !== undefined) return present
  throw new QueueError('operation_not_found', 'there is no operation with this id, or it was pruned')
}
