import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { type Chart, type Manifest, openChart, type Values } from './chart/chart.ts'
import { hasHelm, printsNotesWithoutCluster } from './chart/helm-program.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')
const textOf = (name: string) => readFile(path.join(repository, name), 'utf8')

/** The required values; `everything` below also turns on every option. */
const minimalValues: Values = {
  database: { urlSecret: { name: 'database' } },
  api: { tokenSecret: { name: 'token' } },
}
const open: Values = { ...minimalValues, api: { open: true } }
const everything: Values = {
  image: { prefix: 'registry.example/queue-', tag: '1.2.3' },
  imagePullSecrets: [{ name: 'pull' }],
  podLabels: { team: 'core' },
  podAnnotations: { note: 'yes' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'spot', operator: 'Exists' }],
  serviceAccountName: 'jobs',
  database: {
    urlSecret: { name: 'database' },
    migrateUrlSecret: { name: 'owner', key: 'dsn' },
    caConfigMap: { name: 'authority' },
    pooler: 'transaction',
  },
  migrate: { waitMs: 3_600_000, env: { LOG_FORMAT: 'json' } },
  api: {
    tokenSecret: { name: 'token' },
    keys: true,
    keyRate: '600/60/50',
    env: { IDEMPOTENCY_MISMATCH: 'reject' },
  },
  worker: {
    image: 'registry.example/mine:4',
    queues: ['mail', 'mail.bulk'],
    shutdownGraceMs: 600_000,
    env: { SMTP_URL_FILE: '/etc/queue/handlers/smtp-url' },
    handlersSecret: 'mail',
    autoscaling: { enabled: true, prometheusUrl: 'http://prometheus:9090' },
  },
  networkPolicy: {
    apiFrom: [{ podSelector: {} }],
    metricsFrom: [{ namespaceSelector: {} }],
    databaseTo: [{ ipBlock: { cidr: '10.0.0.5/32' } }],
    workerEgress: [{ ports: [{ port: 443 }] }],
  },
  podMonitor: { enabled: true },
  prometheusRule: {
    enabled: true,
    labels: { release: 'monitoring' },
    runbooksUrl: 'https://wiki.example/queue',
    dashboardUrl: 'https://queue.example/dashboard',
  },
  dashboard: { enabled: true },
  doctor: { enabled: true, schedule: '17 * * * *', urlSecret: { name: 'reader' } },
}

let chart: Chart
beforeAll(async () => {
  if (hasHelm) chart = await openChart(path.join(repository, 'infra/helm'))
})

afterAll(() => chart?.close())

const described = hasHelm ? describe : describe.skip
const requirement = `(needs Helm${hasHelm ? '' : ', which is not installed: https://helm.sh'})`

const cases = [
  ['with only the required values', minimalValues],
  ['with an open API', open],
  ['with every option', everything],
] as const

const find = (manifests: readonly Manifest[], kind: string, name: string): Manifest => {
  const manifest = manifests.find((candidate) => candidate.kind === kind && candidate.metadata.name === name)
  if (manifest === undefined) throw new Error(`there is no ${kind} ${name}`)
  return manifest
}

/** The pod templates by component; with that of doctor if it is enabled. */
function podsOf(manifests: readonly Manifest[]) {
  const doctor = manifests.find(({ kind }) => kind === 'CronJob')
  return {
    api: find(manifests, 'Deployment', 'q-api').spec.template,
    worker: find(manifests, 'Deployment', 'q-worker').spec.template,
    migrate: find(manifests, 'Job', 'q-migrate').spec.template,
    ...(doctor && { doctor: doctor.spec.jobTemplate.spec.template }),
  }
}

/** The Secret that provides the database URL of a pod. */
const urlSecretOf = (pod: Manifest['spec']): string => pod.spec.volumes[0].projected.sources[0].secret.name

const envOf = (container: { env: readonly { name: string; value: string }[] }) =>
  Object.fromEntries(container.env.map(({ name, value }) => [name, value]))

