import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { imageApps } from '../docker/image-steps.ts'

const repository = path.resolve(import.meta.dirname, '..', '..')
const textOf = (name: string) => readFile(path.join(repository, name), 'utf8')

interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string }
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly deploy?: { readonly replicas: number }
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly stop_grace_period?: string
}

let services: Readonly<Record<string, Service>>
beforeAll(async () => {
  const compose = parse(await textOf('infra/compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
  }
  ;({ services } = compose)
})

const waitsFor = (name: string) =>
  Object.entries(services[name]?.depends_on ?? {}).map(
    ([dependency, { condition }]) => `${dependency}: ${condition}`,
  )

describe('compose.yaml', () => {
  test('starts each service when its dependencies are healthy or have ended successfully', () => {
    expect(waitsFor('migrate')).toEqual(['postgres: service_healthy'])
    expect(waitsFor('api')).toEqual(['migrate: service_completed_successfully'])
    expect(waitsFor('worker')).toEqual(['migrate: service_completed_successfully'])
    expect(waitsFor('prometheus')).toEqual(['api: service_healthy', 'worker: service_healthy'])
    expect(waitsFor('grafana')).toEqual(['prometheus: service_healthy'])
    const waitedFor = ['postgres', 'api', 'worker', 'prometheus']
    for (const name of waitedFor) expect(services[name]?.healthcheck?.test[0]).toBe('CMD')
    expect(services['worker']?.deploy?.replicas).toBe(2)
  })

  test('builds its images from targets of the Dockerfile', async () => {
    const dockerfile = await textOf('infra/docker/Dockerfile')
    for (const name of imageApps) {
      const build = services[name]?.build
      expect(build).toEqual({ context: '..', dockerfile: 'infra/docker/Dockerfile', target: name })
      expect(dockerfile).toContain(`FROM runtime AS ${name}\n`)
    }
  })

  test('runs the command line in the image of the migration, when it is asked for', () => {
    expect(services['queue']).toMatchObject({
      image: services['migrate']?.image,
      entrypoint: ['queue'],
      profiles: ['tools'],
      read_only: true,
      cap_drop: ['ALL'],
      environment: services['migrate']?.environment,
    })
    expect(waitsFor('queue')).toEqual(['migrate: service_completed_successfully'])
  })

  test('gives the processes only known variables and no privileges that they do not need', async () => {
    const documented = await textOf('docs/configuration.md')
    for (const name of imageApps) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
      const names = Object.keys(services[name]?.environment ?? {})
      expect(names).toContain('DATABASE_URL')
      for (const variable of names) expect(documented).toContain(`\`${variable}\``)
    }
  })

  test('waits longer for a graceful end than it takes', () => {
    const seconds = (name: string) => Number(/^(\d+)s$/.exec(services[name]?.stop_grace_period ?? '')?.[1])
    expect(seconds('api')).toBeGreaterThanOrEqual(40)
    expect(seconds('worker')).toBeGreaterThanOrEqual(45)
  })

  test('publishes ports on the loopback address only', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? [])
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
    expect(ports).toHaveLength(3)
  })

  test('mounts existing files, including those that Prometheus reads', async () => {
    const mounts = Object.values(services)
      .flatMap((service) => service.volumes ?? [])
      .filter((mount) => mount.startsWith('./'))
      .map((mount) => mount.split(':'))
    const missing = mounts.filter(([source = '']) => !existsSync(path.join(repository, 'infra', source)))
    expect(missing).toEqual([])
    expect(mounts.filter(([, , mode]) => mode !== 'ro')).toEqual([])

    const config = parse(await textOf('infra/prometheus/prometheus.yml')) as { rule_files: readonly string[] }
    const mountedPaths = mounts.map(([, target = '']) => path.posix.relative('/etc/prometheus', target))
    for (const rules of config.rule_files) expect(mountedPaths).toContain(path.posix.dirname(rules))
    expect(mountedPaths).toContain('prometheus.yml')
  })

  test('lets Prometheus scrape every process at its address', async () => {
    const config = await textOf('infra/prometheus/prometheus.yml')
    expect(config).toContain("targets: ['api:8080']")
    expect(config).toMatch(/names: \['worker'\]\s+type: A\s+port: 9091/)
  })
})
