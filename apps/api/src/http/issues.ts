import type { z } from 'zod'
import { detailLengthMax, issueMessageLengthMax, issuePathLengthMax, issuesMax } from './limits.ts'
import { type Issue, Problem, type ProblemSlug } from './problem.ts'

/** One finding, as zod and the queue report it. */
interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The first findings as issues of a problem: a hostile body must not get an answer many times its own size. */
export function toIssues(findings: readonly Finding[]): Issue[] {
  return findings.slice(0, issuesMax).map((finding) => ({
    path: cut(toPointer(finding.path), issuePathLengthMax),
    message: cut(finding.message, issueMessageLengthMax),
  }))
}

/** The findings of a schema. An unknown field is pointed at by its own path. */
export function findingsOf(error: z.ZodError): Finding[] {
  return error.issues.slice(0, issuesMax).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [issue]
    return issue.keys
      .slice(0, issuesMax)
      .map((key) => ({ path: [...issue.path, key], message: 'unknown field' }))
  })
}

/** The problem whose whole detail is its issues. */
export function issuesProblem(slug: ProblemSlug, issues: readonly Issue[], cause?: unknown): Problem {
  const lines = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return new Problem(slug, { detail: cut(lines.join('; '), detailLengthMax), issues, cause })
}

/** A JSON pointer (RFC 6901). The pointer to the whole document is the empty string. */
function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function cut(text: string, lengthMax: number): string {
  const wellFormed = text.toWellFormed()
  return wellFormed.length <= lengthMax ? wellFormed : `${wellFormed.slice(0, lengthMax - 1).toWellFormed()}…`
}
