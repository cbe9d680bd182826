import { Link, Navigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { landingOf } from '../../alerts.ts'
import { goRoute } from '../../routes.ts'
import { Page } from '../../ui/controls.tsx'
import { Empty } from '../../ui/feedback.tsx'

/** The target of alert links. It redirects to the page for the alert. */
export function Go(): ReactElement {
  const { alert } = goRoute.useParams()
  const landing = landingOf(alert, goRoute.useSearch())
  if (landing) return <Navigate {...landing} replace />
  return (
    <Page title={alert}>
      {landing === null ? (
        <Empty title="The dashboard has no page for this alert">
          <span>
            The outbox is in the database of its application, which the dashboard cannot access. See the
            runbook of the alert.
          </span>
        </Empty>
      ) : (
        <Empty title="Unknown alert">
          <Link to="/">View what needs attention</Link>
        </Empty>
      )}
    </Page>
  )
}
