import type { Operation } from '@queue/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { filterTextsOf } from '../../acts/many-acts.ts'
import { operationActWords } from '../../acts/operation-acts.ts'
import { isStatus } from '../../api/errors.ts'
import { queries } from '../../api/queries.ts'
import { operationRoute } from '../../routes.ts'
import { deadLetterSearch, jobSearchOf } from '../../search.ts'
import { useNowMs } from '../../shell/clock.ts'
import { Needs } from '../../shell/me.tsx'
import { Card, Facts, Page } from '../../ui/controls.tsx'
import { Empty, Loaded } from '../../ui/feedback.tsx'
import { formatCount } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import job from '../jobs/job.module.css'
import { CancelRest } from './cancel-rest.tsx'
import { paceOf } from './operation-pace.ts'
import { OperationPill, OperationProgress } from './operation-progress.tsx'

export function OperationPage(): ReactElement {
  return (
    <Needs permission="jobs:read">
      <OneOperation />
    </Needs>
  )
}

function OneOperation() {
  const { id } = operationRoute.useParams()
  const query = useQuery(queries.operation(id))
  if (isStatus(query.error, 404)) {
    return (
      <Page title="Operation">
        <Empty title="Operation not found">
          <span>Retention may have removed it, or your key does not have access to it.</span>
          <Link to="/operations">All operations</Link>
        </Empty>
      </Page>
    )
  }
  return (
    <Loaded query={query} rows={8}>
      {(operation) => <OperationView operation={operation} />}
    </Loaded>
  )
}

function OperationView({ operation }: { readonly operation: Operation }) {
  const { id, act, state } = operation
  const title = (
    <span className={job['title']}>
      {operationActWords[act]} <OperationPill state={state} />
    </span>
  )
  return (
    <Page title={title} subtitle={<code>{id}</code>} actions={<CancelRest operation={operation} />}>
      <section className={job['verdict']} data-state={toneOf(state)} aria-label="Status">
        <b>{verdictOf(operation)}</b>
        <OperationProgress operation={operation} />
      </section>
      <div className={job['columns']}>
        <Progress operation={operation} />
        <Request operation={operation} />
      </div>
    </Page>
  )
}

/** The job state with the matching colour. */
function toneOf(state: Operation['state']): string {
  return state === 'refused' || state === 'failed' ? 'failed_permanent' : state
}

function verdictOf({ state, reason }: Operation): string {
  switch (state) {
    case 'running':
      return 'Workers process the oldest jobs first.'
    case 'succeeded':
      return 'Completed.'
    case 'cancelled':
      return 'Cancelled. Jobs that were already changed stay changed.'
    case 'refused':
      return `Refused, because the caller no longer has permission: ${reason ?? ''}`
    case 'failed':
      return `Failed, because the database refused a change: ${reason ?? ''}`
  }
}

/** The progress, the rate, and the remaining time. */
function Progress({ operation }: { readonly operation: Operation }) {
  const { rate, left } = paceOf(operation, useNowMs())
  const { created_at: createdAt, finished_at: finishedAt, expected, expected_is_least: isLeast } = operation
  return (
    <Card title="Progress">
      <Facts
        facts={[
          ['Changed', formatCount(operation.changed)],
          ['Skipped', `${formatCount(operation.skipped)} (changed before they were processed)`],
          ['Matches', `${formatCount(expected)}${isLeast ? ' or more' : ''} at the start`],
          ['Average rate', rate],
          ['Rate limit', operation.rate === null ? 'None' : `${formatCount(operation.rate)} per second`],
          ['Time left', left],
          ['Started', <Time key="b" at={createdAt} format="instant" />],
          ['Ended', finishedAt === null ? null : <Time key="e" at={finishedAt} format="instant" />],
        ]}
      />
    </Card>
  )
}

/** The filter of the jobs, and who started the operation. */
function Request({ operation }: { readonly operation: Operation }) {
  const { act, run_at: runAt, actor, actor_name: actorName } = operation
  // An erasure that has ended keeps no filter.
  const filter = (operation.filter ?? {}) as Readonly<Record<string, unknown>>
  const parts = filterTextsOf(filter)
  return (
    <Card
      title="Request"
      aside={
        act === 'requeue_dead_letters' ? (
          <Link to="/dead-letters" search={deadLetterSearch(filter)}>
            View matching dead letters
          </Link>
        ) : (
          <Link to="/jobs" search={jobSearchOf(filter)}>
            View matching jobs
          </Link>
        )
      }
    >
      <Facts
        facts={[
          [
            'Filter',
            <span key="f" className={ui['chips']}>
              {parts.map((part) => (
                <span key={part} className={ui['chip']}>
                  {part}
                </span>
              ))}
              {parts.length === 0 && 'None: all jobs'}
            </span>,
          ],
          ['Earliest start', runAt === null ? null : <Time key="r" at={runAt} format="instant" />],
          ['Started by', actorName ?? actor ?? 'A program'],
        ]}
      />
    </Card>
  )
}
