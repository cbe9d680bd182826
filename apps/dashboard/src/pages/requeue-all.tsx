import type { ReactNode } from 'react'
import { useActs } from '../acts/acts.tsx'
import { requeueLettersAct } from '../acts/many-acts.ts'
import type { DeadLetterSearch } from '../search.ts'
import { useMay } from '../shell/me.tsx'
import { Button } from '../ui/controls.tsx'

interface RequeueAllProps {
  readonly filter: DeadLetterSearch
  readonly look?: 'plain' | 'primary'
  readonly children: ReactNode
}

/** Requeues the dead letters that a filter finds. */
export function RequeueAll({ filter, look = 'plain', children }: RequeueAllProps) {
  const may = useMay()
  const { confirmMany } = useActs()
  if (!may('dead_letters:requeue')) return null
  return (
    <Button look={look} data-key="r" onClick={() => confirmMany([requeueLettersAct(filter)])}>
      {children}
    </Button>
  )
}