described.each(cases)(`the chart %s ${requirement}`, (_name, values) => {
  test('runs no pod as root, with privilege escalation, a writable file system, or access to the cluster', async () => {
    for (const { spec } of Object.values(podsOf(await chart.render(values)))) {
      expect(spec.automountServiceAccountToken).toBe(false)
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      const [container, ...sidecars] = spec.containers
      expect(sidecars).toEqual([])
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(container.resources.limits.memory).toMatch(/^\d+Mi$/)
    }
  })

  test('sets only known variables, and no secrets', async () => {
    const documented = await textOf('docs/configuration.md')
    for (const { spec } of Object.values(podsOf(await chart.render(values)))) {
      const env = envOf(spec.containers[0])
      for (const [name, value] of Object.entries(env)) {
        expect(documented).toContain(`\`${name.replace(/_FILE$/, '')}\``)
        expect(value).not.toMatch(/e\+/)
      }
      expect(env).toMatchObject({ DATABASE_URL_FILE: '/etc/queue/secrets/database-url' })
      expect(Object.keys(env)).not.toContain('DATABASE_URL')
      expect(new Set(spec.containers[0].env.map((variable: { name: string }) => variable.name)).size).toBe(
        spec.containers[0].env.length,
      )
    }
  })

  test('mounts each file that a variable names', async () => {
    for (const { spec } of Object.values(podsOf(await chart.render(values)))) {
      const [container] = spec.containers
      const mounted = container.volumeMounts.flatMap((mount: { name: string; mountPath: string }) => {
        const volume = spec.volumes.find((candidate: { name: string }) => candidate.name === mount.name)
        type Source = Readonly<Record<'secret' | 'configMap', { items?: { path: string }[] } | undefined>>
        // Without items, each key of the Secret is a file.
        return volume.projected.sources.flatMap((source: Source) =>
          ((source.secret ?? source.configMap)?.items ?? [{ path: '' }]).map(
            (item) => `${mount.mountPath}/${item.path}`,
          ),
        )
      }) as string[]
      const named = Object.entries(envOf(container)).filter(([name]) => name.endsWith('_FILE'))
      const isMounted = (file: unknown) =>
        mounted.some((mountedPath) =>
          mountedPath.endsWith('/')
            ? path.dirname(String(file)) === path.dirname(`${mountedPath}x`)
            : mountedPath === file,
        )
      expect(named.filter(([, file]) => !isMounted(file))).toEqual([])
    }
  })

  test('points every selector at the pods of its component', async () => {
    const manifests = await chart.render(values)
    const pods = podsOf(manifests)
    const selecting = manifests.filter(({ spec }) => spec?.selector ?? spec?.podSelector)
    expect(selecting.length).toBeGreaterThanOrEqual(8)
    for (const { metadata, spec } of selecting) {
      const component = metadata.name.replace('q-', '') as keyof typeof pods
      const selector = spec.selector ?? spec.podSelector
      expect(pods[component]?.metadata.labels).toMatchObject(selector.matchLabels ?? selector)
      expect((selector.matchLabels ?? selector)['app.kubernetes.io/component']).toBe(component)
    }
  })

  test('probes liveness without the database, and readiness with it', async () => {
    const pods = podsOf(await chart.render(values))
    // The probes of the API have a separate port, which answers while the main port is overloaded.
    for (const [{ spec }, port] of [
      [pods.api, 'ops'],
      [pods.worker, 'http'],
    ] as const) {
      const [container] = spec.containers
      expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port })
      expect(container.startupProbe.httpGet).toEqual({ path: '/livez', port })
      expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port })
      expect(container.ports[0].name).toBe('http')
      expect(container.ports.map(({ name }: { name: string }) => name)).toContain(port)
    }
  })

  test('labels every object as Kubernetes recommends, and selects by labels that never change', async () => {
    const { version } = JSON.parse(await textOf('apps/api/package.json')) as { readonly version: string }
    const manifests = await chart.render(values)
    for (const { metadata, spec } of manifests) {
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/name': 'queue',
        'app.kubernetes.io/instance': 'q',
        'app.kubernetes.io/version': version,
        'app.kubernetes.io/managed-by': 'Helm',
        'app.kubernetes.io/part-of': 'queue',
        'app.kubernetes.io/component': expect.any(String),
        'helm.sh/chart': expect.stringMatching(/^queue-\d+\.\d+\.\d+$/),
      })
      const selector = spec?.selector?.matchLabels ?? spec?.podSelector?.matchLabels ?? spec?.selector ?? {}
      for (const label of Object.keys(selector)) expect(label).toMatch(/\/(?:name|instance|component)$/)
    }
  })

  test('causes no warning of Helm', async () => {
    expect(await chart.lint(values)).toContain('1 chart(s) linted, 0 chart(s) failed')
  })
})

