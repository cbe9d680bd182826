import type { DeadLetter } from '@queue/client'
import { Link } from '@tanstack/react-router'
import { type ReactElement, useCallback } from 'react'
import { useActs } from '../../acts/acts.tsx'
import { deleteAct, requeueSelectedAct } from '../../acts/dead-letter-acts.ts'
import { lists } from '../../api/queries.ts'
import { useList } from '../../api/use-list.ts'
import { useDeadLetterFields } from '../../finding/job-fields.ts'
import { deadLettersRoute } from '../../routes.ts'
import { type DeadLetterSearch, deadLetterSearch } from '../../search.ts'
import { Needs, useMay } from '../../shell/me.tsx'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { Button, Page } from '../../ui/controls.tsx'
import { Empty } from '../../ui/feedback.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { ListFrame } from '../../ui/list-frame.tsx'
import ui from '../../ui/ui.module.css'
import { useSelection } from '../../ui/use-selection.ts'
import { FailureGroups } from '../insight/failure-groups-list.tsx'
import { DeadLetterTable } from './dead-letter-table.tsx'
import { RequeueAll } from './requeue-all.tsx'

export function DeadLetters(): ReactElement {
  return (
    <Needs permission="dead_letters:read">
      <DeadLettersPage />
    </Needs>
  )
}

function DeadLettersPage() {
  const filter = deadLettersRoute.useSearch()
  const navigate = deadLettersRoute.useNavigate()
  const change = useCallback(
    (name: keyof DeadLetterSearch, value: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, [name]: value }) }),
    [navigate],
  )
  const list = useList<DeadLetter>(lists.deadLetters(filter))
  const selection = useSelection(list.rows)
  const fields = useDeadLetterFields(list)
  return (
    <Page
      title="Dead letters"
      subtitle="Newest first"
      actions={
        <RequeueAll filter={filter} pressedBy="a">
          Requeue all matches
        </RequeueAll>
      }
    >
      <FilterBar
        {...fields}
        values={filter}
        change={change}
        changeAll={(changes) =>
          void navigate({ search: (before) => deadLetterSearch({ ...before, ...changes }) })
        }
        help={() => `Fields: ${fields.names.join(', ')}. A full job id opens the job.`}
        openJob={(id) => void navigate({ to: '/jobs/$id', params: { id } })}
        placeholder="Search, for example kind:send_email queue:mail, a value, or a job id"
      />
      <FailureGroups
        deadLetters={list.rows}
        current={filter.fingerprint}
        choose={(fingerprint) => change('fingerprint', fingerprint)}
      />
      <ListFrame
        list={list}
        noun="dead letters"
        empty={<NoDeadLetters isFiltered={Object.keys(filter).length > 0} />}
      >
        {(rows) => (
          <div className={ui['card']}>
            <DeadLetterTable deadLetters={rows} selection={selection} />
          </div>
        )}
      </ListFrame>
      <Bulk deadLetters={selection.selected} clear={selection.clear} />
    </Page>
  )
}

function NoDeadLetters({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <Empty title="No dead letters">
        <span>A job that has used up its attempts appears here with its history.</span>
      </Empty>
    )
  }
  return (
    <Empty title="No matching dead letters">
      <Link to="/dead-letters">Clear filters</Link>
    </Empty>
  )
}

function Bulk({
  deadLetters,
  clear,
}: {
  readonly deadLetters: readonly DeadLetter[]
  readonly clear: () => void
}) {
  const may = useMay()
  const { confirm } = useActs()
  return (
    <BulkBar count={deadLetters.length} clear={clear}>
      {may('dead_letters:requeue') && (
        <Button data-key="r" onClick={() => confirm(requeueSelectedAct(deadLetters))}>
          Requeue {deadLetters.length}
        </Button>
      )}
      {may('dead_letters:delete') && (
        <Button look="danger" onClick={() => confirm(deleteAct(deadLetters))}>
          Delete {deadLetters.length}
        </Button>
      )}
    </BulkBar>
  )
}
