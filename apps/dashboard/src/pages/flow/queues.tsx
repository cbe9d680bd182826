import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { queries } from '../../api/queries.ts'
import { Needs } from '../../shell/me.tsx'
import { Page } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { QueueTable } from '../../ui/queue-table.tsx'
import ui from '../../ui/ui.module.css'

export function Queues(): ReactElement {
  const query = useQuery(queries.queues)
  return (
    <Needs permission="jobs:read">
      <Page title="Queues">
        <Loaded query={query}>
          {(queues) => (
            <div className={ui['card']}>
              <QueueTable queues={queues} />
            </div>
          )}
        </Loaded>
      </Page>
    </Needs>
  )
}
