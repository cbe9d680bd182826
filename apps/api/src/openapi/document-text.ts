import { builtInJobs } from '@queue/core'
import { operations } from '../operations/index.ts'
import { buildDocument } from './build-document.ts'

/** The document that is kept in the repository: that of a server with the built-in kinds. */
export function documentText(): string {
  return `${JSON.stringify(buildDocument({ operations, catalogue: builtInJobs }), null, 2)}\n`
}