described(`values.schema.json ${requirement}`, () => {
  test.each<[string, Values, RegExp]>([
    ['without a secret for the database', {}, /database.urlSecret.name/],
    [
      'an API without a token that is not said to be open',
      { database: { urlSecret: { name: 'database' } } },
      /api.open/,
    ],
    ['a rate that is none', { ...minimalValues, api: { keys: true, keyRate: '600' } }, /api.keyRate/],
    ['a host that is none', { ...open, api: { open: true, allowedHosts: ['a/b'] } }, /api.allowedHosts.0/],
    ['a name that is not known', { ...minimalValues, workers: {} }, /[Aa]dditional propert.*workers/],
    [
      'a password among the variables',
      { ...minimalValues, api: { env: { DATABASE_URL: 'x' } } },
      /api.env: |invalid propertyName 'DATABASE_URL'/,
    ],
    ['a number as text', { ...minimalValues, worker: { concurrency: '10' } }, /worker.concurrency.*string/],
    [
      'autoscaling without a Prometheus',
      { ...minimalValues, worker: { autoscaling: { enabled: true } } },
      /worker.autoscaling.prometheusUrl/,
    ],
  ])('refuses %s', async (_name, values, message) => {
    await expect(chart.render(values)).rejects.toThrow(message)
  })
})

