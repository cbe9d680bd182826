import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { limits } from '@queue/core'

const randomPartBytes = 6

/**
 * `{prefix}-{hostname}-{pid}-{random}`: unique across processes and across the lives of one process, so that a
 * worker that was marked lost never takes part again under its old name.
 */
export function createWorkerId(prefix: string): string {
  const tail = `-${process.pid}-${randomBytes(randomPartBytes).toString('hex')}`
  return `${prefix}-${hostname()}`.slice(0, limits.workerIdLengthMax - tail.length) + tail
}
