import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { Card } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import ui from '../../ui/ui.module.css'
import { LimitTable } from './limit-table.tsx'
import { useLimitForm } from './use-limit-form.tsx'

/** The limits of a queue with their usage. Limits can be set, paused and deleted. */
export function QueueLimits({ queue }: { readonly queue: string }) {
  const query = useQuery(queries.limits(queue))
  const { edit, button, form } = useLimitForm(queue)
  return (
    <Card title="Limits of this queue" aside={button} flush>
      <Loaded query={query}>
        {(limits) => (
          <>
            <LimitTable limits={limits} edit={edit} queue={queue} />
            {limits.length > 1 && (
              <p className={`${ui['hint']} ${ui['note']}`}>A job must satisfy all limits that apply to it.</p>
            )}
          </>
        )}
      </Loaded>
      {form}
    </Card>
  )
}
