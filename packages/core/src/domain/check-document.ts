import type { z } from 'zod'
import { type InputCode, type InputIssue, InvalidDocument } from './errors.ts'
import { plainPath } from './payload.ts'

/** The issues of a document from outside. A member that it may not have is reported at its own place. */
function issuesOf({ issues }: z.ZodError): InputIssue[] {
  return issues.flatMap((issue): InputIssue[] => {
    const path = plainPath(issue.path)
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }]
    return issue.keys.map((key) => ({ path: [...path, key], message: 'unknown field' }))
  })
}

/** The document as its schema parses it. Throws `InvalidDocument` with the places in it that are wrong. */
export function checkDocument<Schema extends z.ZodType>(
  schema: Schema,
  document: unknown,
  code: InputCode,
): z.output<Schema> {
  const parsed = schema.safeParse(document)
  if (parsed.success) return parsed.data
  throw new InvalidDocument(code, issuesOf(parsed.error))
}
