import type { ReactNode } from 'react'
import { useActs } from '../acts/acts.tsx'
import { requeueAllAct } from '../acts/dead-letter-acts.ts'
import { client } from '../api/client.ts'
import type { DeadLetterSearch } from '../search.ts'
import { useMay } from '../shell/me.tsx'
import { Button } from '../ui/controls.tsx'

interface RequeueAllProps {
  readonly filter: DeadLetterSearch
  readonly look?: 'plain' | 'primary'
  readonly children: ReactNode
}

/** Requeues what a filter finds. It counts first: the sheet says how many. */
export function RequeueAll({ filter, look = 'plain', children }: RequeueAllProps) {
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
      const { count: found, is_least: isLeast } = await client.requeueDeadLetters({
        ...frozen,
        dry_run: true,
      })
      confirm(requeueAllAct(frozen, { count: found, isLeast }))
    } catch (error) {
      await perform(() => {
        throw error
      })
    }
  }
  return (
    <Button look={look} data-key="r" onClick={() => void count()}>
      {children}
    </Button>
  )
}
