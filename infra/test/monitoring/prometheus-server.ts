import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@queue/dev-postgres'
import { eventually } from '@queue/testing'
import { parse, stringify } from 'yaml'
import { configFile } from './rule-files.ts'

/** Whether the Prometheus server is installed on this machine. */
export const hasPrometheus = spawnSync('prometheus', ['--version']).error === undefined

/** A running Prometheus. */
export interface PrometheusServer {
  /** Requests a path of its HTTP API, and resolves with the `data` of the response. */
  get<Data>(path: string): Promise<Data>
  stop(): Promise<void>
}

export interface PrometheusOptions {
  /** For each scrape job the URL of its process, in place of the host names of the compose project. */
  readonly targets: Readonly<Record<string, string>>
  readonly runbooksUrl: string
}

interface Config {
  readonly global: Readonly<Record<string, unknown>>
  readonly rule_files: readonly string[]
  readonly scrape_configs: readonly { readonly job_name: string }[]
}

/** Starts Prometheus with the configuration of this repository. Only the targets, the intervals and the paths are changed. */
export async function startPrometheus(options: PrometheusOptions): Promise<PrometheusServer> {
  const config = localConfig(parse(await readFile(configFile, 'utf8')) as Config, options.targets)
  return launchPrometheus({ config, runbooksUrl: options.runbooksUrl })
}

export interface LaunchOptions {
  /** The content of its configuration file. */
  readonly config: unknown
  readonly runbooksUrl: string
  /** The server is killed after this time, in milliseconds; default 240 000. */
  readonly lifetimeMs?: number
}

/** Starts a Prometheus with a new data directory, and waits until it is ready. */
export async function launchPrometheus(options: LaunchOptions): Promise<PrometheusServer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-prometheus-'))
  const file = path.join(directory, 'prometheus.yml')
  await writeFile(file, stringify(options.config))
  const port = await freePort()
  const child: ChildProcess = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${path.join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=expand-external-labels',
    ],
    {
      env: { RUNBOOKS_URL: options.runbooksUrl, DASHBOARD_URL: '' },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: options.lifetimeMs ?? 240_000,
      killSignal: 'SIGKILL',
    },
  )
  let log = ''
  child.stderr?.on('data', (chunk) => (log += String(chunk)))
  const ended = once(child, 'close')
  const url = `http://127.0.0.1:${port}`
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    await rm(directory, { recursive: true, force: true })
  }
  const ready = async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok
  await eventually(ready, { what: 'the start of Prometheus' }).catch(async (error) => {
    await stop()
    throw new Error(`Prometheus did not start:\n${log}`, { cause: error })
  })
  return {
    stop,
    get: async <Data>(apiPath: string) => {
      const response = await fetch(`${url}/api/v1/${apiPath}`)
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
      return ((await response.json()) as { data: Data }).data
    },
  }
}

function localConfig(config: Config, targets: PrometheusOptions['targets']): unknown {
  return {
    ...config,
    global: { ...config.global, scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: config.rule_files.map((pattern) => fileURLToPath(new URL(pattern, configFile))),
    scrape_configs: config.scrape_configs.map(({ job_name }) => ({
      job_name,
      static_configs: [{ targets: [new URL(targets[job_name] ?? '').host] }],
    })),
  }
}
