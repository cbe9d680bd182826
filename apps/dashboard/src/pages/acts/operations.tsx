import type { Operation } from '@queue/client'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { filterTextsOf } from '../../acts/many-acts.ts'
import { operationActWords } from '../../acts/operation-acts.ts'
import { lists } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'
import { operationsRoute } from '../../routes.ts'
import { operationStates } from '../../search.ts'
import { useNowMs } from '../../shell/clock.ts'
import { Needs } from '../../shell/me.tsx'
import { Page } from '../../ui/controls.tsx'
import { Empty } from '../../ui/feedback.tsx'
import { formatCount } from '../../ui/format.ts'
import { ListFrame } from '../../ui/list-frame.tsx'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import { CancelRest } from './cancel-rest.tsx'
import { paceOf } from './operation-pace.ts'
import { OperationPill, OperationProgress } from './operation-progress.tsx'
import styles from './operations.module.css'

export function Operations(): ReactElement {
  return (
    <Needs permission="jobs:read">
      <OperationsPage />
    </Needs>
  )
}

function OperationsPage() {
  const search = operationsRoute.useSearch()
  const list = useList<Operation>(lists.operations(search))
  return (
    <Page title="Operations" subtitle="Background bulk actions, running first">
      <nav className={ui['tabs']} aria-label="States">
        {[undefined, ...operationStates].map((state) => (
          <Link
            key={state ?? 'all'}
            to="/operations"
            search={state === undefined ? {} : { state }}
            activeOptions={{ exact: true }}
            className={`${ui['tab']} ${styles['state']}`}
            data-current={search.state === state}
          >
            {state ?? 'all'}
          </Link>
        ))}
      </nav>
      <ListFrame
        list={list}
        noun="operations"
        empty={<NoOperations isFiltered={search.state !== undefined} />}
      >
        {(operations) => <OperationTable operations={operations} />}
      </ListFrame>
    </Page>
  )
}

function NoOperations({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No operations in this state">
        <Link to="/operations">All operations</Link>
      </Empty>
    )
  }
  return (
    <Empty title="No operations yet">
      <span>
        A bulk action on more than 1 000 jobs becomes an operation. <Link to="/jobs">Filter jobs</Link>, then
        act on all matches.
      </span>
    </Empty>
  )
}

function OperationTable({ operations }: { readonly operations: readonly Operation[] }) {
  const isEnded = ({ state }: Operation): number => (state === 'running' ? 0 : 1)
  return (
    <div className={ui['card']}>
      <table className={ui['table']}>
        <thead>
          <tr>
            <th>State</th>
            <th>Action</th>
            <th>Filter</th>
            <th>Progress</th>
            <th>Average rate</th>
            <th>Time left</th>
            <th className={ui['number']}>Skipped</th>
            <th>Started by</th>
            <th>Started</th>
            <th>Ended</th>
            <th className={ui['act']}>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {operations
            .toSorted((a, b) => isEnded(a) - isEnded(b))
            .map((operation) => (
              <OperationRow key={operation.id} operation={operation} />
            ))}
        </tbody>
      </table>
    </div>
  )
}

function OperationRow({ operation }: { readonly operation: Operation }) {
  const { id, act, filter, state, actor, actor_name: actorName, finished_at: finishedAt } = operation
  const { rate, left } = paceOf(operation, useNowMs())
  return (
    <tr data-row>
      <td className={ui['state']}>
        <OperationPill state={state} />
      </td>
      <td>
        <Link to="/operations/$id" params={{ id }} className={ui['strong'] ?? ''}>
          {operationActWords[act]}
        </Link>
      </td>
      <td className={`${ui['wide']} ${ui['muted']}`}>
        {filterTextsOf(filter as object).join(', ') || 'all jobs'}
      </td>
      <td>
        <OperationProgress operation={operation} />
      </td>
      <td className={ui['time']} data-label="average">
        {rate}
      </td>
      <td className={ui['time']} data-label={left === undefined ? undefined : 'time left'}>
        {left}
      </td>
      <td className={ui['number']} data-label="skipped">
        {formatCount(operation.skipped)}
      </td>
      <td>{actorName ?? actor ?? 'A program'}</td>
      <td data-label="started">
        <Time at={operation.created_at} />
      </td>
      <td data-label={finishedAt === null ? undefined : 'ended'}>
        {finishedAt !== null && <Time at={finishedAt} />}
      </td>
      <td className={ui['act']}>
        <CancelRest operation={operation} />
      </td>
    </tr>
  )
}
