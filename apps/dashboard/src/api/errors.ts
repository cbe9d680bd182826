import { ApiError, NetworkError } from '@queue/client'

/** What went wrong, in a sentence, and what to look for in the logs. */
export interface Failure {
  readonly text: string
  readonly requestId: string | undefined
  /** The permission that is missing, where that is what went wrong. */
  readonly permission: string | undefined
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const permission = error.error === 'forbidden' ? error.permission : undefined
    return { text: `${error.status}: ${error.detail}`, requestId: error.requestId, permission }
  }
  const text = error instanceof NetworkError ? 'The API cannot be reached.' : String(error)
  return { text, requestId: undefined, permission: undefined }
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status
}

/** The tenants of which a request has to name one, where it has named none, or one that is no longer among them. */
export function tenantsOf(error: unknown): readonly string[] | undefined {
  return error instanceof ApiError ? error.problem?.tenants : undefined
}
