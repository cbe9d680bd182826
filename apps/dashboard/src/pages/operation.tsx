import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Operation } from '@queue/client'
import { filterTextsOf } from '../acts/many-acts.ts'
import { operationActWords } from '../acts/operation-acts.ts'
import { isStatus } from '../api/errors.ts'
import { queries } from '../api/queries.ts'
import { operationRoute } from '../routes.ts'
import { deadLetterSearch, jobSearchOf } from '../search.ts'
import { useNowMs } from '../shell/clock.ts'
import { Needs } from '../shell/me.tsx'
import { Card, Facts, Page } from '../ui/controls.tsx'
import { Empty, Loaded } from '../ui/feedback.tsx'
import { formatCount } from '../ui/format.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { CancelRest } from './cancel-rest.tsx'
import { paceOf } from './operation-pace.ts'
import { OperationPill, OperationProgress } from './operation-progress.tsx'
import job from './job.module.css'

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
        <Empty title="There is no such operation here">
          <span>It may have been removed by retention, or belong to somebody else.</span>
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
        <Course operation={operation} />
        <Subject operation={operation} />
      </div>
    </Page>
  )
}

/** The state of a job whose colour says the same. */
function toneOf(state: Operation['state']): string {
  return state === 'refused' || state === 'failed' ? 'failed_permanent' : state
}

function verdictOf({ state, reason }: Operation): string {
  switch (state) {
    case 'running':
      return 'Workers carry it out, the oldest job first.'
    case 'succeeded':
      return 'Done.'
    case 'cancelled':
      return 'Cancelled: what it had changed by then stays so.'
    case 'refused':
      return `Refused, since whoever asked may no longer do it: ${reason ?? ''}`
    case 'failed':
      return `Failed, since the database refused a change: ${reason ?? ''}`
  }
}

/** How fast it goes, and how long it takes still. */
function Course({ operation }: { readonly operation: Operation }) {
  const { rate, left } = paceOf(operation, useNowMs())
  const { created_at: createdAt, finished_at: finishedAt, expected, expected_is_least: isLeast } = operation
  return (
    <Card title="Course">
      <Facts
        facts={[
          ['Changed', formatCount(operation.changed)],
          ['Skipped', `${formatCount(operation.skipped)}, no longer such when it came to them`],
          ['Found', `${formatCount(expected)}${isLeast ? ' or more' : ''} when it was made`],
          ['Average', rate],
          [
            'At most',
            operation.rate === null ? 'as fast as it goes' : `${formatCount(operation.rate)} a second`,
          ],
          ['Left', left],
          ['Begun', <Time key="b" at={createdAt} exact />],
          ['Ended', finishedAt === null ? null : <Time key="e" at={finishedAt} exact />],
        ]}
      />
    </Card>
  )
}

/** Which jobs it is about, and who wanted it. */
function Subject({ operation }: { readonly operation: Operation }) {
  const { act, run_at: runAt, actor, actor_name: actorName } = operation
  const filter = operation.filter as Readonly<Record<string, unknown>>
  const parts = filterTextsOf(filter)
  return (
    <Card
      title="What"
      aside={
        act === 'requeue_dead_letters' ? (
          <Link to="/dead-letters" search={deadLetterSearch(filter)}>
            Dead letters of this filter
          </Link>
        ) : (
          <Link to="/jobs" search={jobSearchOf(filter)}>
            Jobs of this filter
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
              {parts.length === 0 && 'none: all of them'}
            </span>,
          ],
          ['Not before', runAt === null ? null : <Time key="r" at={runAt} exact />],
          ['Asked by', actorName ?? actor ?? 'a program'],
        ]}
      />
    </Card>
  )
}
