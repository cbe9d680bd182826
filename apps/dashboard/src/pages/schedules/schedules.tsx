import type { Schedule } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { CirclePause } from 'lucide-react'
import type { ReactElement } from 'react'
import { useActs } from '../../acts/acts.tsx'
import { deleteScheduleAct, pauseSchedule, resumeSchedule, runNowAct } from '../../acts/schedule-acts.ts'
import { isStatus } from '../../api/errors.ts'
import { queries } from '../../api/queries.ts'
import { scheduleRoute } from '../../routes.ts'
import { useZone } from '../../shell/live.ts'
import { Needs, useMay } from '../../shell/me.tsx'
import { Button, Card, Facts, Page } from '../../ui/controls.tsx'
import { Empty, Loaded } from '../../ui/feedback.tsx'
import { formatCount, formatSpan, localZone } from '../../ui/format.ts'
import { Json } from '../../ui/json.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import job from '../jobs/job.module.css'
import { ScheduleRuns } from './schedule-runs.tsx'
import styles from './schedules.module.css'

export function Schedules(): ReactElement {
  return (
    <Needs permission="schedules:read">
      <SchedulesPage />
    </Needs>
  )
}

function SchedulesPage() {
  const query = useQuery(queries.schedules)
  return (
    <Page title="Schedules" subtitle="Next run first">
      <Loaded query={query}>{(schedules) => <ScheduleTable schedules={schedules} />}</Loaded>
    </Page>
  )
}

/** The table of schedules. Schedules without a next run are last. */
function ScheduleTable({ schedules }: { readonly schedules: readonly Schedule[] }) {
  if (schedules.length === 0) {
    return (
      <Empty title="No schedules yet">
        <code className={ui['snippet']}>
          {"await queue.schedules.create({ name: 'nightly', kind, payload, cron: '0 2 * * *' })"}
        </code>
      </Empty>
    )
  }
  const keyOf = ({ paused_at: paused, next_run_at: next }: Schedule): string =>
    paused === null ? (next ?? '~') : '~~'
  return (
    <div className={ui['card']}>
      <table className={ui['table']}>
        <thead>
          <tr>
            <th>Schedule</th>
            <th>Timing</th>
            <th>Kind</th>
            <th>Next run</th>
            <th>Last run</th>
            <th className={ui['number']}>Fired</th>
            <th className={ui['number']}>Missed</th>
            <th className={ui['act']}>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {schedules
            .toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)))
            .map((schedule) => (
              <ScheduleRow key={schedule.name} schedule={schedule} />
            ))}
        </tbody>
      </table>
    </div>
  )
}

function ScheduleRow({ schedule }: { readonly schedule: Schedule }) {
  const { name, paused_at: pausedAt, next_run_at: nextRunAt, last_job_id: lastJobId } = schedule
  return (
    <tr data-row>
      <td>
        <Link to="/schedules/$name" params={{ name }} className={ui['strong'] ?? ''}>
          {name}
        </Link>
      </td>
      <td className={`${ui['wide']} ${ui['muted']}`} title={schedule.cron ?? ''}>
        {schedule.description}
      </td>
      <td>{schedule.kind}</td>
      <td>{pausedAt === null ? <NextRun at={nextRunAt} /> : <PausedPill />}</td>
      <td>
        {schedule.last_run_at !== null && lastJobId !== null && (
          <Link to="/jobs/$id" params={{ id: lastJobId }}>
            <Time at={schedule.last_run_at} plain />
          </Link>
        )}
      </td>
      <td className={ui['number']} data-label="fired">
        {formatCount(schedule.fired_count)}
      </td>
      <td className={ui['number']} data-label="missed">
        {formatCount(schedule.missed_count)}
      </td>
      <td className={ui['act']}>
        <PauseButton schedule={schedule} />
      </td>
    </tr>
  )
}

function NextRun({ at }: { readonly at: string | null }) {
  return at === null ? <span className={ui['muted']}>None</span> : <Time at={at} />
}

function PausedPill() {
  return (
    <span className={`${ui['pill']} ${ui['retrying']}`}>
      <CirclePause size={14} aria-hidden />
      Paused
    </span>
  )
}

function PauseButton({ schedule: { name, paused_at: pausedAt } }: { readonly schedule: Schedule }) {
  const may = useMay()
  const { perform } = useActs()
  if (!may('schedules:control')) return null
  const act = pausedAt === null ? pauseSchedule(name) : resumeSchedule(name)
  return (
    <Button data-key={pausedAt === null ? undefined : 'r'} onClick={() => void perform(act)}>
      {pausedAt === null ? 'Pause' : 'Resume'}
      <span className="visually-hidden"> {name}</span>
    </Button>
  )
}

