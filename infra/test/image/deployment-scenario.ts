import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from '@jest/globals'
import { freePort } from '@queue/dev-postgres'
import { eventually, type TestDatabase } from '@queue/testing'
import type { ImageApp } from '../../docker/image-steps.ts'
import { type Container, type Image, type Images, runToEnd, type StartOptions } from './image.ts'

export interface DeploymentOptions {
  readonly images: Images
  readonly database: TestDatabase
  /** A folder that every image's user can read, for the secrets. */
  readonly directory: string
}

/** The roles that every test database has. */
const roles = {
  QUEUE_ROLE_API: 'queue_test_api',
  QUEUE_ROLE_WORKER: 'queue_test_worker',
  QUEUE_ROLE_READONLY: 'queue_test_readonly',
  QUEUE_ROLE_ENQUEUE: 'queue_test_enqueue',
  QUEUE_ROLE_FUNCTIONS: 'queue_test_functions',
  QUEUE_ROLE_API_TENANT: 'queue_test_api_tenant',
}

/** The health check of the images: it requests `/livez`, or the endpoint in its argument. */
const healthcheck: readonly [string, ...string[]] = ['node', 'dist/healthcheck.js']

/**
 * Deploys the images as the documents describe: migrate, set up the roles, serve, work, answer health checks, and stop. Each
 * process reads its database URL from a file and connects as its own role. The schema does not exist at the start.
 */
export async function deploy({ images, database, directory }: DeploymentOptions): Promise<void> {
  const databaseEnv = await writeSecrets(database, directory)
  const apiEnv = {
    API_BIND_ADDR: `127.0.0.1:${await freePort()}`,
    API_OPS_BIND_ADDR: `127.0.0.1:${await freePort()}`,
  }
  const workerEnv = {
    WORKER_METRICS_BIND_ADDR: `127.0.0.1:${await freePort()}`,
    EXECUTOR: 'simulated',
    WORKER_SIMULATION_SPEED: '100',
  }
  await expectUnhealthy(images, { apiEnv, workerEnv })

  for (const args of [['up'], ['roles'], ['outbox', 'plan']]) {
    const env = { ...databaseEnv.migrate, ...roles }
    await runSuccessfully(images.migrate, { env, args })
  }
  const running = [
    images.api.start({ env: { ...databaseEnv.api, ...apiEnv } }),
    images.worker.start({ env: { ...databaseEnv.worker, ...workerEnv } }),
  ]
  try {
    await expectHealthy(images, { apiEnv, workerEnv })
    await expectWork(`http://${apiEnv.API_BIND_ADDR}`, `http://${workerEnv.WORKER_METRICS_BIND_ADDR}`)
    await expectCleanEnd(running)
    await expectUnhealthy(images, { apiEnv, workerEnv })
  } finally {
    for (const container of running) container.signal('SIGKILL')
  }
}

/** Writes the database URL of each process to a file, and returns the variables that name the files. */
async function writeSecrets(database: TestDatabase, directory: string) {
  const secret = async (app: ImageApp, url: string) => {
    const file = path.join(directory, `${app}-url`)
    await writeFile(file, `${url}\n`, { mode: 0o444 })
    return { DATABASE_URL_FILE: file, QUEUE_SCHEMA: 'shipped' }
  }
  return {
    migrate: await secret('migrate', database.url),
    api: await secret('api', database.urlAs('api')),
    worker: await secret('worker', database.urlAs('worker')),
  }
}

/** Runs a command. Throws if its exit code is not 0. */
async function runSuccessfully(image: Image, options: StartOptions): Promise<void> {
  const { code, output } = await runToEnd(image, options)
  if (code !== 0) throw new Error(`ended with ${code}:\n${output}`)
}

type Env = Readonly<Record<string, string>>

interface Addresses {
  readonly apiEnv: Env
  readonly workerEnv: Env
}

async function expectUnhealthy({ api, worker }: Images, { apiEnv, workerEnv }: Addresses): Promise<void> {
  expect(await runToEnd(api, { env: apiEnv, command: healthcheck })).toMatchObject({ code: 1 })
  expect(await runToEnd(worker, { env: workerEnv, command: healthcheck })).toMatchObject({ code: 1 })
}

async function expectHealthy({ api, worker }: Images, { apiEnv, workerEnv }: Addresses): Promise<void> {
  const healthy = async (image: Image, env: Env, ...args: string[]): Promise<true> => {
    await runSuccessfully(image, { env, args, command: healthcheck })
    return true
  }
  await eventually(() => healthy(api, apiEnv, '/readyz'))
  await eventually(() => healthy(worker, workerEnv, '/readyz'))
  await healthy(api, apiEnv)
  await healthy(worker, workerEnv)
}

/** Enqueues a job, waits until it has succeeded, and finds it in the metrics of both processes. */
async function expectWork(apiUrl: string, workerUrl: string): Promise<void> {
  const created = await fetch(`${apiUrl}/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'summarize_text', payload: { text: 'A long story.' } }),
  })
  expect(created.status).toBe(201)
  const { id } = (await created.json()) as { readonly id: string }
  const ended = await fetch(`${apiUrl}/jobs/${id}`, { headers: { prefer: 'wait=20' } })
  expect(await ended.json()).toMatchObject({ id, status: 'succeeded' })

  const metrics = await (await fetch(`${apiUrl}/metrics`)).text()
  expect(metrics).toContain('http_request_duration_seconds_count')
  await eventually(async () => {
    const text = await (await fetch(`${workerUrl}/metrics`)).text()
    return /worker_jobs_completed_total\{[^}]*outcome="succeeded"[^}]*\} 1/.test(text)
  })
}

async function expectCleanEnd(running: readonly Container[]): Promise<void> {
  for (const container of running) container.signal('SIGTERM')
  const results = await Promise.all(running.map(({ ended }) => ended))
  expect(results.map(({ code }) => code)).toEqual([0, 0])
}
