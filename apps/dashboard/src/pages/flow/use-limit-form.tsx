import type { Limit } from '@queue/client'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../shell/me.tsx'
import { Button } from '../../ui/controls.tsx'
import { LimitForm } from './limit-form.tsx'

/**
 * The limit form and what opens it: `edit` opens it for an existing limit, `button` for a new limit of the shown queue.
 */
export function useLimitForm(queue: string | undefined) {
  const may = useMay()
  const [edited, edit] = useState<Limit | 'new'>()
  const button = may('limits:write') && (
    <Button look="primary" onClick={() => edit('new')}>
      <Plus size={14} aria-hidden />
      Set a limit
    </Button>
  )
  const form = edited !== undefined && (
    <LimitForm
      about={queue === undefined ? {} : { queue }}
      limit={edited === 'new' ? undefined : edited}
      close={() => edit(undefined)}
    />
  )
  return { edit, button, form } as const
}
