import type { JobDefinition } from '@queue/core'
import { Failure } from '../failure.ts'

/** The definition of a kind that the library has: in the database the command knows no others. */
export async function builtInKind(kind: string): Promise<JobDefinition> {
  const { builtInJobs } = await import('@queue/core')
  const definitions: readonly JobDefinition[] = builtInJobs
  const definition = definitions.find((one) => one.kind === kind)
  if (definition !== undefined) return definition
  const message = `is no known kind; known: ${definitions.map((one) => one.kind).join(', ')}`
  throw new Failure({
    error: 'unknown_kind',
    detail: `/kind: ${message}`,
    issues: [{ path: '/kind', message }],
  })
}
