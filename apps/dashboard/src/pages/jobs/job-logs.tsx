import { type Job, type LogLine, isEnded } from '@queue/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef } from 'react'
import { lists } from '../../api/queries.ts'
import { jobRoute } from '../../routes.ts'
import { logLevels } from '../../search.ts'
import { useZone } from '../../shell/live.ts'
import { Button, Card } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { formatInstant } from '../../ui/format.ts'
import ui from '../../ui/ui.module.css'
import styles from './job-logs.module.css'

/** The log lines of the handler by attempt. New lines are appended while the job runs. */
export function JobLogs({ job }: { readonly job: Job }) {
  const { level = 'debug' } = jobRoute.useSearch()
  const query = useInfiniteQuery(
    lists.logs(job.id, { level, isLive: !isEnded(job) && job.status === 'running' }),
  )
  const lines = query.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <Card title="Logs" aside={<LevelTabs current={level} />} flush>
      <Loaded query={query}>
        {() => (lines.length === 0 ? <NoLines job={job} level={level} /> : <Lines lines={lines} />)}
      </Loaded>
      {query.hasNextPage && (
        <div className={styles['more']}>
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load more lines
          </Button>
        </div>
      )}
    </Card>
  )
}

function LevelTabs({ current }: { readonly current: string }) {
  const navigate = jobRoute.useNavigate()
  return (
    <div className={ui['tabs']} role="group" aria-label="Minimum log level">
      {logLevels.map((level) => (
        <button
          key={level}
          type="button"
          className={ui['tab']}
          aria-pressed={level === current}
          onClick={() => void navigate({ search: (before) => ({ ...before, level }), replace: true })}
        >
          {level === 'debug' ? 'all' : level}
        </button>
      ))}
    </div>
  )
}

function NoLines({ job, level }: { readonly job: Job; readonly level: string }) {
  if (level !== 'debug') return <p className={styles['none']}>No lines at this level or above.</p>
  if (job.attempts === 0) return <p className={styles['none']}>No lines yet: the job has not started.</p>
  return (
    <p className={styles['none']}>
      The handler logged nothing. Log with <code>{"ctx.log('info', 'connected')"}</code>.
    </p>
  )
}

function Lines({ lines }: { readonly lines: readonly LogLine[] }) {
  const box = useRef<HTMLDivElement>(null)
  useFollowing(box, lines.length)
  return (
    <div ref={box} className={styles['lines']} tabIndex={0} role="log" aria-label="Log">
      {lines.map((line, index) => (
        <Line
          key={`${line.lease_token} ${line.line}`}
          line={line}
          isFirst={lines[index - 1]?.lease_token !== line.lease_token}
        />
      ))}
    </div>
  )
}

/** Keeps the end in view, unless the user has scrolled up. */
function useFollowing(box: RefObject<HTMLDivElement | null>, count: number): void {
  const seen = useRef(0)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const wasAtEnd = seen.current - element.scrollTop - element.clientHeight < 24
    if (seen.current > 0 && wasAtEnd) element.scrollTop = element.scrollHeight
    seen.current = element.scrollHeight
  }, [box, count])
}

function Line({ line, isFirst }: { readonly line: LogLine; readonly isFirst: boolean }) {
  const zone = useZone()
  const { at, level, message, fields } = line
  return (
    <>
      {isFirst && <div className={styles['attempt']}>Attempt {line.attempt}</div>}
      <div className={styles['line']} data-level={level}>
        <time dateTime={at} title={formatInstant(at, zone)}>
          {formatInstant(at, zone).slice(11, 23)}
        </time>
        <b>{level}</b>
        <span>
          {message}
          {fields !== null && <code> {JSON.stringify(fields)}</code>}
        </span>
      </div>
    </>
  )
}
