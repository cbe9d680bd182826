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

/** Whether this machine has a Prometheus, the server itself. */
export const hasPrometheus = spawnSync('prometheus', ['--version']).error === undefined

/** A Prometheus that runs with the configuration of this repository. */
export interface PrometheusServer {
  /** `data` of an answer of its HTTP API. */
  ask<Data>(page: string): Promise<Data>
  stop(): Promise<void>
}

export interface PrometheusOptions {
  /** In the place of the names in a compose project: for each scrape job, the URL of its process. */
  readonly targets: Readonly<Record<string, string>>
  readonly runbooksUrl: string
}

interface Config {
  readonly global: Readonly<Record<string, unknown>>
  readonly rule_files: readonly string[]
  readonly scrape_configs: readonly { readonly job_name: string }[]
}

/** Starts the server as it is; of its configuration only the addresses, the pace and the folder are others. */
export async function startPrometheus(options: PrometheusOptions): Promise<PrometheusServer> {
  const config = here(parse(await readFile(configFile, 'utf8')) as Config, options.targets)
  return launchPrometheus({ config, runbooksUrl: options.runbooksUrl })
}

export interface LaunchOptions {
  /** What stands in its configuration file. */
  readonly config: unknown
  readonly runbooksUrl: string
  /** It is killed after so long; default 240 000. */
  readonly lifetimeMs?: number
}

/** Starts a Prometheus with data of its own, and waits until it is ready. */
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
  await eventually(ready, { what: 'that Prometheus is ready' }).catch(async (error) => {
    await stop()
    throw new Error(`Prometheus does not start:\n${log}`, { cause: error })
  })
  return {
    stop,
    ask: async <Data>(page: string) => {
      const response = await fetch(`${url}/api/v1/${page}`)
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
      return ((await response.json()) as { data: Data }).data
    },
  }
}

function here(config: Config, targets: PrometheusOptions['targets']): unknown {
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
