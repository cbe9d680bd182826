import { Link } from '@tanstack/react-router'
import { type ReactElement, useCallback, useMemo } from 'react'
import type { DeadLetter } from '@queue/client'
import { useActs } from '../acts/acts.tsx'
import { deleteAct, requeueAllAct, requeueLettersAct } from '../acts/dead-letter-acts.ts'
import { client } from '../api/client.ts'
import { lists } from '../api/queries.ts'
import { useList } from '../api/use-list.ts'
import type { DeadLetterSearch } from '../search.ts'
import { deadLettersRoute } from '../routes.ts'
import { Needs, useMay } from '../shell/me.tsx'
import { BulkBar } from '../ui/bulk-bar.tsx'
import { Button, Page } from '../ui/controls.tsx'
import { Empty } from '../ui/feedback.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { ListFrame } from '../ui/list-frame.tsx'
import { type Selection, useSelection } from '../ui/use-selection.ts'
import ui from '../ui/ui.module.css'
import { groupName } from './failure-groups.ts'
import { FailureGroups } from './failure-groups-list.tsx'
import { LetterRow } from './letter-row.tsx'

const filterNames = ['kind', 'queue', 'tenant', 'dead_lettered_after', 'dead_lettered_before'] as const

export function DeadLetters(): ReactElement {
  return (
    <Needs permission="dead_letters:read">
      <DeadLettersPage />
    </Needs>
  )
}

function DeadLettersPage() {
  const { group, ...filter } = deadLettersRoute.useSearch()
  const navigate = deadLettersRoute.useNavigate()
  const change = useCallback(
    (name: keyof DeadLetterSearch, value: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, [name]: value }) }),
    [navigate],
  )
  const list = useList<DeadLetter>(lists.deadLetters(filter))
  const rows = useMemo(
    () => list.rows.filter((letter) => group === undefined || groupName(letter) === group),
    [list.rows, group],
  )
  const selection = useSelection(rows)
  const other = (): string => `Write ${filterNames.map((name) => `${name}:…`).join(', ')}.`
  return (
    <Page title="Dead letters" subtitle="newest first" actions={<RequeueAll filter={filter} />}>
      <FilterBar
        names={filterNames}
        values={filter}
        change={change}
        other={other}
        placeholder="kind:send_email or queue:mail"
      />
      <FailureGroups letters={list.rows} current={group} choose={(name) => change('group', name)} />
      <ListFrame list={{ ...list, rows }} noun="dead letters" empty={<NoLetters />}>
        {(shown) => <LetterTable letters={shown} selection={selection} />}
      </ListFrame>
      <Bulk letters={selection.selected} clear={selection.clear} />
    </Page>
  )
}

function NoLetters() {
  return (
    <Empty title="No dead letter">
      <span>A job that has used up its attempts comes here, with the history of them.</span>
      <Link to="/dead-letters">Clear filters</Link>
    </Empty>
  )
}

/** Counts first: the sheet says how many. */
function RequeueAll({ filter }: { readonly filter: Omit<DeadLetterSearch, 'group'> }) {
  const may = useMay()
  const { confirm, perform } = useActs()
  if (!may('dead_letters:requeue')) return null
  const count = async (): Promise<void> => {
    // Only what was there when it was counted: nobody has seen what comes later.
    const frozen = {
      ...filter,
      dead_lettered_before: filter.dead_lettered_before ?? new Date().toISOString(),
    }
    try {
      const { count: found, more } = await client.requeueDeadLetters({ ...frozen, dry_run: true })
      confirm(requeueAllAct(frozen, { count: found, more }))
    } catch (error) {
      await perform(() => {
        throw error
      })
    }
  }
  return <Button onClick={() => void count()}>Requeue all that match</Button>
}

interface LetterTableProps {
  readonly letters: readonly DeadLetter[]
  readonly selection: Selection<DeadLetter>
}

function LetterTable({ letters, selection }: LetterTableProps) {
  const may = useMay()
  const selectable = may('dead_letters:requeue') || may('dead_letters:delete')
  return (
    <div className={ui['card']}>
      <table className={ui['table']}>
        <thead>
          <tr>
            {selectable && (
              <th className={ui['check']}>
                <input
                  type="checkbox"
                  aria-label="Select all rows"
                  checked={selection.all}
                  onChange={selection.toggleAll}
                />
              </th>
            )}
            <th>Kind</th>
            <th>Queue</th>
            <th className={ui['number']}>Attempts</th>
            <th>Failed</th>
            <th>Error</th>
          </tr>
        </thead>
        <tbody>
          {letters.map((letter) => (
            <LetterRow
              key={letter.id}
              letter={letter}
              selected={selection.ids.has(letter.id)}
              toggle={selectable ? selection.toggle : undefined}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Bulk({ letters, clear }: { readonly letters: readonly DeadLetter[]; readonly clear: () => void }) {
  const may = useMay()
  const { confirm } = useActs()
  return (
    <BulkBar count={letters.length} clear={clear}>
      {may('dead_letters:requeue') && (
        <Button data-key="r" onClick={() => confirm(requeueLettersAct(letters))}>
          Requeue {letters.length}
        </Button>
      )}
      {may('dead_letters:delete') && (
        <Button look="danger" onClick={() => confirm(deleteAct(letters))}>
          Delete {letters.length}
        </Button>
      )}
    </BulkBar>
  )
}
