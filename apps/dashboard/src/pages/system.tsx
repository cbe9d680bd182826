import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { apiUrl } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Needs, useMe } from '../shell/me.tsx'
import { Card, Facts, Page } from '../ui/controls.tsx'
import { Loaded } from '../ui/feedback.tsx'
import { formatSpan, localZone } from '../ui/format.ts'
import ui from '../ui/ui.module.css'
import { Findings } from './findings.tsx'

/** What a check answers when all is well. */
const sound = new Set(['running', 'up', 'compatible', 'accepted'])

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
                  ([name, answer]) =>
                    [
                      name,
                      <span
                        key={name}
                        className={`${ui['pill']} ${sound.has(answer) ? ui['succeeded'] : ui['failed']}`}
                      >
                        {answer}
                      </span>,
                    ] as const,
                ),
                [
                  'up for',
                  health.uptime_seconds === undefined ? null : formatSpan(health.uptime_seconds * 1_000),
                ],
              ]}
            />
          </Card>
        )}
      </Loaded>
      <Card title="Find out more">
        <Facts
          facts={[
            ['Doctor with the rights of the owner', <code key="d">migrate doctor</code>],
            ['Metrics', <code key="m">GET /metrics</code>],
            [
              'Documentation of the API',
              <a key="a" href={`${apiUrl}/docs`}>
                /docs
              </a>,
            ],
          ]}
        />
      </Card>
      <Card title="You">
        <Facts
          facts={[
            ['Key', me.name ?? me.type],
            ['Permissions', me.permissions.join(', ')],
            ['Rate', me.rate === null ? 'no limit' : `${me.rate.count} requests in ${me.rate.per_seconds} s`],
            ['Zone', localZone],
          ]}
        />
      </Card>
    </Page>
  )
}
