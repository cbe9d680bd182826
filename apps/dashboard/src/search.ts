import { jobStatuses, type JobStatus } from '@queue/client'

/** What the address of a list says. */
export interface JobSearch {
  readonly status?: JobStatus
  readonly kind?: string
  readonly queue?: string
  readonly tenant?: string
  readonly created_after?: string
  readonly created_before?: string
  /** The job that is peeked at. */
  readonly peek?: string
}

export interface DeadLetterSearch {
  readonly kind?: string
  readonly queue?: string
  readonly tenant?: string
  readonly dead_lettered_after?: string
  readonly dead_lettered_before?: string
  /** Those of the group with this text alone, of the rows that are there. */
  readonly group?: string
}

export interface AuditSearch {
  readonly actor?: string
  readonly act?: string
  readonly job_id?: string
}

export interface JobPageSearch {
  /** The attempts that are laid side by side, as `1-3`. */
  readonly compare?: string
}

type Given = Readonly<Record<string, unknown>>

/** Text members of an address; others, and empty ones, are as good as absent. */
function texts<const Name extends string>(given: Given, names: readonly Name[]): { [N in Name]?: string } {
  const found = names.flatMap((name) => {
    const value = given[name]
    const isText = (typeof value === 'string' || typeof value === 'number') && value !== ''
    return isText ? [[name, String(value)] as const] : []
  })
  return Object.fromEntries(found) as { [N in Name]?: string }
}

export function jobSearch(given: Given): JobSearch {
  const status = jobStatuses.find((one) => one === given['status'])
  const names = ['kind', 'queue', 'tenant', 'created_after', 'created_before', 'peek'] as const
  return { ...texts(given, names), ...(status !== undefined && { status }) }
}

export function deadLetterSearch(given: Given): DeadLetterSearch {
  return texts(given, ['kind', 'queue', 'tenant', 'dead_lettered_after', 'dead_lettered_before', 'group'])
}

export function auditSearch(given: Given): AuditSearch {
  return texts(given, ['actor', 'act', 'job_id'])
}

export function jobPageSearch(given: Given): JobPageSearch {
  return texts(given, ['compare'])
}
