import { Link, Navigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { landingOf } from '../alerts.ts'
import { goRoute } from '../routes.ts'
import { Page } from '../ui/controls.tsx'
import { Empty } from '../ui/feedback.tsx'

/** Where the link of an alert arrives: it goes on at once to the page that answers the alert. */
export function Go(): ReactElement {
  const { alert } = goRoute.useParams()
  const landing = landingOf(alert, goRoute.useSearch())
  if (landing) return <Navigate {...landing} replace />
  return (
    <Page title={alert}>
      {landing === null ? (
        <Empty title="No page here answers this alert">
          <span>
            The outbox is in the database of its application, which the dashboard does not see. The runbook of
            the alert says what to look at.
          </span>
        </Empty>
      ) : (
        <Empty title="There is no alert of this name">
          <Link to="/">What needs somebody now</Link>
        </Empty>
      )}
    </Page>
  )
}
