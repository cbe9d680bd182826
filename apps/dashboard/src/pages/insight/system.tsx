import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { apiUrl } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { Needs, useMe } from '../../shell/me.tsx'
import { Card, Facts, Page } from '../../ui/controls.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { formatSpan, localZone } from '../../ui/format.ts'
import ui from '../../ui/ui.module.css'
import { Findings } from './findings.tsx'

/** The results of passed health checks. */
const passedResults = new Set(['running', 'up', 'compatible', 'accepted'])

export function System(): ReactElement {
  return (
    <Needs permission="ops:read">
      <SystemPage />
    </Needs>
  )
}

function SystemPage() {
  const query = useQuery(queries.health)
  const me = useMe()
  return (
    <Page title="System">
      <Loaded query={useQuery(queries.diagnosis)}>{(diagnosis) => <Findings diagnosis={diagnosis} />}</Loaded>
      <Loaded query={query}>
        {(health) => (
          <Card title={health.status === 'ready' ? 'The API is ready' : 'The API is not ready'}>
            <Facts
              facts={[
                ...Object.entries(health.checks).map(
                  ([name, result]) =>
                    [
                      name,
                      <span
                        key={name}
                        className={`${ui['pill']} ${passedResults.has(result) ? ui['succeeded'] : ui['failed']}`}
                      >
                        {result}
                      </span>,
                    ] as const,
                ),
                [
                  'Uptime',
                  health.uptime_seconds === undefined ? null : formatSpan(health.uptime_seconds * 1_000),
                ],
              ]}
            />
          </Card>
        )}
      </Loaded>
      <Card title="More information">
        <Facts
          facts={[
            ['Doctor as the schema owner', <code key="d">queue-migrate doctor</code>],
            ['Metrics', <code key="m">GET /metrics</code>],
            [
              'API documentation',
              <a key="a" href={`${apiUrl}/docs`}>
                /docs
              </a>,
            ],
          ]}
        />
      </Card>
      <Card title="Your access">
        <Facts
          facts={[
            ['Signed in as', me.name ?? me.type],
            ['Permissions', me.permissions.join(', ')],
            [
              'Request rate',
              me.rate === null ? 'No limit' : `${me.rate.count} requests per ${me.rate.per_seconds} s`,
            ],
            ['Time zone', localZone],
          ]}
        />
      </Card>
    </Page>
  )
}
