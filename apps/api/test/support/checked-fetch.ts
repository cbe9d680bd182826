import { answerFaults, bodyOf } from '@queue/test-http'
import type { z } from 'zod'
import type { WireKey } from '../../src/operations/access/key.ts'
import type { queueSchema } from '../../src/operations/flow/queue.ts'
import type { WireDeadLetter } from '../../src/operations/reads/dead-letter.ts'
import type { WireExecution } from '../../src/operations/reads/execution.ts'
import type { WireJob } from '../../src/operations/reads/job.ts'
import type { WireWorker } from '../../src/operations/workers/worker.ts'

/** The members of any body that the API answers. */
export type Body = Partial<Omit<WireJob & WireDeadLetter, 'status'>> & {
  readonly status?: string | number
  readonly data?: readonly Listed[]
  readonly next_cursor?: string | null
  readonly replayed?: readonly number[]
  readonly count?: number
  readonly job_ids?: readonly string[]
  readonly more?: boolean
  readonly dry_run?: boolean
  readonly name?: string
  readonly paused_at?: string | null
  readonly type?: string
  readonly title?: string
  readonly detail?: string
  readonly instance?: string
  readonly error?: string
  readonly message?: string
  readonly issues?: readonly { readonly path: string; readonly message: string }[]
  readonly job_status?: string
  readonly checks?: Readonly<Record<string, string>>
  readonly uptime_seconds?: number
}

/** The members of an item of any list. */
type Listed = WireJob &
  WireExecution &
  WireDeadLetter &
  WireWorker &
  Pick<WireKey, 'role' | 'revoked_at'> &
  z.output<typeof queueSchema>

export interface CheckedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Empty unless the answer is JSON. */
  readonly body: Body
}

/** `fetch`, with every answer held against the committed document. */
export async function checkedFetch(
  base: string,
  path: string,
  init: RequestInit = {},
): Promise<CheckedResponse> {
  const response = await fetch(base + path, init)
  const { status, headers } = response
  const text = await response.text()
  const method = init.method ?? 'GET'
  const faults = answerFaults({ method, path: new URL(base + path).pathname }, { status, headers, text })
  if (faults.length > 0) {
    throw new Error(
      `${method} ${path} answered ${status}, against its document:\n${faults.join('\n')}\n${text}`,
    )
  }
  return { status, headers, text, body: bodyOf({ headers, text }) }
}
