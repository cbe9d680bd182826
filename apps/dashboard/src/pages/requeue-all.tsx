import type { ReactNode } from 'react'
import { useActs } from '../acts/acts.tsx'
import { requeueDeadLettersAct } from '../acts/many-acts.ts'
import type { DeadLetterSearch } from '../search.ts'
import { useMay } from '../shell/me.tsx'
import { Button } from '../ui/controls.tsx'

interface RequeueAllProps {
  readonly filter: DeadLetterSearch
  readonly look?: 'plain' | 'primary'
  /** The key that presses it: beside selected rows, another one than theirs. */
  readonly pressedBy?: 'r' | 'a'
  readonly children: ReactNode
}

/** Requeues the dead letters that a filter finds. */
export function RequeueAll({ filter, look = 'plain', pressedBy = 'r', children }: RequeueAllProps) {
  const may = useMay()
  const { confirmMany } = useActs()
  if (!may('dead_letters:requeue')) return null
  return (
    <Button look={look} data-key={pressedBy} onClick={() => confirmMany([requeueDeadLettersAct(filter)])}>
      {children}
    </Button>
  )
}
