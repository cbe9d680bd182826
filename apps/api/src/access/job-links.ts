import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Scope } from '@queue/core'
import { everybody, type Principal } from '../http/principal.ts'
import { jobLinkMs, linkReadsBurst, linkReadsPerSecond } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'
import { createAllowances } from './allowances.ts'
import type { KnownKeys } from './known-keys.ts'

/** Links that read one job, without what is sensitive of it, for whoever has them. */
export interface JobLinks {
  /** A link of this caller. */
  make(jobId: string, maker: Principal | undefined): { readonly link: string; readonly expiresAt: Date }
  /**
   * The job of a link; undefined where it is none, or has expired, or its maker could no longer read the job. Throws
   * `too_many_link_reads`.
   */
  open(link: string): Promise<LinkedJob | undefined>
}

/** What a link reads: a job in the scope of whoever made it. */
export interface LinkedJob {
  readonly id: string
  readonly scope: Scope | undefined
}

export interface JobLinksOptions {
  readonly secret: string
  /** The token of the API: its links are void when it changes. */
  readonly token: string | undefined
  /** The issuer of tokens: links of its subjects are void when it changes. Absent: there is none. */
  readonly issuer?: string | undefined
  /** Whoever made a link with a key that is revoked by now could not read the job either. Absent: there are no keys. */
  readonly keys: KnownKeys | undefined
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

const linkPattern =
  /^([0-9a-f-]{36})\.(key-[a-z0-9]{8}|subject-[\w-]*|token|anyone)\.(\d{13})\.([A-Za-z0-9_-]{43})$/

/**
 * A link is `<job>.<maker>.<expiry>.<HMAC-SHA-256 of these>`: nothing is stored. It is void when its maker's key is revoked or
 * expires, when the token that it was made with changes, and when the secret changes. A subject's says its tenant, and ends with
 * the token of the subject.
 */
export function createJobLinks({ secret, token, issuer, keys, nowMs }: JobLinksOptions): JobLinks {
  const reads = createAllowances({ burst: linkReadsBurst, perSecond: linkReadsPerSecond, nowMs })
  /** As text: two bits of its last character say nothing, and no other form of them may do. */
  const sign = (text: string): string => {
    const hmac = createHmac('sha256', secret)
    const also = text.includes('.token.') ? token : text.includes('.subject-') ? issuer : ''
    return hmac.update(`${text} ${also}`).digest('base64url')
  }
  /** The scope in which the maker may read; undefined where it may read nothing. */
  const readingOf = async (maker: string): Promise<Pick<LinkedJob, 'scope'> | undefined> => {
    const everything = { scope: undefined }
    if (maker === 'token') return token === undefined ? undefined : everything
    if (maker === 'anyone') return token === undefined && keys === undefined ? everything : undefined
    if (maker.startsWith('subject-'))
      return issuer === undefined ? undefined : { scope: scopeOfSubject(maker) }
    const key = await keys?.find(maker.slice('key-'.length))
    return key?.permissions.includes('jobs:read') ? { scope: key.scope } : undefined
  }
  return {
    make: (jobId, maker) => {
      const expiresAtMs = Math.min(nowMs() + jobLinkMs, maker?.untilMs ?? Number.POSITIVE_INFINITY)
      const text = `${jobId}.${makerOf(maker)}.${expiresAtMs}`
      return { link: `${text}.${sign(text)}`, expiresAt: new Date(expiresAtMs) }
    },
    open: async (link) => {
      const [, id = '', maker = '', expiresAtMs, signature = ''] = linkPattern.exec(link) ?? []
      const given = Buffer.from(signature)
      const expected = Buffer.from(sign(`${id}.${maker}.${expiresAtMs}`))
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
      if (nowMs() >= Number(expiresAtMs)) return undefined
      // A link may be passed on to anybody; whoever reads by it costs the database a read.
      if (!reads.take(`${id}.${maker}`)) throw new Problem('too_many_link_reads')
      const reading = await readingOf(maker)
      return reading && { id, ...reading }
    },
  }
}

function makerOf({ who, scope }: Principal = everybody): string {
  if (who.type === 'key') return `key-${who.id}`
  if (who.type === 'subject') return `subject-${Buffer.from(scope?.tenantId ?? '').toString('base64url')}`
  return who.type
}

function scopeOfSubject(maker: string): Scope | undefined {
  const tenantId = Buffer.from(maker.slice('subject-'.length), 'base64url').toString()
  return tenantId === '' ? undefined : { tenantId }
}
