import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { queries } from '../../api/queries.ts'
import { Needs } from '../../shell/me.tsx'
import { Page } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import ui from '../../ui/ui.module.css'
import { WorkerTable } from './worker-table.tsx'

export function Workers(): ReactElement {
  return (
    <Needs permission="ops:read">
      <WorkersPage />
    </Needs>
  )
}

function WorkersPage() {
  const query = useQuery(queries.workers)
  return (
    <Page title="Workers" subtitle="Lost workers first">
      <Loaded query={query}>
        {(workers) => (
          <div className={ui['card']}>
            <WorkerTable workers={workers} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}
