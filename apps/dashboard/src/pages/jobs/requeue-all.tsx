import type { ReactNode } from 'react'
import { useActs } from '../../acts/acts.tsx'
import { requeueDeadLettersAct } from '../../acts/many-acts.ts'
import type { DeadLetterSearch } from '../../search.ts'
import { useMay } from '../../shell/me.tsx'
import { Button } from '../../ui/controls.tsx'

interface RequeueAllProps {
  readonly filter: DeadLetterSearch
  readonly look?: 'plain' | 'primary'
  /** Its shortcut, which must differ from the shortcut of the selected rows. */
  readonly pressedBy?: 'r' | 'a'
  readonly children: ReactNode
}

/** Requeues all dead letters that match a filter. */
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
