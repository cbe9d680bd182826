import { createHash } from 'node:crypto'
import type { Migration } from './migration.ts'

const checksums = new WeakMap<Migration, string>()

/** The checksum of the SQL text of a step, which is the same in each schema. It is computed once. */
export function checksumOf(step: Migration): string {
  const checksum = checksums.get(step) ?? createHash('sha256').update(textOf(step)).digest('hex')
  checksums.set(step, checksum)
  return checksum
}

function textOf(step: Migration): string {
  switch (step.type) {
    case 'transactional':
      return JSON.stringify(step.up('"schema"').map(({ sql }) => sql))
    case 'concurrent':
      return JSON.stringify({ ...step.index, definition: step.index.definition('"schema"') })
    case 'batched':
      return step.batch('"schema"')
  }
}
