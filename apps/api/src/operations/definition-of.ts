import type { JobDefinition } from '@queue/core'
import { issuesProblem, toIssues } from '../http/issues.ts'

/** The definition of a kind. Throws 422, naming the kinds that there are. */
export function definitionOf(catalogue: ReadonlyMap<string, JobDefinition>, kind: string): JobDefinition {
  const definition = catalogue.get(kind)
  if (definition !== undefined) return definition
  const message = `is no known kind; known: ${[...catalogue.keys()].join(', ')}`
  throw issuesProblem('unknown_kind', toIssues([{ path: ['kind'], message }]))
}