described(`the chart ${requirement}`, () => {
  test.each([0, 1, 1_500, 30_000, 600_000])(
    'gives a process that may take %i ms to end a longer grace period',
    async (shutdownGraceMs) => {
      const pods = podsOf(
        await chart.render({ ...open, api: { open: true, shutdownGraceMs }, worker: { shutdownGraceMs } }),
      )
      const [api, worker] = [pods.api.spec, pods.worker.spec]
      const drainMs = api.containers[0].lifecycle.preStop.sleep.seconds * 1_000
      expect(api.terminationGracePeriodSeconds * 1_000 - drainMs - shutdownGraceMs).toBeGreaterThanOrEqual(
        10_000,
      )
      // One second for aborted handlers, five for the last statements, and some to spare.
      expect(worker.terminationGracePeriodSeconds * 1_000 - shutdownGraceMs).toBeGreaterThanOrEqual(15_000)
      expect(envOf(worker.containers[0])).toMatchObject({ WORKER_SHUTDOWN_GRACE_MS: String(shutdownGraceMs) })
      expect(envOf(api.containers[0])).toMatchObject({ API_SHUTDOWN_GRACE_MS: String(shutdownGraceMs) })
    },
  )

  test('uses the user and the ports of the images', async () => {
    const dockerfile = await textOf('infra/docker/Dockerfile')
    const users = [...dockerfile.matchAll(/^USER (.+)$/gm)].map(([, user]) => user)
    const ports = [...dockerfile.matchAll(/^EXPOSE (.+)$/gm)].map(([, port]) => port)
    const pods = podsOf(await chart.render(minimalValues))
    for (const { spec } of Object.values(pods)) {
      const { runAsUser, runAsGroup } = spec.securityContext
      expect([`${runAsUser}:${runAsGroup}`]).toEqual(users)
    }
    const portsOf = ({ spec }: Manifest): string =>
      spec.containers[0].ports.map((port: { containerPort: number }) => port.containerPort).join(' ')
    expect([pods.api, pods.worker].map(portsOf)).toEqual(ports)
  })

  test('migrates before other objects are replaced, with the role for migrations', async () => {
    const job = find(await chart.render(everything), 'Job', 'q-migrate')
    expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
    expect(urlSecretOf(job.spec.template)).toBe('owner')
    expect(envOf(job.spec.template.spec.containers[0])).toMatchObject({ MIGRATE_WAIT_MS: '3600000' })
    expect(urlSecretOf(podsOf(await chart.render(minimalValues)).migrate)).toBe('database')
    const none = await chart.render({ ...minimalValues, migrate: { enabled: false } })
    expect(none.map(({ kind }) => kind)).not.toContain('Job')
  })

  test('gives each process its own role, if it has one', async () => {
    const apiUrlSecret = { name: 'role-api' }
    const workerUrlSecret = { name: 'role-worker' }
    const database = { ...(minimalValues['database'] as Values), apiUrlSecret, workerUrlSecret }
    const pods = podsOf(await chart.render({ ...minimalValues, database }))
    const names = [pods.api, pods.worker, pods.migrate].map(urlSecretOf)
    expect(names).toEqual(['role-api', 'role-worker', 'database'])
  })

  test('configures the pooler for every long-running process', async () => {
    const pods = podsOf(await chart.render(everything))
    for (const { spec } of [pods.api, pods.worker]) {
      expect(envOf(spec.containers[0])).toMatchObject({ DATABASE_POOLER: 'transaction' })
    }
  })

  test('leaves the number of workers to KEDA if it is enabled', async () => {
    expect(find(await chart.render(minimalValues), 'Deployment', 'q-worker').spec.replicas).toBe(2)
    expect((await chart.render(minimalValues)).map(({ kind }) => kind)).not.toContain('ScaledObject')

    const manifests = await chart.render(everything)
    expect(find(manifests, 'Deployment', 'q-worker').spec).not.toHaveProperty('replicas')
    const { spec } = find(manifests, 'ScaledObject', 'q-worker')
    expect(spec.scaleTargetRef.name).toBe('q-worker')
    expect(spec.triggers[0].metadata).toMatchObject({ threshold: '20', ignoreNullValues: 'false' })
  })

  test('scales by metrics that the API has, of the queues that the workers serve', async () => {
    const { query } = find(await chart.render(everything), 'ScaledObject', 'q-worker').spec.triggers[0]
      .metadata
    const source = await textOf('packages/telemetry/src/queue-metrics.ts')
    const metrics = new Set<string>(query.match(/\b(?:queue|db)_\w+/g))
    expect([...metrics].sort()).toEqual(['db_up', 'queue_jobs', 'queue_oldest_ready_seconds', 'queue_paused'])
    for (const metric of metrics) expect(source).toContain(`'${metric}'`)
    expect(query).toContain(String.raw`queue_jobs{queue=~"mail|mail\\.bulk",status="running"}`)
  })

  test('allows connections to a worker only for metrics, and from it only to the database and the allowed hosts', async () => {
    const { spec } = find(await chart.render(everything), 'NetworkPolicy', 'q-worker')
    expect(spec.ingress).toEqual([{ ports: [{ port: 9091 }], from: [{ namespaceSelector: {} }] }])
    expect(spec.egress.slice(1)).toEqual([
      { ports: [{ port: 5432 }], to: [{ ipBlock: { cidr: '10.0.0.5/32' } }] },
      { ports: [{ port: 443 }] },
    ])
    expect(find(await chart.render(minimalValues), 'NetworkPolicy', 'q-migrate').spec.ingress).toEqual([])
  })

  test('contains the alerts of this release, with links to the runbooks and the dashboard', async () => {
    type Rules = { readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[] }
    type Rule = { readonly annotations?: Readonly<Record<string, string>> }
    const { groups } = parse(await textOf('infra/prometheus/rules/queue.rules.yml')) as Rules
    const switchedOn = { ...minimalValues, prometheusRule: { enabled: true } }
    expect(find(await chart.render(switchedOn), 'PrometheusRule', 'q').spec).toEqual({ groups })

    const rule = find(await chart.render(everything), 'PrometheusRule', 'q')
    expect(rule.metadata.labels).toMatchObject({ release: 'monitoring' })
    const linksOf = (annotation: string): string[] =>
      (rule.spec as Rules).groups
        .flatMap(({ rules }) => rules.map(({ annotations }) => annotations?.[annotation]))
        .filter((link) => link !== undefined)
    expect(linksOf('runbook_url').length).toBeGreaterThan(20)
    for (const link of linksOf('runbook_url')) {
      expect(link).toMatch(/^https:\/\/wiki\.example\/queue\/[a-z-]+\.md$/)
    }
    expect(linksOf('dashboard_url').length).toBeGreaterThan(20)
    for (const link of linksOf('dashboard_url')) {
      expect(link).toMatch(/^https:\/\/queue\.example\/dashboard\/go\/\w+(\?|$)/)
    }
  })

  test('contains the dashboard for the sidecar of Grafana', async () => {
    const dashboard = find(await chart.render(everything), 'ConfigMap', 'q-dashboard')
    expect(dashboard.metadata.labels).toMatchObject({ grafana_dashboard: '1' })
    const text = await textOf('infra/grafana/dashboards/queue.json')
    expect(JSON.parse(dashboard.data?.['queue.json'] ?? '')).toEqual(JSON.parse(text))
  })

  test('runs doctor on a schedule, with the readonly role, one at a time', async () => {
    const { spec } = find(await chart.render(everything), 'CronJob', 'q-doctor')
    expect(spec).toMatchObject({ schedule: '17 * * * *', concurrencyPolicy: 'Forbid' })
    const pod = spec.jobTemplate.spec.template.spec
    expect(pod.containers[0].args).toEqual(['doctor', '--json'])
    expect(pod.containers[0].image).toBe('registry.example/queue-migrate:1.2.3')
    expect(urlSecretOf({ spec: pod })).toBe('reader')
    // Running it again would not change its findings.
    expect(spec.jobTemplate.spec.backoffLimit).toBe(0)
    const kinds = (await chart.render(minimalValues)).map(({ kind }) => kind)
    for (const kind of ['CronJob', 'PrometheusRule', 'ConfigMap']) expect(kinds).not.toContain(kind)
  })

  test('makes the API and the probes listen on the address of the pod', async () => {
    const pods = podsOf(await chart.render(minimalValues))
    const dockerfile = await textOf('infra/docker/Dockerfile')
    const addresses = {
      api: { API_BIND_ADDR: '0.0.0.0:8080', API_OPS_BIND_ADDR: '0.0.0.0:8081' },
      worker: { WORKER_METRICS_BIND_ADDR: '0.0.0.0:9091' },
    }
    for (const app of ['api', 'worker'] as const) {
      expect(envOf(pods[app].spec.containers[0])).toMatchObject(addresses[app])
      // The images have the same defaults.
      for (const [name, address] of Object.entries(addresses[app]))
        expect(dockerfile).toContain(`ENV ${name}=${address}`)
    }
  })

  test('allows access to the API without a token only if configured, and then only for the names of its Service', async () => {
    const env = async (values: Values) => envOf(podsOf(await chart.render(values)).api.spec.containers[0])
    const service = find(await chart.render(open), 'Service', 'q-api')
    const hosts = ['', '.jobs', '.jobs.svc', '.jobs.svc.cluster.local'].map(
      (end) => service.metadata.name + end,
    )
    expect(await env(minimalValues)).not.toHaveProperty('API_OPEN')
    expect(await env(minimalValues)).not.toHaveProperty('API_ALLOWED_HOSTS')
    expect(await env(open)).toMatchObject({ API_OPEN: 'yes', API_ALLOWED_HOSTS: hosts.join(',') })
    const named = {
      ...minimalValues,
      api: { tokenSecret: { name: 'token' }, allowedHosts: ['queue.example.com'] },
    }
    expect(await env(named)).toMatchObject({ API_ALLOWED_HOSTS: [...hosts, 'queue.example.com'].join(',') })
    expect(await env(named)).not.toHaveProperty('API_OPEN')
  })

  test('requires API keys if configured, with a rate limit', async () => {
    const env = async (values: Values) => envOf(podsOf(await chart.render(values)).api.spec.containers[0])
    const keyed = {
      database: { urlSecret: { name: 'database' } },
      api: { keys: true, keyRate: '600/60/50', linkSecret: { name: 'links' } },
    }
    expect(await env(keyed)).toMatchObject({ API_KEYS: 'yes', API_KEY_RATE: '600/60/50' })
    expect(await env(keyed)).toMatchObject({ API_LINK_SECRET_FILE: '/etc/queue/secrets/api-link-secret' })
    expect(await env(keyed)).not.toHaveProperty('API_OPEN')
    expect(await env(minimalValues)).not.toHaveProperty('API_KEYS')
    expect(await env(minimalValues)).not.toHaveProperty('API_KEY_RATE')
  })

  const tested = printsNotesWithoutCluster ? test : test.skip
  const helmRequirement = `(needs a Helm that prints notes without a cluster${printsNotesWithoutCluster ? '' : ', which version 3 does not'})`
  tested(`warns of an API without a token and of workers that only simulate ${helmRequirement}`, async () => {
    const simulating = { ...open, worker: { env: { EXECUTOR: 'simulated' } } }
    expect(await chart.notes(simulating)).toMatch(/api.open is set[\s\S]*EXECUTOR is set to simulated/)
    expect(await chart.notes(everything)).not.toMatch(/is (?:not )?set/)
  })

  test('has the version of the processes', async () => {
    const { version } = JSON.parse(await textOf('apps/api/package.json')) as { readonly version: string }
    const { spec } = podsOf(await chart.render(minimalValues)).api
    expect(spec.containers[0].image).toBe(`queue-api:${version}`)
  })
})
