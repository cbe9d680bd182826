import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { queries } from '../../api/queries.ts'
import { limitsRoute } from '../../routes.ts'
import { Needs } from '../../shell/me.tsx'
import { Page } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import ui from '../../ui/ui.module.css'
import { LimitTable } from './limit-table.tsx'
import { useLimitForm } from './use-limit-form.tsx'

export function Limits(): ReactElement {
  return (
    <Needs permission="ops:read">
      <LimitsPage />
    </Needs>
  )
}

function LimitsPage() {
  const { queue } = limitsRoute.useSearch()
  const query = useQuery(queries.limits(queue))
  const { edit, button, form } = useLimitForm(queue)
  return (
    <Page title="Limits" subtitle={queue === undefined ? 'All queues' : `Queue ${queue}`} actions={button}>
      {queue !== undefined && <Link to="/limits">Show limits of all queues</Link>}
      <Loaded query={query}>
        {(limits) => (
          <div className={ui['card']}>
            <LimitTable limits={limits} edit={edit} />
          </div>
        )}
      </Loaded>
      {form}
    </Page>
  )
}
