import { CircleSlash, Inbox, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { failureOf } from '../api/errors.ts'
import { serverInstant } from '../shell/clock.ts'
import { Button } from './controls.tsx'
import { formatInstant } from './format.ts'
import styles from './ui.module.css'

/** A placeholder of the expected height, shown if loading takes a while. */
function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div className={styles['skeleton']} role="status">
      <b className="visually-hidden">Loading</b>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  readonly children?: ReactNode
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className={styles['empty']}>
      <Inbox size={24} aria-hidden />
      <strong>{title}</strong>
      {children}
    </div>
  )
}

interface ReadQuery<Data> {
  readonly data: Data | undefined
  readonly error: unknown
  readonly isPending: boolean
  readonly dataUpdatedAt: number
  readonly refetch: () => unknown
}

interface LoadedProps<Data> {
  readonly query: ReadQuery<Data>
  readonly rows?: number
  readonly children: (data: Data) => ReactNode
}

/** The data of a query: a skeleton while it loads, and after a failed refetch the previous data with a warning. */
export function Loaded<Data>({ query, rows, children }: LoadedProps<Data>) {
  if (query.data === undefined) {
    if (query.isPending && !query.error) return <Skeleton {...(rows !== undefined && { rows })} />
    return <Failed error={query.error} retry={query.refetch} />
  }
  return (
    <>
      {query.error !== null && query.error !== undefined && (
        <StaleBar error={query.error} readAtMs={query.dataUpdatedAt} retry={query.refetch} />
      )}
      {children(query.data)}
    </>
  )
}

interface FailedProps {
  readonly error: unknown
  readonly retry: () => unknown
}

function Failed({ error, retry }: FailedProps) {
  const { text, requestId, permission } = failureOf(error)
  if (permission !== undefined) return <NotPermitted permission={permission} />
  return (
    <div className={styles['empty']} role="alert">
      <TriangleAlert size={24} aria-hidden />
      <strong>Loading failed</strong>
      <span>{text}</span>
      {requestId !== undefined && <code>Request {requestId}</code>}
      <Button onClick={() => void retry()}>Retry</Button>
    </div>
  )
}

interface StaleBarProps extends FailedProps {
  readonly readAtMs: number
}

export function StaleBar({ error, readAtMs, retry }: StaleBarProps) {
  const { text, requestId } = failureOf(error)
  const at = formatInstant(serverInstant(readAtMs), 'local').slice(11, 19)
  return (
    <div className={styles['bar']} role="alert">
      <TriangleAlert size={16} aria-hidden />
      <span>
        As of {at} · {text}
        {requestId !== undefined && ` · request ${requestId}`}
      </span>
      <Button onClick={() => void retry()}>Retry</Button>
    </div>
  )
}

/** The permission that the caller lacks, and who can grant it. */
export function NotPermitted({ permission }: { readonly permission: string }) {
  return (
    <div className={styles['empty']}>
      <CircleSlash size={24} aria-hidden />
      <strong>Permission required</strong>
      <span>
        You need the permission <code>{permission}</code> to see this. An administrator of the queue can grant
        it.
      </span>
    </div>
  )
}