export function SchedulePage(): ReactElement {
  return (
    <Needs permission="schedules:read">
      <OneSchedule />
    </Needs>
  )
}

function OneSchedule() {
  const { name } = scheduleRoute.useParams()
  const query = useQuery(queries.schedule(name))
  if (isStatus(query.error, 404)) {
    return (
      <Page title={name}>
        <Empty title="Schedule not found">
          <Link to="/schedules">All schedules</Link>
        </Empty>
      </Page>
    )
  }
  return <Loaded query={query}>{(schedule) => <ScheduleView schedule={schedule} />}</Loaded>
}

function ScheduleView({ schedule }: { readonly schedule: Schedule }) {
  const may = useMay()
  return (
    <Page
      title={schedule.name}
      subtitle={schedule.description}
      actions={<ScheduleActs schedule={schedule} />}
    >
      {schedule.paused_reason !== null && (
        <div className={ui['bar']} role="alert">
          <span>Paused after an error: {schedule.paused_reason}</span>
        </div>
      )}
      <div className={job['columns']}>
        <div className={job['stack']}>
          <ScheduleFacts schedule={schedule} />
          <Card title="Job payload">
            <Json value={schedule.payload} name="Payload" />
          </Card>
        </div>
        <div className={job['stack']}>
          {may('jobs:read') && <ScheduleRuns name={schedule.name} />}
          <NextRuns schedule={schedule} />
        </div>
      </div>
    </Page>
  )
}

function ScheduleActs({ schedule }: { readonly schedule: Schedule }) {
  const may = useMay()
  const { confirm } = useActs()
  const navigate = useNavigate()
  const { name } = schedule
  return (
    <>
      {may('schedules:control') && <Button onClick={() => confirm(runNowAct(name))}>Run now</Button>}
      <PauseButton schedule={schedule} />
      {may('schedules:write') && (
        <Button
          look="danger"
          onClick={() => confirm(deleteScheduleAct(name, () => navigate({ to: '/schedules' })))}
        >
          Delete
        </Button>
      )}
    </>
  )
}

function ScheduleFacts({ schedule }: { readonly schedule: Schedule }) {
  const { last_job_id: lastJobId, paused_at: pausedAt } = schedule
  return (
    <Card title="Details">
      <Facts
        facts={[
          [
            'State',
            pausedAt === null ? (
              'Active'
            ) : (
              <span key="s">
                Paused <Time at={pausedAt} />
              </span>
            ),
          ],
          ['Cron', schedule.cron === null ? null : <code key="c">{schedule.cron}</code>],
          ['Time zone', schedule.cron === null ? null : schedule.time_zone],
          ['Every', schedule.every_ms === null ? null : formatSpan(schedule.every_ms)],
          ['Kind', schedule.kind],
          [
            'Queue',
            <Link key="q" to="/queues/$name" params={{ name: schedule.queue }}>
              {schedule.queue}
            </Link>,
          ],
          [
            'Missed runs',
            {
              skip: 'Not made up for',
              once: 'One run for all missed runs',
              all: 'Every missed run',
            }[schedule.missed],
          ],
          ['Overlap', schedule.overlap === 'skip' ? 'Skipped until the last job ends' : 'Allowed'],
          ['Source', schedule.source],
          ['Runs fired', formatCount(schedule.fired_count)],
          ['Runs missed', formatCount(schedule.missed_count)],
          ['Runs skipped', formatCount(schedule.skipped_count)],
          [
            'Last job',
            lastJobId === null ? null : (
              <Link key="j" to="/jobs/$id" params={{ id: lastJobId }}>
                …{lastJobId.slice(-8)}
              </Link>
            ),
          ],
        ]}
      />
    </Card>
  )
}

function NextRuns({ schedule }: { readonly schedule: Schedule }) {
  const query = useQuery(queries.preview(schedule.name))
  const zone = useZone()
  return (
    <Card title="Next runs" aside={<span className={ui['muted']}>{zone === 'utc' ? 'UTC' : localZone}</span>}>
      <Loaded query={query}>
        {({ instants }) => (
          <ol className={styles['next']}>
            {instants.map((at) => (
              <li key={at}>
                <Time at={at} format="day" />
              </li>
            ))}
            {instants.length === 0 && <li className={ui['muted']}>No further runs</li>}
          </ol>
        )}
      </Loaded>
    </Card>
  )
}
