import type { Access, PrivilegeMatrix } from '@queue/postgres'
import { type Column, type Table, tables, type Writer } from '../database/tables.ts'
import { type Process, processes } from './process-roles.ts'

const read = { SELECT: 'all' } as const

/**
 * What each process may do with each table: what its statements need, and no more. The tables say it, column by column
 * where that holds something up.
 */
export const privilegeMatrix: PrivilegeMatrix<Process> = {
  ...Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, privilegesOn(table)])),
  migrations: { api: read, worker: read, readonly: read },
}

function privilegesOn(table: Table): PrivilegeMatrix<Process>[string] {
  const { readBy = processes } = table
  const granted = { api: privilegesOf('api', table), worker: privilegesOf('worker', table), readonly: read }
  const none = {}
  return {
    api: readBy.includes('api') ? granted.api : none,
    worker: readBy.includes('worker') ? granted.worker : none,
    readonly: readBy.includes('readonly') ? granted.readonly : none,
  }
}

function privilegesOf(writer: Writer, { columns, may }: Table): PrivilegeMatrix<Process>[string][Process] {
  const columnsFor = (action: 'insert' | 'update') =>
    Object.entries<Column>(columns).flatMap(([name, column]) =>
      column[action]?.includes(writer) ? [name] : [],
    )
  const insert = columnsFor('insert')
  const update = columnsFor('update')
  return {
    ...read,
    ...(insert.length > 0 && { INSERT: insert }),
    ...(update.length > 0 && { UPDATE: update }),
    ...Object.fromEntries(may[writer].map((action) => [action, 'all'])),
  }
}

/** Who may do what with the queue. */
export const queueAccess: Access<Process> = {
  processes,
  seeSessions: ['api', 'readonly'],
  matrix: privilegeMatrix,
  others: { sequence: [], routine: [], type: ['job_status'] },
}
